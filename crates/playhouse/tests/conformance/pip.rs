//! Results of futures, as messages.

use crate::common::{end, journal, system};
use playhouse::prelude::*;
use std::thread;

enum Msg {
    Piped {
        result: Result<u32, String>,
        mapped_on: String,
    },
}

fn thread_name() -> String {
    thread::current().name().unwrap_or_default().to_owned()
}

/// What a pipe of this result yields, the threads it was mapped and handled on, and who handled it.
async fn piped(result: Result<u32, String>) -> (Result<u32, String>, [String; 2], String) {
    let (system, _events) = system();
    let own = system.dispatcher("fixed").unwrap();
    let (told, mut heard) = journal();
    let actor = Props::func(async move |ctx: &mut Context<Msg>| {
        let future = async move {
            tokio::task::yield_now().await;
            result
        };
        ctx.pipe_to_self(future, |result| Msg::Piped {
            result,
            mapped_on: thread_name(),
        });
        if let Some(Msg::Piped { result, mapped_on }) = ctx.recv().await {
            let threads = [mapped_on, thread_name()];
            let _ = told.send((result, threads, ctx.me().to_string()));
        }
        Ok(())
    });
    system.spawn("actor", actor.dispatcher(&own)).unwrap();
    let heard = heard.recv().await.unwrap();
    end(&system).await;
    heard
}

fn assert_own_dispatcher(threads: [String; 2]) {
    for thread in threads {
        assert!(thread.starts_with("playhouse-fixed-"), "{thread}");
    }
}

#[tokio::test]
async fn pip_01_a_result_is_mapped_and_handled_by_the_actor_itself() {
    let (result, threads, name) = piped(Ok(7)).await;
    assert_eq!((result, name.as_str()), (Ok(7), "/test/actor"));
    assert_own_dispatcher(threads);
}

#[tokio::test]
async fn pip_02_so_is_an_error() {
    let (result, threads, _name) = piped(Err("no network".into())).await;
    assert_eq!(result, Err("no network".to_owned()));
    assert_own_dispatcher(threads);
}

// does not compile: PIP-03: what a pipe yields is a message; one that may be nothing has a variant for it
