//! How a Playhouse system begins and ends in every workload.

use playhouse::prelude::*;

/// A system with default settings.
pub(crate) fn system() -> ActorSystem {
    ActorSystem::builder("bench")
        .build()
        .expect("a plain system builds")
}

/// Ends the system and holds its books to what a benchmark may do: lose nothing.
pub(crate) async fn close(system: ActorSystem) {
    let report = system.shutdown().await;
    assert_eq!(
        report.ledger.balance(),
        0,
        "every message is in one column: {:?}",
        report.ledger
    );
    assert_eq!(
        report.ledger.handled, report.ledger.accepted,
        "nothing is lost: {:?}",
        report.ledger
    );
}
