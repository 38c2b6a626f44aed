//! A message that nobody handles: counted, published, its askers told. Never silent.

use crate::ask::NoReply;
use crate::cell::Core;
use crate::events::DeadLetterReason;
use crate::here;
use crate::sync::drop_quietly;

/// A message of this actor's protocol.
pub(crate) fn publish(core: &Core, why: DeadLetterReason) {
    core.publish_dead(core.protocol(), why);
}

/// A message told to somebody who has no place or takes nothing more.
#[cold]
#[inline(never)] // the way of a message that arrives stays small
pub(crate) fn undeliverable<T>(core: &Core, why: DeadLetterReason, message: T) {
    core.note(|ledger| {
        ledger.accepted += 1;
        ledger.dead += 1;
    });
    core.publish_dead(std::any::type_name::<T>(), why);
    drop_in_turn(core, message);
}

/// Drops what was meant for an actor. A reply inside is answered at once: nobody is there to answer it.
pub(crate) fn drop_in_turn<T>(core: &Core, message: T) {
    let ((), forsaken) = here::on_behalf(core, || drop_quietly(message));
    forsaken.answer(&NoReply::Stopped);
}
