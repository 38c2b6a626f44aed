//! Reserve before you build: the payload is made only when there is a place for it, so nothing large ever waits in a sender.
//! A budget counts bytes beside the places. Two stages, and at no moment more than the bound is in memory.
//!
//! `cargo run -p playhouse --example reserve`

use playhouse::{Budget, Share, prelude::*};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const BITMAP: usize = 1 << 20;

/// Nine of ten are small.
struct Bitmap {
    pixels: Vec<u8>,
    alive: Arc<AtomicUsize>,
    _room: Share,
}

impl Bitmap {
    fn draw(bytes: usize, alive: &Arc<AtomicUsize>, room: Share) -> Self {
        let in_memory = alive.fetch_add(bytes, Ordering::SeqCst) + bytes;
        assert!(in_memory <= 3 * BITMAP, "{in_memory} bytes in memory");
        Self {
            pixels: vec![0; bytes],
            alive: alive.clone(),
            _room: room,
        }
    }
}

impl Drop for Bitmap {
    fn drop(&mut self) {
        self.alive.fetch_sub(self.pixels.len(), Ordering::SeqCst);
    }
}

#[derive(Default)]
struct Store {
    bytes: usize,
}

enum StoreMsg {
    Keep(Bitmap),
    Total(Reply<usize>),
}

impl Actor for Store {
    type Msg = StoreMsg;
    async fn receive(&mut self, _ctx: &mut Context<StoreMsg>, msg: StoreMsg) -> Outcome {
        match msg {
            StoreMsg::Keep(bitmap) => {
                tokio::task::yield_now().await; // an upload
                self.bytes += bitmap.pixels.len();
            }
            StoreMsg::Total(reply) => reply.send(self.bytes),
        }
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Outcome {
    let system = ActorSystem::builder("press").build()?;
    let store = Props::new(Store::default).mailbox(Mailbox::bounded(4));
    let store = system.spawn("store", store)?;
    let room = Budget::new(3 * BITMAP);
    let alive = Arc::new(AtomicUsize::new(0));

    let (to, total) = (store.clone(), room.clone());
    let painter = Props::func(async move |_ctx: &mut Context<()>| {
        for page in 0..100 {
            let bytes = if page % 10 == 0 { BITMAP } else { BITMAP / 64 };
            let share = room.take(bytes).await; // bytes first,
            let place = to.reserve().await?; // then a place; dropped, either is given back
            place.send(StoreMsg::Keep(Bitmap::draw(bytes, &alive, share)));
        }
        println!("100 pages drawn, each into a place that was there");
        Ok(())
    });
    let painter = system.spawn("painter", painter)?;
    painter.terminated().await;

    let bytes = store.ask(StoreMsg::Total).within(secs(10)).await?;
    println!(
        "{bytes} bytes stored, never more than {} at a time",
        3 * BITMAP
    );
    assert_eq!(bytes, 10 * BITMAP + 90 * (BITMAP / 64));
    assert_eq!(total.available(), 3 * BITMAP, "all of it came back");

    // A place that is not used is free again.
    let places = [
        store.try_reserve()?,
        store.try_reserve()?,
        store.try_reserve()?,
        store.try_reserve()?,
    ];
    assert!(matches!(store.try_reserve(), Err(TrySendError::Full(()))));
    drop(places);
    assert!(store.try_reserve().is_ok());

    let report = system.shutdown().await;
    assert_eq!((report.ledger.dead, report.ledger.balance()), (0, 0));
    Ok(())
}
