//! Promise 10: a cancelled or replaced tick is never delivered, not even when already queued; all end with the actor.

mod common;

use common::*;
use playhouse::prelude::*;
use std::future::Future;
use std::time::Duration;

/// Runs a function actor under a clock that moves only when everybody waits for it.
async fn play<F>(body: F)
where
    F: AsyncFnOnce(&mut Context<&'static str>) -> Outcome,
    F: for<'a> playhouse::SendTurn<'a, &'static str, ()> + Send + 'static,
{
    let (system, _) = system();
    let exit = system
        .spawn_anonymous(Props::func(body).mailbox(Mailbox::bounded(1)))
        .terminated()
        .await;
    assert!(matches!(exit, Exit::Stopped), "{exit}");
    end(&system).await;
}

fn since(ctx: &Context<&'static str>, begin: std::time::Instant) -> Duration {
    Duration::from_secs((ctx.clock().now() - begin).as_secs())
}

fn idle(ctx: &Context<&'static str>, time: Duration) -> impl Future<Output = ()> + Send + use<> {
    let clock = ctx.clock().clone();
    async move { clock.sleep(time).await } // sleeps: on a paused clock
}

#[tokio::test(start_paused = true)]
async fn once_ticks_once_and_is_active_until_then() {
    play(async |ctx| {
        let begin = ctx.clock().now();
        ctx.timers().once("a", secs(5), "tick");
        ctx.timers().once(7, secs(1), "first");
        assert!(ctx.timers().is_active("a") && !ctx.timers().is_active("b"));
        assert_eq!(ctx.recv().await, Some("first"));
        assert_eq!(ctx.recv().await, Some("tick"));
        assert_eq!(since(ctx, begin), secs(5));
        assert!(!ctx.timers().is_active("a"));
        Ok(())
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_or_replaced_tick_is_never_delivered_even_when_queued() {
    play(async |ctx| {
        ctx.timers().once("cancelled", secs(1), "cancelled");
        ctx.timers().once("replaced", secs(1), "old");
        ctx.timers().once("kept", secs(1), "kept");
        idle(ctx, secs(2)).await; // all three are in the mailbox now
        ctx.timers().cancel("cancelled");
        ctx.timers().once("replaced", secs(1), "new");
        assert_eq!(ctx.recv().await, Some("kept"));
        assert_eq!(ctx.recv().await, Some("new"));
        Ok(())
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn fixed_rate_keeps_the_schedule_and_merges_what_was_missed() {
    play(async |ctx| {
        let begin = ctx.clock().now();
        ctx.timers().fixed_rate("beat", secs(10), || "beat");
        assert_eq!(
            (ctx.recv().await, since(ctx, begin)),
            (Some("beat"), secs(10))
        );
        idle(ctx, secs(35)).await; // those of 20, 30 and 40 seconds are one
        assert_eq!(
            (ctx.recv().await, since(ctx, begin)),
            (Some("beat"), secs(45))
        );
        assert_eq!(
            (ctx.recv().await, since(ctx, begin)),
            (Some("beat"), secs(50))
        );
        assert!(ctx.timers().is_active("beat"));
        Ok(())
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn fixed_delay_waits_from_the_end_of_the_last_handler() {
    play(async |ctx| {
        let begin = ctx.clock().now();
        ctx.timers().fixed_delay("delay", secs(10), || "tick");
        assert_eq!(
            (ctx.recv().await, since(ctx, begin)),
            (Some("tick"), secs(10))
        );
        idle(ctx, secs(35)).await; // the handler takes that long
        assert_eq!(
            (ctx.recv().await, since(ctx, begin)),
            (Some("tick"), secs(55))
        );
        ctx.timers().cancel("delay");
        assert!(!ctx.timers().is_active("delay"));
        Ok(())
    })
    .await;
}

/// OWN-03, the timers: a full mailbox of one place.
#[tokio::test(start_paused = true)]
async fn own_03_a_tick_is_outside_the_capacity() {
    play(async |ctx| {
        ctx.me().try_send("filler")?;
        assert!(ctx.me().try_send("too much").is_err());
        ctx.timers().once("tick", secs(1), "tick");
        idle(ctx, secs(2)).await;
        assert_eq!(ctx.recv().await, Some("filler"));
        assert_eq!(ctx.recv().await, Some("tick"));
        Ok(())
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn timers_end_with_their_actor_and_hold_up_no_drain() {
    let (system, _) = system();
    let (made, mut ticks) = journal();
    let ticking = Props::func(async move |ctx: &mut Context<()>| {
        ctx.timers()
            .fixed_rate("beat", secs(1), move || made.send(()).unwrap_or_default());
        while ctx.recv().await.is_some() {}
        Ok(())
    });
    let ticking = system.spawn_anonymous(ticking);
    ticks.recv().await;
    ticking.drain();
    assert!(matches!(ticking.terminated().await, Exit::Drained));
    assert_eq!(ticks.recv().await, None, "what makes the ticks is dropped");
    end(&system).await;
}

#[tokio::test(start_paused = true)]
async fn the_first_tick_has_a_wait_of_its_own_where_that_is_said() {
    play(async |ctx| {
        let begin = ctx.clock().now();
        let mut timers = ctx.timers();
        timers.fixed_rate_after("rate", secs(5), secs(10), || "rate");
        timers.fixed_delay_after("delay", secs(1), secs(20), || "delay");
        for expected in [
            ("delay", 1),
            ("rate", 5),
            ("rate", 15),
            ("delay", 21),
            ("rate", 25),
        ] {
            let tick = ctx.recv().await.ok_or("stopped")?;
            assert_eq!((tick, since(ctx, begin).as_secs()), expected);
        }
        Ok(())
    })
    .await;
}
