//! An actor that some messages fail.

use playhouse::prelude::*;
use tokio::sync::mpsc::UnboundedSender;

/// Notes each number it gets, and fails at those from a hundred on.
pub(crate) struct Fragile(pub(crate) UnboundedSender<u32>);

impl Actor for Fragile {
    type Msg = u32;
    async fn receive(&mut self, _ctx: &mut Context<u32>, n: u32) -> Outcome {
        self.0.send(n)?;
        if n >= 100 {
            return Err(format!("cannot take {n}").into());
        }
        Ok(())
    }
}
