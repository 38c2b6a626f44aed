//! Promise 7: a kill drops the handler at its next await.

mod common;

use common::*;
use playhouse::NoReply;
use playhouse::prelude::*;
use tokio::sync::mpsc;

#[tokio::test]
async fn kill_drops_the_handler_at_its_next_await_and_its_asker_hears_so() {
    let (system, _) = system();
    let (entered, mut has_entered) = journal();
    struct Stuck(mpsc::UnboundedSender<()>);
    impl Actor for Stuck {
        type Msg = Reply<u32>;
        async fn receive(&mut self, _ctx: &mut Context<Reply<u32>>, reply: Reply<u32>) -> Outcome {
            self.0.send(())?;
            std::future::pending::<()>().await;
            reply.send(1);
            Ok(())
        }
    }
    let stuck = system.spawn("stuck", move || Stuck(entered)).unwrap();
    let asked = stuck.clone();
    let answer = tokio::spawn(async move { asked.ask(|reply| reply).within(secs(60)).await });
    has_entered.recv().await;
    stuck.kill();
    assert!(matches!(stuck.terminated().await, Exit::Killed));
    let answer = answer.await.unwrap();
    assert!(
        matches!(
            answer,
            Err(AskError::NoReply {
                why: NoReply::Stopped,
                ..
            })
        ),
        "{answer:?}"
    );
    end(&system).await;
}
