//! A reference for a foreign protocol whose messages become an actor's own, in that actor's turn.

use crate::actor::Message;
use crate::cell::{CellRef, Core};
use crate::mailbox::{Envelope, Foreign, Rare, Slot};
use crate::port::Inlet;
use crate::sync::{Arc, Mutex};

pub(crate) struct Adapter<N, M> {
    cell: CellRef<M>,
    /// Whose adapter it is.
    incarnation: u32,
    /// Called by one slot at a time, in the receiver's turn; the lock is only ever taken there.
    function: Arc<Mutex<Function<N, M>>>,
}

type Function<N, M> = Box<dyn FnMut(N) -> M + Send>;

impl<N, M: Message> Adapter<N, M> {
    pub(crate) fn new(cell: CellRef<M>, function: impl FnMut(N) -> M + Send + 'static) -> Self {
        let rare = cell.core.rare_if_any();
        Self {
            incarnation: rare.map_or(0, |rare| rare.incarnation()),
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
        let make = Box::new(Adapted { function, msg });
        self.cell.push_reserved(match question {
            None => Slot::Adapted(self.incarnation, make),
            Some(question) => Slot::rare(Rare::AdaptedQuestion {
                incarnation: self.incarnation,
                make,
                question,
            }),
        });
    }

    fn is_handle(&self) -> bool {
        false
    }
}

/// A message on its way to an adapter's actor.
struct Adapted<N, M> {
    function: Arc<Mutex<Function<N, M>>>,
    msg: N,
}

impl<N: Message, M: Message> Foreign<M> for Adapted<N, M> {
    fn make(self: Box<Self>) -> M {
        let Self { function, msg } = *self;
        (*function.lock())(msg)
    }

    fn message(&self) -> &'static str {
        std::any::type_name::<N>()
    }
}
