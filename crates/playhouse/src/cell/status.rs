//! What an actor does next, as a pure decision over its orders.

use crate::actor::Exit;
use crate::mailbox::signals::{Orders, StopCause};

/// Kill before stop before the rest; a drain ends an actor only when `is_drained`, which is asked last because it
/// looks at the whole mailbox.
pub(crate) fn exit_now(orders: Orders, is_drained: impl FnOnce() -> bool) -> Option<Exit> {
    match orders {
        Orders { kill: true, .. } => Some(Exit::Killed),
        Orders {
            stop: Some(StopCause::Asked),
            ..
        } => Some(Exit::Stopped),
        Orders {
            stop: Some(StopCause::Shutdown),
            ..
        } => Some(Exit::Shutdown),
        Orders { drain: true, .. } if is_drained() => Some(Exit::Drained),
        _ => None,
    }
}

/// The exit of a function that returned `Ok` by itself.
pub(crate) fn exit_of_a_finished_function(orders: Orders) -> Exit {
    exit_now(orders, || true).unwrap_or(Exit::Stopped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_rank_kill_stop_drain() {
        let all = Orders {
            stop: Some(StopCause::Shutdown),
            drain: true,
            kill: true,
        };
        assert!(matches!(exit_now(all, || true), Some(Exit::Killed)));
        let stopped = Orders { kill: false, ..all };
        assert!(matches!(exit_now(stopped, || true), Some(Exit::Shutdown)));
        let draining = Orders {
            stop: None,
            ..stopped
        };
        assert!(matches!(exit_now(draining, || true), Some(Exit::Drained)));
        assert!(exit_now(draining, || false).is_none());
        assert!(exit_now(Orders::default(), || true).is_none());
        assert!(matches!(
            exit_of_a_finished_function(Orders::default()),
            Exit::Stopped
        ));
    }
}
