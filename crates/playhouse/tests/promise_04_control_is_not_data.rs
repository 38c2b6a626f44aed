//! Promise 4: stop, kill and watch have their own lane. Completions, which are outside the capacity:
//! `conformance/own_core.rs`.

mod common;

use common::*;
use playhouse::prelude::*;
use std::sync::Arc;
use tokio::sync::Semaphore;

#[tokio::test]
async fn a_full_mailbox_delays_neither_stop_nor_kill() {
    for kill in [false, true] {
        let (system, _) = system();
        let (entered, mut has_entered) = journal();
        let (seen, mut journal) = journal();
        let gate = Arc::new(Semaphore::new(0));
        let props = gated(entered, gate.clone(), seen).mailbox(Mailbox::bounded(1));
        let held = system.spawn("held", props).unwrap();
        held.send(1).await.unwrap();
        has_entered.recv().await;
        held.send(2).await.unwrap();
        if kill {
            held.kill();
        } else {
            held.stop();
            gate.add_permits(2); // a stop lets the current handler finish
        }
        held.terminated().await;
        assert_eq!(read(&mut journal), if kill { vec![] } else { vec![1] });
        assert_eq!(end(&system).await.dead, 1);
    }
}

#[tokio::test]
async fn a_busy_handler_sees_the_stop() {
    let (system, _) = system();
    let (entered, mut has_entered) = journal();
    let busy = system
        .spawn(
            "busy",
            Props::func(async move |ctx: &mut Context<()>| {
                assert!(!ctx.is_stopping());
                entered.send(())?;
                ctx.stopping().await;
                assert!(ctx.is_stopping());
                Ok(())
            }),
        )
        .unwrap();
    has_entered.recv().await;
    busy.stop();
    assert!(matches!(busy.terminated().await, Exit::Stopped));
    end(&system).await;
}
