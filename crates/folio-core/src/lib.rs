//! The life of a page: model, job, ports, pipeline.
