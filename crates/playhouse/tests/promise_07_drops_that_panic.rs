//! Promise 7: a panic in a user's drop ends there.

mod common;

use common::*;
use playhouse::DeadLetterReason;
use playhouse::prelude::*;
use std::pin::Pin;
use std::task::{self, Poll};
use tokio::sync::mpsc;

#[tokio::test]
async fn a_drop_that_panics_harms_nobody() {
    struct Mine(bool);
    impl Drop for Mine {
        fn drop(&mut self) {
            assert!(!self.0, "this drop panics on purpose");
        }
    }
    impl Actor for Mine {
        type Msg = Mine;
        async fn receive(&mut self, ctx: &mut Context<Mine>, _msg: Mine) -> Outcome {
            ctx.stop();
            Ok(())
        }
    }
    let (system, events) = system();
    let actor = system.spawn("mine", || Mine(true)).unwrap();
    actor.tell(Mine(false));
    actor.tell(Mine(true)); // buried, and panics in its drop
    assert!(matches!(actor.terminated().await, Exit::Stopped));
    assert_eq!(events.dead(DeadLetterReason::Stopped), 1);
    end(&system).await;
}

/// Panics in its drop.
struct Bomb;
impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("this drop panics on purpose");
    }
}

enum Holding {
    Timer(Option<Bomb>),
    Watch,
}

/// Holds, in a timer or in a watch, what panics when it is dropped.
struct Holder {
    what: Option<Holding>,
    told: mpsc::UnboundedSender<&'static str>,
}

impl Actor for Holder {
    type Msg = Holding;
    async fn started(&mut self, ctx: &mut Context<Holding>) -> Outcome {
        match self.what.take() {
            Some(Holding::Watch) => {
                let bomb = Bomb;
                let waits = Props::func(async |ctx: &mut Context<()>| {
                    ctx.stopping().await;
                    Ok(())
                });
                let other = ctx.system().spawn_anonymous(waits); // not a child: it is watched to the end
                ctx.watch_with(&other, move |_exit| Holding::Timer(Some(bomb)));
            }
            Some(timer) => ctx.timers().once("never", secs(3_600), timer),
            None => {}
        }
        Ok(())
    }
    async fn receive(&mut self, _ctx: &mut Context<Holding>, msg: Holding) -> Outcome {
        if let Holding::Timer(bomb) = msg {
            drop(bomb);
        }
        Ok(())
    }
    async fn signal(&mut self, _ctx: &mut Context<Holding>, signal: Signal) -> Outcome {
        if matches!(signal, Signal::PostStop) {
            self.told.send("post-stop")?;
        }
        signal.unhandled()
    }
}

#[tokio::test]
async fn drops_that_panic_in_timers_and_watches_leave_the_end_in_order() {
    for what in [|| Some(Holding::Timer(Some(Bomb))), || Some(Holding::Watch)] {
        let (system, _) = system();
        let (told, mut journal) = journal();
        let factory = move || Holder { what: what(), told };
        let actor = system.spawn("holder", factory).unwrap();
        tokio::task::yield_now().await; // it starts
        actor.stop();
        let exit = actor.terminated().await;
        assert!(matches!(exit, Exit::Stopped), "{exit}");
        assert_eq!(read(&mut journal), ["post-stop"]);
        end(&system).await;
    }
}

#[tokio::test]
async fn a_killed_handler_whose_drop_panics_with_a_payload_that_panics_is_still_only_killed() {
    struct Worse;
    impl Drop for Worse {
        fn drop(&mut self) {
            std::panic::panic_any(Bomb);
        }
    }
    let (system, _) = system();
    let (told, mut journal) = journal();
    let body = Props::func(async move |_ctx: &mut Context<()>| {
        let worse = Worse;
        told.send(())?;
        std::future::pending::<()>().await;
        drop(worse);
        Ok(())
    });
    let actor = system.spawn("actor", body).unwrap();
    journal.recv().await.unwrap();
    actor.kill();
    let exit = actor.terminated().await;
    assert!(matches!(exit, Exit::Killed), "{exit}");
    end(&system).await;
}

#[tokio::test(start_paused = true)]
async fn a_pipe_whose_future_panics_twice_fails_its_actor_all_the_same() {
    struct Twice;
    impl Future for Twice {
        type Output = ();
        fn poll(self: Pin<&mut Self>, _context: &mut task::Context<'_>) -> Poll<()> {
            panic!("the poll panics on purpose");
        }
    }
    impl Drop for Twice {
        fn drop(&mut self) {
            panic!("the drop panics on purpose");
        }
    }
    let (system, _) = system();
    let body = Props::func(async |ctx: &mut Context<()>| {
        ctx.pipe_to_self(Twice, |()| ());
        ctx.recv().await;
        Ok(())
    });
    let actor = system.spawn("actor", body).unwrap();
    let exit = tokio::time::timeout(secs(60), actor.terminated()).await;
    assert!(matches!(exit, Ok(Exit::Failed(cause)) if cause.to_string().contains("poll")));
    end(&system).await;
}
