//! Without the feature `signals` a system never hears of any: the twin of `signals`, with nothing in it.

use super::System;
use crate::sync::Arc;
use std::convert::Infallible;
use std::io;
use tokio::runtime::Handle;

#[derive(Clone, Copy, Default)]
pub(super) struct OnSignals {}

impl OnSignals {
    #[cfg(feature = "testkit")]
    pub(super) fn refuse(self) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn hear(self, _runtime: &Handle) -> io::Result<Option<Hearing>> {
        Ok(None)
    }
}

pub(super) struct Hearing(Infallible);

impl Hearing {
    pub(super) fn obey(self, _system: &Arc<System>) {
        match self.0 {}
    }
}
