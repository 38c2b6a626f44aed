//! The life of a page: model, job, ports, pipeline.

pub mod encode;
pub mod job;
pub mod layout;
pub mod limits;
pub mod model;
pub mod pages;
pub mod pipeline;
pub mod ports;
pub mod request;
#[cfg(test)]
mod testing;
