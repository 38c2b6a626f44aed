//! Props.

use super::common::{end, system};
use playhouse::prelude::*;

/// Answers with the name of the thread it runs on.
fn whereabouts() -> Props<Reply<String>> {
    struct Where;
    impl Actor for Where {
        type Msg = Reply<String>;
        async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, reply: Self::Msg) -> Outcome {
            reply.send(std::thread::current().name().unwrap_or_default().to_owned());
            Ok(())
        }
    }
    Props::new(|| Where)
}

#[tokio::test]
async fn prp_01_the_outermost_choice_of_a_dispatcher_wins() {
    let (system, _) = system();
    let fixed = system.dispatcher("fixed").unwrap();
    let pinned = system.dispatcher("pinned").unwrap();
    for (props, expected) in [
        (
            whereabouts().dispatcher(&fixed).dispatcher(&pinned),
            "pinned",
        ),
        (
            whereabouts().dispatcher(&pinned).dispatcher_named("fixed"),
            "fixed",
        ),
        (
            whereabouts().dispatcher_named("nowhere").dispatcher(&fixed),
            "fixed",
        ),
    ] {
        let actor = system.spawn_anonymous(props);
        let thread = actor.ask(|reply| reply).within(secs(60)).await.unwrap();
        assert!(
            thread.starts_with(&format!("playhouse-{expected}-")),
            "{thread}"
        );
    }
    end(&system).await;
}
