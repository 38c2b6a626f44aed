//! The two halves of page work. One thread owns the renderer (not `Send`) and gives pages in order,
//! reserving bytes and a place before it renders; a pool pulls, encodes and stores. The end comes
//! from either side. `cargo run -p playhouse --example owner_thread`

use playhouse::{Budget, Job, SendError, Share, WorkPool, prelude::*};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

const PAGES: u32 = 40;
const BYTES: usize = 90_000;

/// A page that cannot be rendered is a value, not a failure. Its share of the budget travels along.
struct Rendered(u32, Result<Vec<u8>, String>, Share);

struct Owner {
    document: Rc<[u8]>, // stands for what must stay on the thread that opened it
    storers: ActorRef<Rendered>,
    room: Budget,
}

impl Owner {
    fn render(&self, page: u32) -> Result<Vec<u8>, String> {
        if page == 13 {
            Err("damaged".into())
        } else {
            Ok(self.document.to_vec())
        }
    }
}

impl BlockingActor for Owner {
    type Msg = Reply<u32>;
    fn receive(&mut self, _ctx: &mut Context<Reply<u32>>, done: Reply<u32>) -> Outcome {
        for page in 1..=PAGES {
            let share = self.room.blocking_take(BYTES)?;
            let place = self.storers.blocking_reserve()?; // storers gone: stop rendering, and say so
            place.send(Rendered(page, self.render(page), share));
        }
        self.storers.drain(); // the owner ends first: what it rendered is still stored
        done.send(PAGES);
        Ok(())
    }
}

/// Its handlers block, so it lives on threads that may.
struct Storer {
    shelf: Arc<Mutex<Vec<u32>>>,
}

impl Actor for Storer {
    type Msg = Job<Rendered>;
    async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, job: Job<Rendered>) -> Outcome {
        let (Rendered(page, result, share), ticket) = job.split();
        if let Ok(bitmap) = result {
            let encoded = encode(&bitmap);
            drop((bitmap, share)); // room for the next page while this one is stored
            assert_eq!(encoded.len(), BYTES / 9);
            self.shelf.lock().map_err(|_| "poisoned")?.push(page);
        }
        ticket.done(); // the worker wants the next one
        Ok(())
    }
}

fn encode(bitmap: &[u8]) -> Vec<u8> {
    bitmap.chunks(9).map(|chunk| chunk[0]).collect()
}

fn start(
    system: &ActorSystem,
    room: &Budget,
    storers: &ActorRef<Rendered>,
) -> ActorRef<Reply<u32>> {
    let (room, storers) = (room.clone(), storers.clone());
    let open = move |_: &mut Context<_>| {
        Ok(Owner {
            document: Rc::new([7; BYTES]),
            storers,
            room,
        })
    };
    system.spawn_anonymous(Props::blocking(open))
}

#[tokio::main]
async fn main() -> Outcome {
    let builder = ActorSystem::builder("pages").dispatcher("encoding", Dispatcher::fixed(2));
    let system = builder.build()?;
    let (encoding, shelf) = (system.dispatcher("encoding")?, Arc::default());
    let stored: Arc<Mutex<Vec<u32>>> = Arc::clone(&shelf);
    let storer = Props::new(move || Storer { shelf }).dispatcher(&encoding);
    let pool = || WorkPool::new(2, storer.clone()).waiting(3);
    let room = Budget::new(7 * BYTES);

    let storers = system.spawn("storers", pool())?;
    let owner = start(&system, &room, &storers);
    assert_eq!(owner.ask(|done| done).within(secs(30)).await?, PAGES);
    assert!(matches!(storers.terminated().await, Exit::Drained));
    assert_eq!(
        stored.lock().map_err(|_| "poisoned")?.len() as u32,
        PAGES - 1
    );
    println!("the owner ended, the storers drained: all but the damaged page are stored");

    let storers = system.spawn("storers", pool())?;
    let owner = start(&system, &room, &storers);
    storers.stop(); // the storage is gone for good
    let error = owner.ask(|done| done).within(secs(30)).await.unwrap_err();
    let Exit::Failed(cause) = owner.terminated().await else {
        panic!("it cannot go on")
    };
    assert!(cause.find::<SendError<()>>().is_some());
    println!("the storers ended, the owner stopped rendering: {error}");

    let report = system.shutdown().await;
    assert_eq!((report.ledger.balance(), room.available()), (0, 7 * BYTES));
    Ok(())
}
