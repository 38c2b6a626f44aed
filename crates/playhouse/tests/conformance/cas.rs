//! Questions that an actor asks without waiting.

use crate::common::player::{Boom, Notes, Player, quietly};
use crate::common::{end, journal, system};
use playhouse::prelude::*;
use playhouse::testkit::{EventPattern, TestKit};
use std::thread;

type Answer<T> = Result<T, AskError>;

/// Answers each question with its number.
fn echo() -> Behavior<(u32, Reply<u32>)> {
    Behavior::receive(|_ctx, (n, reply): (u32, Reply<u32>)| {
        reply.send(n);
        Ok(echo())
    })
}

/// Takes questions and answers none.
fn silent(mut kept: Vec<Reply<u32>>) -> Behavior<(u32, Reply<u32>)> {
    Behavior::receive(move |_ctx, (_, reply)| {
        kept.push(reply);
        Ok(silent(kept))
    })
}

/// Asks, and yields the first message it gets of it.
fn asks<N: Send + 'static, T: Send + 'static>(
    kit: &TestKit,
    to: &ActorRef<N>,
    make: impl FnOnce(Reply<T>) -> N + Send + 'static,
) -> Answer<T> {
    let mut probe = kit.probe();
    let (told, to) = (probe.actor_ref().clone(), to.clone());
    let asker = Props::func(async move |ctx: &mut Context<Answer<T>>| {
        ctx.ask(&to, millis(10), make, |answer| answer);
        if let Some(answer) = ctx.recv().await {
            told.tell(answer);
        }
        Ok(())
    });
    kit.spawn("asker", asker);
    probe.expect_within(millis(10))
}

#[tokio::test]
async fn cas_01_the_mapper_runs_inside_the_asking_actor() {
    let (system, _events) = system();
    let own = system.dispatcher("fixed").unwrap();
    let other = system.dispatcher("pinned").unwrap();
    let echo = system
        .spawn("echo", Props::new(echo).dispatcher(&other))
        .unwrap();
    let (told, mut heard) = journal();
    let asker = Props::func(async move |ctx: &mut Context<(u32, String)>| {
        ctx.ask(
            &echo,
            secs(3),
            |reply| (7, reply),
            |answer| {
                let thread = thread::current().name().unwrap_or_default().to_owned();
                (answer.unwrap_or_default(), thread)
            },
        );
        if let Some((answer, thread)) = ctx.recv().await {
            let _ = told.send((answer, thread, ctx.me().to_string()));
        }
        Ok(())
    });
    system.spawn("asker", asker.dispatcher(&own)).unwrap();
    let (answer, thread, name) = heard.recv().await.unwrap();
    assert_eq!((answer, name.as_str()), (7, "/test/asker"));
    assert!(thread.starts_with("playhouse-fixed-"), "{thread}");
    end(&system).await;
}

#[test]
fn cas_02_the_mapper_fails_on_a_good_answer() {
    let (kit, notes) = (TestKit::new(), Notes::default());
    let echo = kit.spawn("echo", echo);
    let player = Player::called(&notes, "asker");
    let asker = kit.spawn("asker", move || player);
    asker.tell(quietly(move |ctx| {
        ctx.ask(&echo, secs(1), |reply| (1, reply), |_| panic!("cannot map"));
    }));
    kit.expect_event(&EventPattern::failure().of("/test/asker").text("cannot map"));
    kit.settle();
    assert_eq!(notes.read(), ["asker stops"]);
}

#[test]
fn cas_03_asking_an_actor_that_has_ended() {
    let kit = TestKit::new();
    let echo = kit.spawn("echo", echo);
    echo.stop();
    kit.block_on(echo.terminated());
    let error = asks(&kit, &echo, |reply| (1, reply)).unwrap_err();
    assert!(error.to_string().contains("it has ended"), "{error}");
    assert_eq!(kit.world().elapsed(), millis(0));
}

#[test]
fn cas_04_the_timeout_names_target_message_and_limit() {
    let kit = TestKit::new();
    let silent = kit.spawn("silent", || silent(Vec::new()));
    let text = asks(&kit, &silent, |reply| (1, reply))
        .unwrap_err()
        .to_string();
    let message = std::any::type_name::<(u32, Reply<u32>)>();
    for part in ["/test/silent", message, "10 ms"] {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

#[test]
fn cas_05_answers_of_one_actor_come_in_the_order_of_the_questions() {
    fn noting(told: ActorRef<u32>) -> Behavior<(u32, Reply<u32>)> {
        Behavior::receive(move |_ctx, (n, reply): (u32, Reply<u32>)| {
            told.tell(n);
            reply.send(n);
            Ok(noting(told))
        })
    }
    let kit = TestKit::new();
    let (mut asked, mut answered) = (kit.probe(), kit.probe());
    let (told, answers) = (asked.actor_ref().clone(), answered.actor_ref().clone());
    let echo = kit.spawn("echo", move || noting(told));
    let asker = Props::func(async move |ctx: &mut Context<Answer<u32>>| {
        for n in 1..=100 {
            ctx.ask(&echo, secs(1), |reply| (n, reply), |answer| answer);
        }
        while let Some(answer) = ctx.recv().await {
            answers.tell(answer?);
        }
        Ok(())
    });
    kit.spawn("asker", asker);
    let in_order: Vec<_> = (1..=100).collect();
    assert_eq!(asked.expect_n(100), in_order);
    assert_eq!(answered.expect_n(100), in_order);
}

#[test]
fn cas_06_with_status() {
    type Status = Result<u32, Failure>;
    fn checked() -> Behavior<(Status, Reply<Status>)> {
        Behavior::receive(|_ctx, (status, reply): (Status, Reply<Status>)| {
            reply.send(status);
            Ok(checked())
        })
    }
    fn ask(status: Status) -> Status {
        let kit = TestKit::new();
        let checked = kit.spawn("checked", checked);
        asks(&kit, &checked, move |reply| (status, reply))?
    }
    assert_eq!(ask(Ok(7)).unwrap(), 7);
    let text = ask(Err("too little money".into())).unwrap_err();
    assert_eq!(text.to_string(), "too little money");
    assert!(ask(Err(Boom.into())).unwrap_err().find::<Boom>().is_some());
}
