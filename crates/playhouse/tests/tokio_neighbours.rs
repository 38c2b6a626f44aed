//! Actors are good neighbours on Tokio's workers: its sockets and tasks go on while actors flood, its budget for one task
//! does not hit an actor, and the runtime may be driven by fits and starts, or go away first.

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{Event, FuncProps};
use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;

/// More than the operations that Tokio allows a task in one poll.
const VALUES: u32 = 200;

/// Hundreds of actors share a slice of one driver's task. If they shared its budget too, a full channel would read as
/// pending, and the handlers would need more than one poll.
#[test]
fn a_full_channel_is_read_to_its_end_in_one_poll_by_each_of_300_actors() {
    for runtime in [current_thread(), multi_thread()] {
        runtime.block_on(async {
            let (system, _) = system();
            let (polled, mut polls) = journal();
            let reader = || {
                let (values, channel) = mpsc::channel(VALUES as usize);
                (0..VALUES).for_each(|value| values.try_send(value).unwrap());
                let polled = polled.clone();
                let body = Props::func(async move |ctx: &mut Context<()>| {
                    while ctx.recv().await.is_some() {}
                    polled.send(polls_of(read_all(channel)).await)?;
                    Ok(())
                });
                system.spawn_anonymous(body)
            };
            let readers = [(); 300].map(|()| reader());
            for reader in &readers {
                reader.drain();
                reader.terminated().await;
            }
            assert_eq!(read(&mut polls), vec![1; readers.len()]);
            end(&system).await;
        });
    }
}

async fn read_all(mut channel: mpsc::Receiver<u32>) {
    for value in 0..VALUES {
        assert_eq!(channel.recv().await, Some(value));
    }
}

async fn polls_of(work: impl Future<Output = ()>) -> u32 {
    let mut work = pin!(work);
    let mut polls = 0;
    poll_fn(|context| {
        polls += 1;
        work.as_mut().poll(context).map(|()| polls)
    })
    .await
}

/// A flood that starved the sockets would come to its end before the answers.
#[test]
fn a_socket_is_served_by_the_thread_that_20_actors_flood() {
    const ENOUGH: u64 = 50_000_000;
    struct Flood(Arc<AtomicU64>, Arc<AtomicBool>);
    impl Actor for Flood {
        type Msg = ();
        async fn receive(&mut self, ctx: &mut Context<()>, (): ()) -> Outcome {
            let is_enough = self.0.fetch_add(1, Ordering::Relaxed) >= ENOUGH;
            if !is_enough && !self.1.load(Ordering::Relaxed) {
                ctx.me().tell(());
            }
            Ok(())
        }
    }
    current_thread().block_on(async {
        let (system, _) = system();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(echo(listener));
        let (handled, is_over) = (Arc::<AtomicU64>::default(), Arc::<AtomicBool>::default());
        for _ in 0..20 {
            let (handled, is_over) = (handled.clone(), is_over.clone());
            let flood = system.spawn_anonymous(move || Flood(handled, is_over));
            flood.tell(());
        }
        let mut client = TcpStream::connect(address).await.unwrap();
        for request in 0..200_u32 {
            client.write_all(&request.to_le_bytes()).await.unwrap();
            assert_eq!(client.read_u32_le().await.unwrap(), request);
        }
        let handled = handled.load(Ordering::Relaxed);
        assert!(handled > 200 && handled < ENOUGH, "{handled}");
        is_over.store(true, Ordering::Relaxed);
        drop(client);
        server.await.unwrap().unwrap();
        end(&system).await;
    });
}

async fn echo(listener: TcpListener) -> std::io::Result<()> {
    let (mut client, _) = listener.accept().await?;
    let (mut requests, mut answers) = client.split();
    tokio::io::copy(&mut requests, &mut answers).await?;
    Ok(())
}

/// Between two calls of `block_on` nothing moves; what was queued meanwhile is there for the next one.
#[test]
fn two_systems_on_a_runtime_that_runs_only_inside_block_on() {
    let runtime = current_thread();
    let systems = {
        let _inside = runtime.enter();
        [system().0, system().0]
    };
    let counters = systems.each_ref().map(|system| {
        let count = Props::func(async |ctx: &mut Context<Count>| {
            let mut count = 0;
            while let Some(msg) = ctx.recv().await {
                match msg {
                    Count::Add => count += 1,
                    Count::Get(reply) => reply.send(count),
                }
            }
            Ok(())
        });
        system.spawn("counter", count).unwrap()
    });
    for round in 1..=100 {
        counters.iter().for_each(|counter| counter.tell(Count::Add));
        for counter in &counters {
            let counted = runtime.block_on(counter.ask(Count::Get).within(secs(60)));
            assert_eq!(counted.unwrap(), round);
        }
    }
    for system in &systems {
        runtime.block_on(end(system));
    }
}

enum Count {
    Add,
    Get(Reply<u32>),
}

/// A third of them is idle, a third waits in a handler, and a third has messages queued behind such a wait.
#[test]
fn a_runtime_that_goes_away_ends_a_thousand_actors_of_three_generations_as_shutdown() {
    for runtime in [current_thread(), multi_thread()] {
        let (system, events) = {
            let _inside = runtime.enter();
            system()
        };
        let (born, mut births) = journal();
        for _ in 0..10 {
            system.spawn_anonymous(generation(&[9, 10], &born));
        }
        runtime.block_on(async {
            for _ in 0..1_000 {
                births.recv().await.unwrap();
            }
        });
        let accepted = system.ledger().accepted;
        drop(runtime);
        let outside = current_thread();
        let report = outside.block_on(system.shutdown());
        assert_clean(&report);
        assert!(report.ledger.dead > 0 && report.ledger.interrupted > 0);
        assert_eq!(report.ledger.accepted, accepted, "{report:?}");
        let ended = |event: &Event| matches!(event, Event::Ended { exit, .. } if matches!(exit, Exit::Shutdown));
        assert_eq!(events.count(ended), 1_000);
        assert_eq!(
            events.count(|event| matches!(event, Event::Ended { .. })),
            1_000
        );
    }
}

/// Has so many children, which have so many.
fn generation(children: &'static [usize], born: &mpsc::UnboundedSender<()>) -> FuncProps<()> {
    let born = born.clone();
    Props::func(async move |ctx: &mut Context<()>| {
        if let [count, more @ ..] = children {
            for index in 0..*count {
                let child = ctx.spawn_anonymous(generation(more, &born));
                (0..2 * (index % 3)).for_each(|_| child.tell(()));
            }
        }
        ctx.me().tell(());
        ctx.recv().await;
        born.send(())?;
        if ctx.recv().await.is_some() {
            pending::<()>().await;
        }
        Ok(())
    })
}

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn multi_thread() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}
