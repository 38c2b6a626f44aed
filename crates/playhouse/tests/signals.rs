//! A program that is asked to end: once, it ends in order; twice, at once. The program is this test binary, started again.
#![cfg(unix)]

use playhouse::prelude::*;
use playhouse::{BuildError, Phase};
use rustix::process::{Pid, Signal as Unix, kill_process};
use std::env;
use std::future::pending;
use std::io::{BufRead, BufReader, Lines};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio, exit};
use std::thread;

/// Says to this binary that it is the program, and what it does.
const PROGRAM: &str = "PLAYHOUSE_TEST_PROGRAM";

/// No test, but what the others start.
#[test]
fn the_program() {
    let Ok(does) = env::var(PROGRAM) else {
        return;
    };
    thread::spawn(|| {
        thread::sleep(secs(60)); // sleeps: so that no test waits for ever for a program that does not end
        exit(99)
    });
    let mut builder = ActorSystem::builder("program");
    if does != "does not listen" {
        builder = builder.shutdown_on_signals();
    }
    let system = builder.build().unwrap();
    let hangs = does == "hangs";
    system.on_shutdown(Phase::CloseDoors, "doors", async move || {
        println!("doors");
        match hangs {
            true => pending().await,
            false => Ok(()),
        }
    });
    println!("ready");
    if does == "goes on" {
        system.blocking_shutdown();
        println!("goes on");
        pending_thread();
    }
    let report = system.blocking_terminated();
    println!("ended: {}", report.reason);
    exit(7)
}

fn pending_thread() -> ! {
    loop {
        thread::park();
    }
}

/// The program as it runs.
struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    fn start(does: &str) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "the_program", "--nocapture"])
            .env(PROGRAM, does)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut running = Self { child, lines };
        running.expect("ready");
        running
    }

    /// Reads on until the program says this.
    #[track_caller]
    fn expect(&mut self, says: &str) {
        let found = self
            .lines
            .by_ref()
            .any(|line| line.unwrap().ends_with(says));
        assert!(found, "it never said {says:?}");
    }

    fn send(&self, signal: Unix) {
        let id = Pid::from_child(&self.child);
        kill_process(id, signal).unwrap();
    }

    fn ended(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

#[test]
fn the_first_signal_ends_the_system_in_order_and_is_its_reason() {
    for (signal, name) in [(Unix::TERM, "SIGTERM"), (Unix::INT, "SIGINT")] {
        let mut program = Running::start("ends in order");
        program.send(signal);
        program.expect("doors");
        program.expect(&format!("ended: the process received {name}"));
        assert_eq!(program.ended().code(), Some(7), "its own exit code");
    }
}

#[test]
fn the_second_signal_ends_the_program_at_once_with_the_code_of_the_signal() {
    for (second, code) in [(Unix::TERM, 143), (Unix::INT, 130)] {
        let mut program = Running::start("hangs");
        program.send(Unix::TERM);
        program.expect("doors");
        program.send(second);
        assert_eq!(program.ended().code(), Some(code));
    }
}

#[test]
fn a_program_that_goes_on_after_its_system_ends_at_the_first_signal() {
    let mut program = Running::start("goes on");
    program.expect("goes on");
    program.send(Unix::TERM);
    assert_eq!(program.ended().code(), Some(143));
}

#[test]
fn a_system_that_was_not_told_to_listen_leaves_signals_alone() {
    let program = Running::start("does not listen");
    program.send(Unix::TERM);
    assert_eq!(program.ended().signal(), Some(15));
}

#[test]
fn where_no_signal_can_be_heard_there_is_no_system() {
    let builder = || ActorSystem::builder("test").shutdown_on_signals();
    assert!(matches!(
        builder().build_stepped(0),
        Err(BuildError::NoSignals(_))
    ));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let refused = runtime.block_on(async { builder().build() });
    let Err(BuildError::NoSignals(why)) = refused else {
        panic!("{refused:?}")
    };
    assert!(why.to_string().contains("enable_io"), "{why}");
}
