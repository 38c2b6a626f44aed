//! Promise 9: an ask ends with an answer or with the reason why there is none, and says whether it was started.

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Fate, NoReply, gather};
use std::sync::Arc;
use tokio::sync::{Semaphore, mpsc};

enum Msg {
    Answer(Reply<u32>),
    Drop(Reply<u32>),
    Fail(Reply<u32>),
    Panic(Reply<u32>),
    Keep(Reply<u32>),
    Never(Reply<u32>),
    Unhandled(Reply<u32>),
}

#[derive(Default)]
struct Target(Vec<Reply<u32>>);

impl Actor for Target {
    type Msg = Msg;
    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Answer(reply) => reply.send(7),
            Msg::Drop(reply) => drop(reply),
            Msg::Fail(_reply) => return Err("cannot".into()),
            Msg::Panic(_reply) => panic!("will not"),
            Msg::Keep(reply) => self.0.push(reply),
            Msg::Never(_reply) => std::future::pending().await,
            Msg::Unhandled(reply) => ctx.unhandled(Msg::Unhandled(reply)),
        }
        Ok(())
    }
}

fn spawn(system: &ActorSystem) -> ActorRef<Msg> {
    system.spawn_anonymous(Target::default)
}

async fn ask(
    target: &ActorRef<Msg>,
    make: impl FnOnce(Reply<u32>) -> Msg,
) -> Result<u32, AskError> {
    target.ask(make).within(secs(60)).await
}

/// OWN-07.
#[tokio::test]
async fn own_07_a_dropped_reply_fails_the_ask_at_once_with_who_and_why() {
    let (system, events) = system();
    let target = spawn(&system);
    assert_eq!(ask(&target, Msg::Answer).await.unwrap(), 7);

    let Err(AskError::NoReply {
        by,
        why: NoReply::Dropped,
        ..
    }) = ask(&target, Msg::Drop).await
    else {
        panic!()
    };
    assert!(by == target);
    assert_eq!(events.dead(DeadLetterReason::UnansweredReply), 1);
    let error = ask(&target, Msg::Unhandled).await.unwrap_err();
    assert!(
        matches!(
            error,
            AskError::NoReply {
                why: NoReply::Dropped,
                ..
            }
        ),
        "{error:?}"
    );

    let error = ask(&target, Msg::Fail).await.unwrap_err();
    let AskError::NoReply {
        why: NoReply::Failed(cause),
        ..
    } = &error
    else {
        panic!("{error:?}")
    };
    assert_eq!(
        (cause.to_string().as_str(), error.fate()),
        ("cannot", Fate::Started)
    );

    let error = ask(&spawn(&system), Msg::Panic).await.unwrap_err();
    let AskError::NoReply {
        why: NoReply::Failed(cause),
        ..
    } = &error
    else {
        panic!("{error:?}")
    };
    assert!(
        cause.is_panic() && cause.to_string().contains("will not"),
        "{cause}"
    );
    end(&system).await;
}

/// OWN-07, the rest: the asked actor stops with the reply in its state, or with the request in its mailbox.
#[tokio::test]
async fn own_07_a_reply_that_ends_with_its_actor_fails_the_ask_at_once() {
    let (system, _) = system();
    let target = spawn(&system);
    let (kept, stopped) = tokio::join!(ask(&target, Msg::Keep), async {
        ask(&target, Msg::Answer).await.unwrap(); // now it has the other in its state
        target.stop();
        target.terminated().await
    });
    assert!(matches!(stopped, Exit::Stopped));
    let error = kept.unwrap_err();
    assert!(
        matches!(
            error,
            AskError::NoReply {
                why: NoReply::Stopped,
                ..
            }
        ),
        "{error:?}"
    );
    let error = ask(&target, Msg::Answer).await.unwrap_err();
    assert!(matches!(error, AskError::Gone(Fate::NotSent)), "{error:?}");

    let target = spawn(&system);
    let (never, waiting, ()) =
        tokio::join!(ask(&target, Msg::Never), ask(&target, Msg::Answer), async {
            while system.ledger().queued != 1 {
                tokio::task::yield_now().await;
            }
            target.kill();
        });
    assert!(
        matches!(
            never,
            Err(AskError::NoReply {
                why: NoReply::Stopped,
                ..
            })
        ),
        "{never:?}"
    );
    assert!(
        matches!(waiting, Err(AskError::Gone(Fate::Waiting))),
        "{waiting:?}"
    );
    end(&system).await;
}

#[tokio::test(start_paused = true)]
async fn a_timeout_says_how_far_the_request_came() {
    let (system, events) = system();
    let target = system
        .spawn(
            "target",
            Props::new(Target::default).mailbox(Mailbox::bounded(1)),
        )
        .unwrap();
    let (started, waiting, not_sent) = tokio::join!(
        target.ask(Msg::Never).within(secs(1)),
        async {
            tokio::task::yield_now().await;
            target.ask(Msg::Answer).within(secs(1)).await
        },
        async {
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
            target.ask(Msg::Answer).within(secs(1)).await
        },
    );
    assert!(
        matches!(started, Err(AskError::Timeout(ref late)) if late.fate() == Fate::Started),
        "{started:?}"
    );
    assert!(
        matches!(waiting, Err(AskError::Timeout(ref late)) if late.fate() == Fate::Waiting),
        "{waiting:?}"
    );
    assert!(
        matches!(not_sent, Err(AskError::Timeout(ref late)) if late.fate() == Fate::NotSent),
        "{not_sent:?}"
    );
    target.kill();
    target.terminated().await;
    assert_eq!(
        events.dead(DeadLetterReason::UnansweredReply),
        0,
        "nobody waits, nobody is missed"
    );
    end(&system).await;
}

#[tokio::test]
async fn if_room_does_not_wait() {
    let (system, _) = system();
    let (entered, mut has_entered) = journal();
    let (seen, _seen) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let props =
        gated::<Option<Reply<()>>>(entered, gate.clone(), seen).mailbox(Mailbox::bounded(1));
    let full = system.spawn("full", props).unwrap();
    full.send(None).await.unwrap();
    has_entered.recv().await;
    full.send(None).await.unwrap();
    let error = full.ask(Some).if_room().within(secs(60)).await.unwrap_err();
    assert!(matches!(error, AskError::Full), "{error:?}");
    gate.add_permits(2);
    assert_eq!(end(&system).await.refused, 1);
}

#[tokio::test]
async fn a_reply_dropped_before_there_was_room_says_that_nothing_was_sent() {
    let (system, _) = system();
    let (entered, mut has_entered) = journal();
    let (seen, _seen) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let props =
        gated::<Option<Reply<()>>>(entered, gate.clone(), seen).mailbox(Mailbox::bounded(1));
    let full = system.spawn("full", props).unwrap();
    full.send(None).await.unwrap();
    has_entered.recv().await;
    full.send(None).await.unwrap();
    let mut kept = None;
    let question = full.ask(|reply: Reply<()>| {
        kept = Some(reply);
        None
    });
    let (answer, ()) = tokio::join!(question.within(secs(60)), async { drop(kept.take()) });
    let error = answer.unwrap_err();
    assert_eq!(error.fate(), Fate::NotSent, "{error:?}");
    assert!(
        matches!(
            &error,
            AskError::NoReply {
                why: NoReply::Unsent,
                ..
            }
        ),
        "{error:?}"
    );
    gate.add_permits(2);
    assert_eq!(end(&system).await.refused, 1);
}

/// OWN-10.
#[tokio::test(start_paused = true)]
async fn own_10_a_deadline_travels_down_the_chain() {
    struct Middle {
        last: ActorRef<Reply<()>>,
        errors: mpsc::UnboundedSender<AskError>,
    }
    impl Actor for Middle {
        type Msg = Reply<()>;
        async fn receive(&mut self, _ctx: &mut Context<Reply<()>>, reply: Reply<()>) -> Outcome {
            match self.last.ask(|reply| reply).within(secs(10)).await {
                Ok(()) => reply.send(()),
                Err(error) => self.errors.send(error)?,
            }
            Ok(())
        }
    }
    let (system, _) = system();
    let (seen, mut remaining) = journal();
    let (errors, mut middle_errors) = journal();
    let last = Props::func(async move |ctx: &mut Context<Reply<()>>| {
        let mut kept = Vec::new();
        while let Some(reply) = ctx.recv().await {
            let deadline = reply.deadline().ok_or("no deadline")?;
            assert_eq!(ctx.deadline(), Some(deadline));
            seen.send(ctx.clock().remaining(deadline))?;
            kept.push(reply);
        }
        Ok(())
    });
    let last = system.spawn("last", last).unwrap();
    let middle = system
        .spawn("middle", move || Middle { last, errors })
        .unwrap();
    let error = middle
        .ask(|reply| reply)
        .within(millis(300))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, AskError::Timeout(late) if late.fate() == Fate::Started),
        "{error:?}"
    );
    let remaining = remaining.recv().await.unwrap();
    assert!(remaining <= millis(300), "{remaining:?}");
    let error = middle_errors.recv().await.unwrap();
    assert!(
        matches!(&error, AskError::Timeout(late) if late.fate() == Fate::Started),
        "it was the last one that took the time: {error:?}"
    );
    end(&system).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_too_late_is_published_and_an_abandoned_reply_knows() {
    let (system, events) = system();
    let (kept, mut replies) = journal();
    let keeper = Props::func(async move |ctx: &mut Context<Reply<u8>>| {
        while let Some(reply) = ctx.recv().await {
            kept.send(reply)?;
        }
        Ok(())
    });
    let keeper = system.spawn("keeper", keeper).unwrap();
    let error = keeper.ask(|reply| reply).within(secs(1)).await.unwrap_err();
    assert!(
        matches!(&error, AskError::Timeout(late) if late.fate() == Fate::Started),
        "{error:?}"
    );
    let reply = replies.recv().await.unwrap();
    assert!(reply.is_abandoned());
    reply.send(1);
    assert_eq!(events.dead(DeadLetterReason::LateReply), 1);
    end(&system).await;
}

#[tokio::test]
async fn a_reply_passes_its_duty_on() {
    let (system, events) = system();
    let target = spawn(&system);
    let forwarder = {
        let target = target.clone();
        Props::func(async move |ctx: &mut Context<Reply<String>>| {
            while let Some(reply) = ctx.recv().await {
                target.tell(Msg::Answer(reply.contramap(|n: u32| n.to_string())));
            }
            Ok(())
        })
    };
    let forwarder = system.spawn("forwarder", forwarder).unwrap();
    let dropper = {
        let target = target.clone();
        Props::func(async move |ctx: &mut Context<Reply<u32>>| {
            while let Some(reply) = ctx.recv().await {
                target.tell(Msg::Drop(reply));
            }
            Ok(())
        })
    };
    let dropper = system.spawn("dropper", dropper).unwrap();
    let error = dropper
        .ask(|reply| reply)
        .within(secs(60))
        .await
        .unwrap_err();
    assert!(
        matches!(error, AskError::NoReply { by, .. } if by == target),
        "who dropped it"
    );
    assert_eq!(
        forwarder.ask(|reply| reply).within(secs(60)).await.unwrap(),
        "7"
    );

    let (seen, mut told) = journal();
    let listener = Props::func(async move |ctx: &mut Context<u32>| {
        while let Some(n) = ctx.recv().await {
            seen.send(n)?;
        }
        Ok(())
    });
    let listener = system.spawn("listener", listener).unwrap();
    target.tell(Msg::Answer(Reply::to(&listener)));
    assert_eq!(told.recv().await, Some(7));
    target.tell(Msg::Drop(Reply::to(&listener)));
    ask(&target, Msg::Answer).await.unwrap();
    assert_eq!(events.dead(DeadLetterReason::UnansweredReply), 2);
    end(&system).await;
}

#[tokio::test(start_paused = true)]
async fn gather_gives_each_question_its_own_answer_under_one_deadline() {
    let (system, _) = system();
    let targets = [spawn(&system), spawn(&system), spawn(&system)];
    let makes: [fn(Reply<u32>) -> Msg; 3] = [Msg::Answer, Msg::Never, Msg::Drop];
    let asks: Vec<_> = targets
        .iter()
        .zip(makes)
        .map(|(target, make)| target.ask(make))
        .collect();
    let answers = gather(asks, secs(1)).await;
    assert!(matches!(answers[0], Ok(7)));
    assert!(matches!(answers[1], Err(AskError::Timeout(ref late)) if late.fate() == Fate::Started));
    assert!(matches!(answers[2], Err(AskError::NoReply { .. })));
    targets[1].kill();
    end(&system).await;
}

#[test]
fn a_plain_thread_can_ask_and_send() {
    let (system, _) = system();
    let target = spawn(&system);
    assert_eq!(
        target.ask(Msg::Answer).blocking_within(secs(60)).unwrap(),
        7
    );
    let (sender, answers) = std::sync::mpsc::channel();
    let listener = Props::func(async move |ctx: &mut Context<u32>| {
        while let Some(n) = ctx.recv().await {
            sender.send(n)?;
        }
        Ok(())
    });
    let listener = system.spawn("listener", listener).unwrap();
    target
        .blocking_send(Msg::Answer(Reply::to(&listener)))
        .unwrap();
    target
        .blocking_reserve()
        .unwrap()
        .send(Msg::Answer(Reply::to(&listener)));
    assert_eq!((answers.recv().unwrap(), answers.recv().unwrap()), (7, 7));
    assert_clean(&system.blocking_shutdown());
}

#[tokio::test]
async fn a_question_that_was_never_sent_leaves_no_unanswered_reply() {
    let (system, events) = system();
    let target = system.spawn("target", Target::default).unwrap();
    drop(target.ask(Msg::Answer));
    drop(target.ask(Msg::Answer).within(secs(60)));
    drop(gather([target.ask(Msg::Answer)], secs(60)));
    assert_eq!(events.dead(DeadLetterReason::UnansweredReply), 0);
    end(&system).await;
}
