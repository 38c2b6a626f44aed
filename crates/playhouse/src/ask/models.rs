//! One ask under loom, with the threads that may hold its parts.

use super::cell::{End, Target};
use super::handles::{Asker, Fired, Progress, Question, Replier, Watch, open};
use super::{Fate, NoReply, Unanswered};
use crate::actor::Message;
use crate::cell::{Core, CoreRef};
use crate::clock::Deadline;
use loom::future::block_on;
use loom::thread;
use std::future::poll_fn;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

type Token = std::sync::Arc<()>;

/// An actor as far as its asks can tell, and what proves that it is let go.
pub(crate) struct Nobody(#[expect(dead_code, reason = "it is there to be dropped")] Token);

impl Target for Nobody {
    fn core(&self) -> NonNull<Core> {
        NonNull::dangling() // no model looks at it
    }
    fn keep(&self) -> Option<CoreRef> {
        None
    }
    fn request() -> &'static str {
        "nothing"
    }
    fn forsaken<T: Message>(reply: Replier<T>) {
        let _ = reply.answer(Err(Box::new(Unanswered {
            by: None,
            why: NoReply::Dropped,
        })));
    }
}

fn soon() -> Deadline {
    Deadline::at(std::time::Instant::now())
}

/// Sent, with everybody's part.
fn sent(token: &Token) -> (Asker<Nobody, Token>, Replier<Token>, Question) {
    let (mut asker, reply) = open(Nobody(token.clone()));
    asker.ask(soon(), Waker::noop().clone());
    let question = asker.question();
    (asker, reply, question)
}

/// A watch, with the asker to whom it belongs.
pub(crate) fn watched() -> (Asker<Nobody, Token>, Watch) {
    let (mut asker, _, _) = sent(&Token::default());
    let watch = asker.watch();
    (asker, watch)
}

fn wait(asker: &mut Asker<Nobody, Token>) -> End {
    block_on(poll_fn(|context| asker.poll(context)))
}

/// Whatever happens, at the end nothing of the ask is left.
fn model(ask: impl Fn(&Token) + Send + Sync + 'static) {
    loom::model(move || {
        let token = Token::default();
        ask(&token);
        assert_eq!(Token::strong_count(&token), 1, "leaked");
    });
}

#[test]
fn an_answer_wakes_whoever_polls() {
    model(|token| {
        let (mut asker, reply) = open(Nobody(token.clone()));
        let mut parts = Some((reply, token.clone()));
        let mut answers = None;
        let end = block_on(poll_fn(|context| {
            if let Some((reply, value)) = parts.take() {
                asker.ask(soon(), context.waker().clone());
                let question = asker.question();
                answers = Some(thread::spawn(move || {
                    assert!(question.start().is_some());
                    assert!(reply.answer(Ok(value)).is_ok());
                }));
                return Poll::Pending; // so that the first waker alone has to do
            }
            asker.poll(context)
        }));
        assert_eq!(end, End::Answered);
        assert_eq!(asker.fate(), Fate::Started);
        assert!(asker.take().is_ok());
        drop(asker);
        answers.map(|answers| answers.join().unwrap());
    });
}

/// The reply was given away before the first poll.
#[test]
fn an_early_answer_is_seen_or_wakes() {
    model(|token| {
        let (mut asker, reply) = open(Nobody(token.clone()));
        let value = token.clone();
        let answers = thread::spawn(move || assert!(reply.answer(Ok(value)).is_ok()));
        let mut is_asked = false;
        let end = block_on(poll_fn(|context| {
            if std::mem::replace(&mut is_asked, true) {
                return asker.poll(context);
            }
            asker.ask(soon(), context.waker().clone());
            asker.ended()
        }));
        assert_eq!(end, End::Answered);
        assert!(asker.take().is_ok());
        drop(asker);
        answers.join().unwrap();
    });
}

#[test]
fn an_answer_wakes_the_latest_waker() {
    model(|token| {
        let (mut asker, reply, question) = sent(token);
        let value = token.clone();
        let answers = thread::spawn(move || {
            drop(question);
            assert!(reply.answer(Ok(value)).is_ok());
        });
        assert_eq!(wait(&mut asker), End::Answered);
        drop(asker); // without the answer
        answers.join().unwrap();
    });
}

#[test]
fn an_answer_comes_in_time_or_is_handed_back() {
    model(|token| {
        let (asker, reply, question) = sent(token);
        let value = token.clone();
        let answers = thread::spawn(move || match reply.answer(Ok(value)) {
            Ok(()) => {}
            Err((reply, late)) => assert!(reply.is_abandoned() && late.is_ok()),
        });
        drop(asker);
        question.start();
        answers.join().unwrap();
    });
}

/// Whoever is looked at is woken where it is.
#[test]
fn an_answer_wakes_a_waker_that_was_seen() {
    model(|token| {
        let (mut asker, reply, question) = sent(token);
        drop(question);
        let watch = asker.watch();
        let looks = thread::spawn(move || {
            assert!(watch.who_waits().is_none(), "no actor waits here");
            watch
        });
        let value = token.clone();
        let answers = thread::spawn(move || assert!(reply.answer(Ok(value)).is_ok()));
        let watch = looks.join().unwrap();
        answers.join().unwrap();
        assert_eq!(watch.progress(), Progress::Over);
        assert!(asker.take().is_ok());
        asker.unwatch(watch);
    });
}

/// Cut off, an ask takes no answer, and the reply knows.
#[test]
fn a_wait_is_cut_or_answered() {
    model(|token| {
        let (mut asker, reply, question) = sent(token);
        drop(question);
        let watch = asker.watch();
        let cuts = thread::spawn(move || watch.cut().map(Fired::wake).is_some());
        let value = token.clone();
        let is_answered = match reply.answer(Ok(value)) {
            Ok(()) => true,
            Err((reply, late)) => !(reply.is_abandoned() && late.is_ok()),
        };
        assert_ne!(cuts.join().unwrap(), is_answered);
        let end = if is_answered { End::Answered } else { End::Due };
        assert_eq!(asker.ended(), Poll::Ready(end));
    });
}

#[test]
fn a_dropped_reply_is_an_answer() {
    model(|token| {
        let (mut asker, reply, question) = sent(token);
        let drops = thread::spawn(move || drop(reply));
        assert_eq!(wait(&mut asker), End::Answered);
        assert!(asker.take().is_err());
        drop(asker);
        drop(question);
        drops.join().unwrap();
    });
}

#[test]
fn the_last_of_three_frees() {
    model(|token| {
        let (asker, reply, question) = sent(token);
        let drops = thread::spawn(move || drop(reply));
        let starts = thread::spawn(move || question.start());
        drop(asker);
        drops.join().unwrap();
        starts.join().unwrap();
    });
}

/// Three threads of which one also waits are too many ways to try: here the asker looks once, with a new waker.
#[test]
fn a_deadline_or_an_answer_ends_the_wait() {
    model(|token| {
        let (mut asker, reply, question) = sent(token);
        drop(question);
        let watch = asker.watch();
        let value = token.clone();
        let fires = thread::spawn(move || watch.fire().map(Fired::wake));
        let answers = thread::spawn(move || drop(reply.answer(Ok(value))));
        let deaf = Waker::from(Arc::new(Deaf));
        let seen = asker.poll(&Context::from_waker(&deaf));
        fires.join().unwrap();
        answers.join().unwrap();
        let now = asker.poll(&Context::from_waker(&deaf));
        assert_eq!(now, Poll::Ready(End::Answered));
        assert!(asker.was_due() || seen != Poll::Ready(End::Due));
    });
}

#[test]
fn a_deadline_wakes_the_latest_waker() {
    model(|token| {
        let (mut asker, reply, question) = sent(token);
        let watch = asker.watch();
        let fires = thread::spawn(move || watch.fire().map(Fired::wake));
        let _ = asker.poll(&Context::from_waker(&Waker::from(Arc::new(Deaf))));
        assert_eq!(wait(&mut asker), End::Due);
        drop(asker);
        drop((reply, question));
        fires.join().unwrap();
    });
}

/// Another one than the noop waker, that wakes nobody either.
struct Deaf;
impl std::task::Wake for Deaf {
    fn wake(self: Arc<Self>) {}
}
