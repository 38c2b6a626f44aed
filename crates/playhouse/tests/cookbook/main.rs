//! The patterns that people look for, as they write them, each compiled and run. What is shown in one place is imported
//! by the others, so that they also fit together.

mod around;
mod back_pressure;
mod blocking;
mod counter;
mod door;
mod http;
mod initialising;
mod inventory;
mod order;
mod prices;
mod programs;
mod sessions;
mod supervision;
mod time;
mod work_pulling;
