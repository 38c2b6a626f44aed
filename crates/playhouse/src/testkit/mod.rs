//! Whole systems under test, in an order that can be repeated. The feature `testkit`; off in production.

mod stepped;

pub use stepped::Stepped;
