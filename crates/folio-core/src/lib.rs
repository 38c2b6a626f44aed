//! The life of a page: model, job, ports, pipeline.
#![forbid(unsafe_code)]

pub mod layout;
pub mod model;
