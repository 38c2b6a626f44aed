//! The workloads as a table: how long each runs, and what the runtime is to reach in it.
//!
//! The goals were set on two cores of an x86-64 virtual machine with two workers. On another machine the ratio to Tokio is
//! the figure that carries over; the nanoseconds do not.

/// Workers that the goals were set with.
pub(super) const WORKERS: u64 = 2;

/// Rounds unless said otherwise: the middle of five is not moved by two bad ones.
pub(super) const ROUNDS: u64 = 5;

/// The workload that measures memory.
pub(super) const IDLE: &str = "idle";

/// One workload of the benches.
#[derive(Debug)]
pub struct Workload {
    /// What the program calls it.
    pub name: &'static str,
    /// What one operation is.
    pub operation: &'static str,
    /// How many a sample has: a few hundred milliseconds of the slower side.
    pub operations: u64,
    /// The figure of a sample that is held to the goal.
    pub figure: &'static str,
    /// What is to be reached; `None` where the figure is only for comparison.
    pub goal: Option<Goal>,
}

/// What the runtime is to reach in one workload.
#[derive(Debug)]
pub struct Goal {
    /// CPU nanoseconds or bytes per operation.
    pub at_most: f64,
    /// The same when both workers shared the load, where that moves messages from core to core.
    pub when_spread: Option<f64>,
    /// Tokio's figure divided by ours.
    pub ratio: f64,
}

const fn goal(at_most: f64, ratio: f64) -> Option<Goal> {
    Some(Goal {
        at_most,
        when_spread: None,
        ratio,
    })
}

const fn timed(
    name: &'static str,
    operation: &'static str,
    operations: u64,
    goal: Option<Goal>,
) -> Workload {
    Workload {
        name,
        operation,
        operations,
        figure: "cpu_ns",
        goal,
    }
}

/// Every workload with a table row, the plain ones first.
pub const WORKLOADS: &[Workload] = &[
    timed("ping-pong", "round trip", 1_000_000, goal(65.0, 4.5)),
    timed("ring-100", "hop", 2_000_000, goal(27.0, 4.0)),
    timed("ring-503", "hop", 2_000_000, goal(27.0, 4.0)),
    timed("counting", "message", 2_000_000, goal(14.0, 3.8)),
    timed("fan-in", "message", 2_000_000, None),
    timed("fan-in-bounded", "message", 2_000_000, goal(18.0, 4.8)),
    timed(
        "spawn",
        "actor made, told once, stopped",
        200_000,
        goal(380.0, 3.3),
    ),
    Workload {
        name: IDLE,
        operation: "idle actor",
        operations: 200_000,
        figure: "bytes",
        goal: goal(320.0, 3.6),
    },
    timed("ask", "answer, one actor asks", 500_000, goal(115.0, 2.8)),
    timed("ask-16", "answer, 16 actors ask", 500_000, None),
    timed(
        "ask-task",
        "answer, one Tokio task asks",
        500_000,
        goal(320.0, 1.3),
    ),
    timed(
        "ask-task-16",
        "answer, 16 Tokio tasks ask",
        500_000,
        goal(150.0, 1.3),
    ),
    timed(
        "ask-in-handler",
        "message with one ask awaited",
        500_000,
        goal(120.0, 3.8),
    ),
    Workload {
        name: "big",
        operation: "ping and pong",
        operations: 1_000_000,
        figure: "cpu_ns",
        goal: Some(Goal {
            at_most: 65.0,
            when_spread: Some(130.0),
            ratio: 2.2,
        }),
    },
    timed("chameneos", "meeting", 300_000, goal(140.0, 4.0)),
    timed("work", "message with 1 µs of work", 200_000, None),
];
