//! Behaviours that a faithful typed-actor runtime shows, one file per area. A test's name begins with the id of its case;
//! `cargo xtask conformance` counts them and fails on a case that is nowhere.
//!
//! * `// differs: SUP-09: ..` above a test: we do it otherwise on purpose, and the test shows how.
//! * `// does not compile: CTX-20: ..`: the misuse is a `compile_fail` doc test in `src/must_not_compile.rs` that names the id.
//! * `// set aside: ROU-01: ..`: not applicable here, and why.

#[path = "../common/mod.rs"]
mod common;

mod adf;
mod adp;
mod ask;
mod beh;
mod btk;
mod cas;
mod con;
mod csd;
mod ctx;
mod def;
mod del;
mod dlt;
mod dsp;
mod dur;
mod evs;
mod ext;
mod int;
mod lgt;
mod lmg;
mod log;
mod mbx;
mod mon;
mod mtm;
mod ore;
mod own;
mod own_core;
mod own_failures;
mod own_work_pulling;
mod pat;
mod pip;
mod prd;
mod prp;
mod pub_sub;
mod rdl;
mod rec;
mod rou;
mod rto;
mod sch;
mod spn;
mod sta;
mod stp;
mod sup;
mod sys;
mod tim;
mod tkt;
mod tpr;
mod trf;
mod wat;
mod wpl;
