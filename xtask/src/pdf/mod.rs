//! A small press over `pdf-writer`: typefaces, sheets with text and shapes on them, pictures, and the binding.
//!
//! It knows no page of any particular document; [`crate::sample`] and the load generator write on its sheets. Everything
//! it makes is a function of its input: no clock, no machine font, no random identifier.

mod picture;
mod press;
mod raster;
mod sheet;
mod typeface;

pub use picture::{Picture, deflated};
pub use press::Press;
pub use raster::{GreyPlate, Ink};
pub use sheet::{Sheet, Style};
pub use typeface::{Face, TypeCase};
