//! Keyed timers and the receive timeout.

use playhouse::prelude::*;
use playhouse::testkit::TestKit;

enum Msg {
    Item(u32),
    Flush,
    Beat,
    Idle,
}

struct Batcher(Vec<u32>, ActorRef<String>);

impl Actor for Batcher {
    type Msg = Msg;
    async fn started(&mut self, ctx: &mut Context<Msg>) -> Outcome {
        ctx.timers().fixed_rate("beat", secs(10), || Msg::Beat);
        ctx.receive_timeout(secs(60), || Msg::Idle);
        Ok(())
    }
    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Item(n) => {
                self.0.push(n);
                if !ctx.timers().is_active("flush") {
                    ctx.timers().once("flush", millis(100), Msg::Flush);
                }
            }
            Msg::Flush => {
                let batch = std::mem::take(&mut self.0);
                self.1.tell(format!("flush {batch:?}"));
            }
            Msg::Beat => self.1.tell(format!("{} waiting", self.0.len())),
            Msg::Idle => {
                ctx.timers().cancel("beat");
                ctx.drain();
            }
        }
        Ok(())
    }
}

#[test]
fn a_batch_is_flushed_in_time_and_an_idle_batcher_ends() {
    let kit = TestKit::new();
    let mut heard = kit.probe();
    let told = heard.actor_ref().clone();
    let batcher = kit.spawn("batcher", move || Batcher(Vec::new(), told));
    for n in [1, 2] {
        batcher.tell(Msg::Item(n));
    }
    kit.advance(millis(99));
    heard.expect_nothing();
    kit.advance(millis(1));
    assert_eq!(heard.expect(), "flush [1, 2]");
    kit.advance(millis(9_900));
    assert_eq!(heard.expect(), "0 waiting");
    assert!(matches!(
        heard.expect_terminated_within(&batcher, secs(120)),
        Exit::Drained
    ));
}
