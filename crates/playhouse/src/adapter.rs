//! A reference for a foreign protocol whose messages become an actor's own, in that actor's turn.

use crate::actor::Message;

use crate::cell::{CellRef, Core};
use crate::mailbox::{Envelope, Rare, Slot};
use crate::port::Inlet;
use crate::sync::{Arc, Mutex};

pub(crate) struct Adapter<N, M> {
    cell: CellRef<M>,
    /// Called by one slot at a time, in the receiver's turn; the lock is only ever taken there.
    function: Arc<Mutex<Function<N, M>>>,
}

type Function<N, M> = Box<dyn FnMut(N) -> M + Send>;

impl<N, M> Adapter<N, M> {
    pub(crate) fn new(cell: CellRef<M>, function: impl FnMut(N) -> M + Send + 'static) -> Self {
        Self {
            cell,
            function: Arc::new(Mutex::new(Box::new(function))),
        }
    }
}

impl<N: Message, M: Message> Inlet<N> for Adapter<N, M> {
    fn core(&self) -> &Core {
        &self.cell.core
    }

    fn put(&self, Envelope { msg, question }: Envelope<N>) {
        let function = self.function.clone();
        let make = Box::new(move || (*function.lock())(msg));
        self.cell.push_reserved(match question {
            None => Slot::Adapted(make),
            Some(question) => Slot::rare(Rare::AdaptedQuestion { make, question }),
        });
    }

    fn is_handle(&self) -> bool {
        false
    }
}
