//! The stash.

use crate::common::player::{Boom, Cue, Notes, Player, quietly};
use crate::common::stage::{Stage, on_stage};
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, StashFull};

/// An actor that appends letters, or sets them aside.
#[derive(Debug, PartialEq)]
enum Letter {
    Is(&'static str),
    /// So many of those set aside come back.
    Unstash(usize),
    Get,
}

use Letter::{Get, Is, Unstash};

fn tell<const N: usize>(stage: &Stage, to: &ActorRef<Letter>, letters: [Letter; N]) {
    letters.into_iter().for_each(|letter| to.tell(letter));
    stage.world.settle();
}

#[test]
fn sta_01_empty_and_not_empty() {
    on_stage(|stage| {
        let actor = stage.player("actor");
        assert_eq!(stage.ask(&actor, |ctx| ctx.stashed()), 0);
        let stash = |ctx: &mut Context<Cue>| ctx.stash(Cue::Say("m1")).is_ok();
        assert!(stage.ask(&actor, stash));
        assert_eq!(stage.ask(&actor, |ctx| ctx.stashed()), 1);
    });
}

/// What is set aside by a player.
fn lines(ctx: &Context<Cue>) -> Vec<&'static str> {
    let line = |cue: &Cue| match cue {
        Cue::Say(line) => *line,
        _ => "an act",
    };
    ctx.stashed_messages().map(line).collect()
}

fn stash(stage: &Stage, actor: &ActorRef<Cue>, line: &'static str) -> Result<(), StashFull<Cue>> {
    stage.ask(actor, move |ctx| ctx.stash(Cue::Say(line)))
}

// differs: STA-02: an empty stash has no head, which is `None`; what is unstashed leaves when the actor takes it
#[test]
fn sta_02_append_look_at_the_head_and_drop_one_by_taking_it() {
    on_stage(|stage| {
        let actor = stage.player("actor");
        let head = || stage.ask(&actor, |ctx| (ctx.stashed(), lines(ctx).first().copied()));
        assert_eq!(head(), (0, None));
        stash(stage, &actor, "m1").unwrap();
        assert_eq!(head(), (1, Some("m1")));
        stash(stage, &actor, "m2").unwrap();
        assert_eq!(head(), (2, Some("m1")));
        stage.tell(&actor, quietly(|ctx| ctx.unstash(1)));
        assert_eq!(head(), (1, Some("m2")));
        stage.tell(&actor, quietly(|ctx| ctx.unstash(1)));
        assert_eq!(head(), (0, None));
        stage.expect(["m1", "m2"]);
    });
}

#[test]
fn sta_03_the_fourth_message_overflows_a_stash_of_three() {
    on_stage(|stage| {
        let player = Player::new(&stage.notes);
        let actor = stage.spawn("actor", Props::new(move || player).stash(3));
        for line in ["m1", "m2", "m3"] {
            stash(stage, &actor, line).unwrap();
        }
        let full = stash(stage, &actor, "m4").unwrap_err();
        assert!(full.to_string().contains("stash is full"), "{full}");
        assert!(matches!(full.into_message(), Cue::Say("m4")));
        assert_eq!(stage.ask(&actor, |ctx| ctx.stashed()), 3);
    });
}

#[test]
fn sta_04_iteration_is_in_order() {
    on_stage(|stage| {
        let actor = stage.player("actor");
        for line in ["m1", "m2", "m3"] {
            stash(stage, &actor, line).unwrap();
        }
        assert_eq!(stage.ask(&actor, |ctx| lines(ctx)), ["m1", "m2", "m3"]);
        let unstash_one = |ctx: &mut Context<Cue>| {
            ctx.unstash(1);
            lines(ctx) // until it is taken it is still there
        };
        assert_eq!(stage.ask(&actor, unstash_one), ["m1", "m2", "m3"]);
        assert_eq!(stage.ask(&actor, |ctx| lines(ctx)), ["m2", "m3"]);
    });
}

/// Sets aside until it is told to take back, then appends, each letter in a behaviour of its own.
fn collects(notes: Notes, text: String, is_open: bool) -> Behavior<Letter> {
    Behavior::receive(move |ctx, letter| match letter {
        Unstash(_) => {
            ctx.unstash_all();
            Ok(collects(notes, text, true))
        }
        Is(letter) if is_open => Ok(collects(notes, text + letter, true)),
        Get if is_open => {
            notes.say(format!("{text}, {} stashed", ctx.stashed()));
            Ok(collects(notes, text, true))
        }
        early => {
            ctx.stash(early)?;
            Ok(collects(notes, text, false))
        }
    })
}

#[test]
fn sta_06_what_comes_back_follows_the_behaviours() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let actor = stage.spawn("actor", move || collects(notes, String::new(), false));
        tell(stage, &actor, [Is("m1"), Is("m2"), Is("m3")]);
        stage.expect([]);
        tell(stage, &actor, [Unstash(9), Get]);
        stage.expect(["m1m2m3, 0 stashed"]);
    });
}

/// What a struct does with a letter that comes back from the stash.
type Rule = fn(&mut Context<Letter>, &'static str) -> Outcome<bool>;

/// Sets everything aside until it is told to take back, then appends what the rule lets it.
struct Book {
    notes: Notes,
    rule: Rule,
    is_open: bool,
    text: String,
}

impl Book {
    fn new(stage: &Stage, rule: Rule) -> ActorRef<Letter> {
        let notes = stage.notes.clone();
        let book = move || Book {
            notes,
            rule,
            is_open: false,
            text: String::new(),
        };
        stage.spawn("book", book)
    }
}

impl Actor for Book {
    type Msg = Letter;
    async fn receive(&mut self, ctx: &mut Context<Letter>, letter: Letter) -> Outcome {
        match letter {
            Unstash(at_most) => {
                self.is_open = true;
                ctx.unstash(at_most);
            }
            Get => {
                let stashed: Vec<_> = ctx.stashed_messages().collect();
                self.notes.say(format!("{} {stashed:?}", self.text));
            }
            Is(letter) if self.is_open => {
                if (self.rule)(ctx, letter)? {
                    self.text += letter;
                }
            }
            early => ctx.stash(early)?,
        }
        Ok(())
    }
}

#[test]
fn sta_08_what_is_stashed_while_unstashing_does_not_come_back_by_itself() {
    on_stage(|stage| {
        let book = Book::new(stage, |ctx, letter| match letter {
            "m2" => {
                ctx.stash(Is("m2"))?;
                Ok(false)
            }
            _ => Ok(true),
        });
        tell(stage, &book, [Is("m1"), Is("m2"), Is("m3")]);
        tell(stage, &book, [Unstash(9), Get]);
        stage.expect([r#"m1m3 [Is("m2")]"#]);
        tell(stage, &book, [Unstash(9), Get]);
        stage.expect([r#"m1m3 [Is("m2")]"#]);
    });
}

#[test]
fn sta_09_of_twenty_only_those_present_come_back() {
    on_stage(|stage| {
        let book = Book::new(stage, |ctx, letter| match letter {
            "m2" => {
                ctx.stash(Is("m4"))?;
                ctx.stash(Get)?;
                Ok(false)
            }
            _ => Ok(true),
        });
        tell(stage, &book, [Is("m1"), Is("m2"), Is("m3"), Is("m5")]);
        tell(stage, &book, [Unstash(20), Get]);
        stage.expect([r#"m1m3m5 [Is("m4"), Get]"#]);
        tell(stage, &book, [Unstash(20)]);
        stage.expect(["m1m3m5m4 []"]);
    });
}

#[test]
fn sta_10_a_cleared_stash_is_empty_and_can_be_used_again() {
    on_stage(|stage| {
        let player = Player::new(&stage.notes);
        let two_places = Props::new(move || player)
            .mailbox(Mailbox::bounded(3))
            .stash(2);
        let actor = stage.spawn("actor", two_places);
        stash(stage, &actor, "m1").unwrap();
        stash(stage, &actor, "m2").unwrap();
        stage.tell(&actor, quietly(|ctx| ctx.clear_stash()));
        assert_eq!(stage.ask(&actor, |ctx| ctx.stashed()), 0);
        assert_eq!(stage.events.dead(DeadLetterReason::Unhandled), 2);
        let ledger = stage.system.ledger();
        assert_eq!((ledger.unhandled, ledger.stashed), (2, 0));
        stash(stage, &actor, "m3").unwrap();
        stash(stage, &actor, "m4").unwrap(); // their places were freed
        stage.tell(&actor, quietly(|ctx| ctx.unstash_all()));
        stage.expect(["m3", "m4"]);
    });
}

#[test]
fn sta_11_clearing_while_unstashing_leaves_the_rest_out() {
    on_stage(|stage| {
        let book = Book::new(stage, |ctx, letter| {
            if letter == "m2" {
                ctx.clear_stash();
            }
            Ok(true)
        });
        tell(stage, &book, [Is("m1"), Is("m2"), Is("m3")]);
        tell(stage, &book, [Unstash(9), Get]);
        stage.expect(["m1m2 []"]);
        assert_eq!(stage.events.dead(DeadLetterReason::Unhandled), 1);
    });
}

// does not compile: STA-12: unstashing takes no behaviour, so none can be wrong

/// As a function of behaviours: letters up to "c" are handled, then all are set aside until some are asked back.
fn pauses(notes: Notes) -> Behavior<Letter> {
    Behavior::receive(move |_ctx, letter| match letter {
        Is(letter) => {
            notes.say(letter);
            match letter {
                "c" => Ok(paused(notes)),
                _ => Ok(pauses(notes)),
            }
        }
        _ => Ok(pauses(notes)),
    })
}

fn paused(notes: Notes) -> Behavior<Letter> {
    Behavior::receive(move |ctx, letter| match letter {
        Unstash(usize::MAX) => {
            ctx.unstash_all();
            Ok(pauses(notes))
        }
        Unstash(at_most) => {
            ctx.unstash(at_most);
            Ok(taking(at_most, notes))
        }
        Get => {
            notes.say(format!("{} stashed", ctx.stashed()));
            Ok(paused(notes))
        }
        early => {
            ctx.stash(early)?;
            Ok(paused(notes))
        }
    })
}

/// So many come back, then the next are asked for; what arrives meanwhile waits in the mailbox behind them.
fn taking(left: usize, notes: Notes) -> Behavior<Letter> {
    Behavior::receive(move |ctx, letter| {
        let Is(letter) = letter else {
            return Ok(taking(left, notes));
        };
        notes.say(letter);
        if left > 1 {
            return Ok(taking(left - 1, notes));
        }
        match ctx.stashed().min(2) {
            0 => Ok(pauses(notes)),
            more => {
                ctx.unstash(more);
                Ok(taking(more, notes))
            }
        }
    })
}

/// The same as a struct.
struct Pauses {
    notes: Notes,
    /// `None`: everything is handled.
    comes_back: Option<usize>,
}

impl Actor for Pauses {
    type Msg = Letter;
    async fn receive(&mut self, ctx: &mut Context<Letter>, letter: Letter) -> Outcome {
        match (letter, self.comes_back) {
            (Is(letter), None) => {
                self.notes.say(letter);
                self.comes_back = (letter == "c").then_some(0);
            }
            (Is(letter), Some(0)) => ctx.stash(Is(letter))?,
            (Is(letter), Some(left)) => {
                self.notes.say(letter);
                self.comes_back = Some(left - 1);
                if left == 1 {
                    let more = ctx.stashed().min(2);
                    ctx.unstash(more);
                    self.comes_back = (more > 0).then_some(more);
                }
            }
            (Unstash(usize::MAX), _) => {
                ctx.unstash_all();
                self.comes_back = None;
            }
            (Unstash(at_most), _) => {
                ctx.unstash(at_most);
                self.comes_back = Some(at_most);
            }
            (Get, _) => self.notes.say(format!("{} stashed", ctx.stashed())),
        }
        Ok(())
    }
}

/// Both styles.
fn pausing(stage: &Stage) -> [ActorRef<Letter>; 2] {
    let notes = stage.notes.clone();
    let functional = stage.spawn("functional", move || pauses(notes));
    let notes = stage.notes.clone();
    let object = move || Pauses {
        notes,
        comes_back: None,
    };
    [functional, stage.spawn("object", object)]
}

#[test]
fn sta_14_stash_then_unstash_all() {
    on_stage(|stage| {
        for actor in pausing(stage) {
            tell(stage, &actor, ["a", "b", "c", "d", "e", "f"].map(Is));
            tell(stage, &actor, [Get]);
            stage.expect(["a", "b", "c", "3 stashed"]);
            tell(stage, &actor, [Unstash(usize::MAX)]);
            stage.expect(["d", "e", "f"]);
        }
    });
}

#[test]
fn sta_15_two_at_a_time_while_new_ones_arrive() {
    on_stage(|stage| {
        for actor in pausing(stage) {
            tell(stage, &actor, ["a", "b", "c", "d", "e", "f"].map(Is));
            tell(stage, &actor, [Unstash(2), Is("g")]); // while "f" is still set aside
            stage.expect(["a", "b", "c", "d", "e", "f", "g"]);
        }
    });
}

#[test]
fn sta_16_what_comes_back_first_in_a_handler_is_for_the_behaviour_it_returns() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let first = move || {
            Behavior::receive(move |ctx: &mut Context<Letter>, letter| {
                ctx.stash(letter)?;
                ctx.unstash_all();
                Ok(pauses(notes))
            })
        };
        let actor = stage.spawn("actor", first);
        tell(stage, &actor, [Is("m1"), Is("m2")]);
        stage.expect(["m1", "m2"]);
    });
}

/// Stays, with a count, until it has seen so many.
fn counts(seen: u32, notes: Notes) -> Behavior<Letter> {
    Behavior::receive(move |_ctx, letter| {
        notes.say(format!("{seen} {letter:?}"));
        Ok(counts(seen + 1, notes))
    })
}

#[test]
fn sta_17_behaviours_in_between_are_left_one_after_the_other() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let first = move || {
            Behavior::setup(move |ctx: &mut Context<Letter>| {
                ctx.stash(Is("m1"))?;
                ctx.stash(Is("m2"))?;
                Ok(Behavior::receive(|ctx: &mut Context<Letter>, _letter| {
                    ctx.unstash_all();
                    Ok(counts(1, notes))
                }))
            })
        };
        let actor = stage.spawn("actor", first);
        tell(stage, &actor, [Unstash(9), Is("m3")]);
        stage.expect([r#"1 Is("m1")"#, r#"2 Is("m2")"#, r#"3 Is("m3")"#]);
    });
}

/// Counts what comes back, and fails at one of them.
struct Fragile {
    notes: Notes,
    is_open: bool,
    n: u32,
}

impl Actor for Fragile {
    type Msg = Letter;
    async fn receive(&mut self, ctx: &mut Context<Letter>, letter: Letter) -> Outcome {
        match letter {
            Unstash(at_most) => {
                self.is_open = true;
                ctx.unstash(at_most);
            }
            Get => self
                .notes
                .say(format!("current-{}, {} stashed", self.n, ctx.stashed())),
            letter if !self.is_open => ctx.stash(letter)?,
            Is("fails") => {
                self.notes.say(format!("failing-{}", self.n));
                return Err(Boom.into());
            }
            _ => {
                self.notes.say(format!("unstashing-{}", self.n));
                self.n += 1;
            }
        }
        Ok(())
    }
    async fn signal(&mut self, _ctx: &mut Context<Letter>, signal: Signal) -> Outcome {
        match signal {
            Signal::PreRestart(_) => self.notes.say(format!("pre-restart-{}", self.n)),
            Signal::PostStop => self.notes.say(format!("post-stop-{}", self.n)),
            other => return other.unhandled(),
        }
        Ok(())
    }
}

fn fragile(notes: Notes) -> Fragile {
    Fragile {
        notes,
        is_open: false,
        n: 0,
    }
}

#[test]
fn sta_21_a_failure_while_unstashing_ends_the_latest_state() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let actor = stage.spawn("actor", move || fragile(notes));
        tell(stage, &actor, [Is("m0"), Is("m1"), Is("fails"), Is("m3")]);
        tell(stage, &actor, [Unstash(9)]);
        stage.expect(["unstashing-0", "unstashing-1", "failing-2", "post-stop-2"]);
        assert_eq!(stage.events.dead(DeadLetterReason::Stopped), 1); // m3
    });
}

// differs: STA-23: what was stashed survives a restart and comes first in the next incarnation, which may set it aside again
#[test]
fn sta_23_a_failure_while_unstashing_under_restart() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let restarts = Supervise::restart().at_once().limit(2, secs(60));
        let props = Props::new(move || fragile(notes)).supervise(restarts);
        let actor = stage.spawn("actor", props);
        tell(stage, &actor, [Is("m0")]);
        for _ in 0..2 {
            tell(stage, &actor, [Is("m1"), Is("fails"), Is("left")]); // the last is the first of the next round
            tell(stage, &actor, [Unstash(3), Get]);
            stage.expect([
                "unstashing-0",
                "unstashing-1",
                "failing-2",
                "pre-restart-2",
                "current-0, 1 stashed",
            ]);
        }
    });
}

// differs: STA-27: what was unstashed before the failure still comes, so one call is enough; each failure loses its message alone
#[test]
fn sta_27_a_failure_while_unstashing_under_resume() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let props = Props::new(move || fragile(notes)).supervise(Supervise::resume());
        let actor = stage.spawn("actor", props);
        let letters = ["m0", "m1", "fails", "m2", "m3", "m4", "fails", "m5"];
        tell(stage, &actor, letters.map(Is));
        tell(stage, &actor, [Unstash(9), Get]);
        stage.expect([
            "unstashing-0",
            "unstashing-1",
            "failing-2",
            "unstashing-2",
            "unstashing-3",
            "unstashing-4",
            "failing-5",
            "unstashing-5",
            "current-6, 0 stashed",
        ]);
        assert_eq!(stage.system.ledger().failed, 2);
    });
}

#[test]
fn sta_28_unstashing_inside_a_setup() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let setup = move || {
            Behavior::setup(move |ctx: &mut Context<Letter>| {
                ctx.stash(Is("m1"))?;
                ctx.unstash_all();
                Ok(counts(1, notes))
            })
        };
        stage.spawn("actor", setup);
        stage.expect([r#"1 Is("m1")"#]);
    });
}

#[test]
fn sta_29_what_is_unhandled_while_unstashing_is_published() {
    on_stage(|stage| {
        fn numbers(n: u32, notes: Notes) -> Behavior<Letter> {
            Behavior::receive(move |ctx: &mut Context<Letter>, letter| match letter {
                Is(_) => {
                    notes.say(format!("handled {n}"));
                    Ok(numbers(n + 1, notes))
                }
                other => {
                    ctx.unhandled(other);
                    Ok(numbers(n, notes))
                }
            })
        }
        let notes = stage.notes.clone();
        let setup = move || {
            Behavior::setup(move |ctx: &mut Context<Letter>| {
                for letter in [Is("m1"), Get, Is("m2"), Get, Is("m3")] {
                    ctx.stash(letter)?;
                }
                ctx.unstash_all();
                Ok(numbers(1, notes))
            })
        };
        let actor = stage.spawn("actor", setup);
        stage.expect(["handled 1", "handled 2", "handled 3"]);
        assert_eq!(stage.events.dead(DeadLetterReason::Unhandled), 2);
        tell(stage, &actor, [Is("m4")]);
        stage.expect(["handled 4"]);
    });
}

// differs: STA-30: unstashing takes no behaviour; a handler that unstashes and stops leaves what would have come as dead letters
#[test]
fn sta_30_unstashing_and_stopping_ends_the_actor() {
    on_stage(|stage| {
        let first = || {
            Behavior::receive(|ctx: &mut Context<Letter>, letter| {
                ctx.stash(letter)?;
                ctx.unstash_all();
                Ok(Behavior::stopped())
            })
        };
        let actor = stage.spawn("actor", first);
        tell(stage, &actor, [Is("m1")]);
        let exit = stage.world.block_on(actor.terminated());
        assert!(matches!(exit, Exit::Stopped), "{exit}");
        assert_eq!(stage.events.dead(DeadLetterReason::Stopped), 1);
    });
}

#[test]
fn sta_31_a_stop_at_the_first_of_two_leaves_the_second_a_dead_letter() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let setup = move || {
            Behavior::setup(move |ctx: &mut Context<Letter>| {
                ctx.stash(Is("one"))?;
                ctx.stash(Is("two"))?;
                ctx.unstash_all();
                Ok(Behavior::receive(move |_ctx, letter| {
                    notes.say(format!("{letter:?}"));
                    Ok(Behavior::stopped())
                }))
            })
        };
        let actor = stage.spawn("actor", setup);
        let exit = stage.world.block_on(actor.terminated());
        assert!(matches!(exit, Exit::Stopped), "{exit}");
        stage.expect([r#"Is("one")"#]);
        assert_eq!(stage.events.dead(DeadLetterReason::Stopped), 1);
    });
}

#[test]
fn sta_32_unstashing_in_a_handler_that_stays() {
    on_stage(|stage| {
        let book = Book::new(stage, |_ctx, _letter| Ok(true));
        tell(stage, &book, [Is("m1"), Is("m2")]);
        tell(stage, &book, [Unstash(9)]);
        tell(stage, &book, [Get]);
        stage.expect(["m1m2 []"]);
    });
}
