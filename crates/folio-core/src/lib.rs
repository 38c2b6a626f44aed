//! The life of a page: model, job, ports, pipeline.

pub mod layout;
pub mod model;
