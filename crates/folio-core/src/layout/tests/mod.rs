//! The layout, tried on small synthetic pages.

mod kit;
mod lines;
mod model;
mod order;
mod overlap;
mod properties;
mod words;
