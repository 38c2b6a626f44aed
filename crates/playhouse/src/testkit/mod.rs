//! Tests of one's own actors: whole systems on one thread, in an order that can be repeated, in a time that only the test
//! moves. The feature `testkit`; off in production.
//!
//! | what | for |
//! |---|---|
//! | [`TestKit`] | a system under test: spawn, settle, advance the clock, look at its events |
//! | [`Probe`] | an actor that takes what it is told and lets the test look at it |
//! | [`BehaviorKit`] | one actor, run message by message: its state, and what it did, as data |
//! | [`explore`] | the same test under many schedules, of which a failing one can be replayed |
//! | [`Stepped`] | what both stand on: any system, made with its own builder, step by step |

mod behavior_kit;
mod explore;
mod kit;
mod probe;
mod record;
mod scene;
mod stepped;

pub use crate::effect::Effect;
pub use behavior_kit::{Answer, BehaviorKit};
pub use explore::{Explore, Found, explore};
pub use kit::TestKit;
pub use probe::{Fishing, Probe};
pub use record::EventPattern;
pub use stepped::Stepped;
