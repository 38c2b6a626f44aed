//! What to do about a full mailbox: wait, refuse, or build the payload only when there is room for it.

use playhouse::prelude::*;
use playhouse::testkit::TestKit;

struct Upload(Vec<u8>);

async fn wait(store: &ActorRef<Upload>, body: Vec<u8>) -> Outcome {
    store.send(Upload(body)).await?;
    Ok(())
}

fn refuse(store: &ActorRef<Upload>, body: Vec<u8>) -> u16 {
    match store.try_send(Upload(body)) {
        Ok(()) => 202,
        Err(TrySendError::Full(_)) => 503,
        Err(TrySendError::Closed(_)) => 410,
    }
}

async fn reserve_then_render(store: &ActorRef<Upload>, told: &ActorRef<usize>) -> Outcome {
    let place = store.reserve().await?;
    told.tell(0); // renders
    place.send(Upload(vec![0; 3]));
    Ok(())
}

/// Says how large each upload was, when the gate lets it.
fn store(told: ActorRef<usize>, gate: std::sync::Arc<tokio::sync::Semaphore>) -> Props<Upload> {
    struct Store(ActorRef<usize>, std::sync::Arc<tokio::sync::Semaphore>);
    impl Actor for Store {
        type Msg = Upload;
        async fn receive(&mut self, _ctx: &mut Context<Upload>, Upload(body): Upload) -> Outcome {
            self.1.acquire().await?.forget();
            self.0.tell(body.len());
            Ok(())
        }
    }
    Props::new(move || Store(told, gate)).mailbox(Mailbox::bounded(1))
}

#[test]
fn each_answer_to_a_full_mailbox() {
    let kit = TestKit::new();
    let mut stored = kit.probe();
    let gate = std::sync::Arc::new(tokio::sync::Semaphore::new(0));
    let store = kit.spawn("store", store(stored.actor_ref().clone(), gate.clone()));
    kit.block_on(wait(&store, vec![1])).unwrap();
    kit.settle(); // the first is in hand
    assert_eq!(refuse(&store, vec![1; 2]), 202);
    assert_eq!(refuse(&store, vec![1; 9]), 503);

    let (to, told) = (store.clone(), stored.actor_ref().clone());
    let producer =
        Props::func(async move |_ctx: &mut Context<()>| reserve_then_render(&to, &told).await);
    kit.spawn("producer", producer);
    stored.expect_nothing(); // nothing is rendered without room
    gate.add_permits(3);
    let seen = stored.expect_n(4);
    assert_eq!((seen[0], seen[3]), (1, 3), "{seen:?}");

    store.stop();
    kit.block_on(store.terminated());
    assert_eq!(refuse(&store, vec![]), 410);
    assert!(kit.block_on(wait(&store, vec![])).is_err());
}
