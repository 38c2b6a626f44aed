//! The smallest program, and an orderly one.

use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Event, Phase};
use std::sync::{Arc, Mutex};

type Page = Arc<Mutex<Vec<String>>>;

struct Printer(&'static str, Page);

impl Actor for Printer {
    type Msg = String;
    async fn receive(&mut self, _ctx: &mut Context<String>, text: String) -> Outcome {
        let line = format!("{} received {text}", self.0);
        self.1.lock().unwrap().push(line);
        Ok(())
    }
}

#[test]
fn two_printers() -> Result<(), Box<dyn std::error::Error>> {
    let page = Page::default();
    let system = ActorSystem::builder("printers").build()?;
    for name in ["one", "two"] {
        let page = page.clone();
        let printer = system.spawn(name, move || Printer(name, page))?;
        printer.tell("hello".into());
        printer.drain();
    }
    assert_eq!(system.blocking_shutdown().ledger.handled, 2);
    let mut lines = page.lock().unwrap().clone();
    lines.sort_unstable();
    assert_eq!(lines, ["one received hello", "two received hello"]);
    Ok(())
}

#[tokio::test]
async fn a_service_that_closes_its_door_first() {
    let (page, lost) = (Page::default(), Page::default());
    let losses = lost.clone();
    let system = ActorSystem::builder("service")
        .dispatcher("encoding", Dispatcher::fixed(1))
        .phase_deadline(Phase::FinishRequests, secs(20))
        .on_event(move |event| {
            if let Event::DeadLetter { to, why, .. } = event {
                losses.lock().unwrap().push(format!("{to}: {why:?}"));
            }
        })
        .build()
        .unwrap();
    let paper = page.clone();
    let intake = system.spawn("intake", || Printer("intake", paper)).unwrap();
    intake.tell("a request".into());
    let door = intake.clone();
    system.on_shutdown(Phase::CloseDoors, "intake", async move || {
        door.drain();
        door.terminated().await;
        Ok(())
    });
    let report = system.shutdown().await;
    assert_eq!(report.ledger.balance(), 0);
    assert!(report.overran.is_empty() && report.still_alive.is_empty());
    assert_eq!(*page.lock().unwrap(), ["intake received a request"]);

    intake.tell("too late".into());
    let gone = format!("/service/intake: {:?}", DeadLetterReason::Gone);
    assert_eq!(*lost.lock().unwrap(), [gone]);
}
