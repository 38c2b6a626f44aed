//! Many actors that all talk to each other.

use crate::colour::Colour;
use crate::measure::{Sample, Stopwatch};
use crate::rival::{Logic, Rival, Room, Then};
use crate::tally::Tally;
use std::sync::Arc;

const ACTORS: u64 = 64;
const PEERS: u64 = ACTORS - 1;

enum Message<R: Rival> {
    Peers(Arc<Vec<R::Ref<Member<R>>>>),
    Start,
    Ping { from: u32 },
    Pong,
}

struct Member<R: Rival> {
    me: u32,
    peers: Arc<Vec<R::Ref<Member<R>>>>,
    rounds_left: u64,
    awaited: u64,
    pongs: u64,
    tally: Tally,
}

impl<R: Rival> Logic<R> for Member<R> {
    type Msg = Message<R>;
    async fn receive(&mut self, message: Message<R>, _me: &R::Ref<Self>) -> Then {
        match message {
            Message::Peers(peers) => self.peers = peers,
            Message::Start => self.ping_all(),
            Message::Ping { from } => R::tell::<Self>(&self.peers[from as usize], Message::Pong),
            Message::Pong => {
                self.pongs += 1;
                self.awaited -= 1;
                if self.awaited == 0 {
                    self.ping_all();
                }
            }
        }
        Then::Next
    }
}

impl<R: Rival> Member<R> {
    fn ping_all(&mut self) {
        if self.rounds_left == 0 {
            self.tally.report(self.pongs);
            return;
        }
        self.rounds_left -= 1;
        self.awaited = PEERS;
        for (place, peer) in self.peers.iter().enumerate() {
            if place != self.me as usize {
                R::tell::<Self>(peer, Message::Ping { from: self.me });
            }
        }
    }
}

/// Everybody pings everybody else, and begins the next round when all pongs are back.
pub(crate) async fn big<R: Rival>(pings: u64) -> Sample {
    let tally = Tally::of(ACTORS);
    let rounds_left = (pings / (ACTORS * PEERS)).max(1);
    let pings = rounds_left * ACTORS * PEERS;
    let spawn = |me| {
        let (me, tally) = (me as u32, tally.clone());
        R::spawn(
            Member::<R> {
                me,
                peers: Arc::default(),
                rounds_left,
                awaited: 0,
                pongs: 0,
                tally,
            },
            Room::Bounded,
        )
    };
    let members: Arc<Vec<_>> = Arc::new((0..ACTORS).map(spawn).collect());
    members
        .iter()
        .for_each(|to| R::tell::<Member<R>>(to, Message::Peers(members.clone())));
    let watch = Stopwatch::start();
    members
        .iter()
        .for_each(|to| R::tell::<Member<R>>(to, Message::Start));
    let pongs = tally.sum().await;
    let sample = watch.stop(pings);
    assert_eq!(pongs, pings);
    sample
}

const CREATURES: u64 = 100;

struct Request<R: Rival> {
    from: R::Ref<Creature<R>>,
    colour: Colour,
}

enum News<R: Rival> {
    Go,
    Meet {
        other: R::Ref<Creature<R>>,
        colour: Colour,
    },
    Change(Colour),
    Closed,
}

struct Mall<R: Rival> {
    waiting: Option<R::Ref<Creature<R>>>,
    meetings_left: u64,
}

impl<R: Rival> Logic<R> for Mall<R> {
    type Msg = Request<R>;
    async fn receive(&mut self, Request { from, colour }: Request<R>, _me: &R::Ref<Self>) -> Then {
        if self.meetings_left == 0 {
            R::tell::<Creature<R>>(&from, News::Closed);
            return Then::Next;
        }
        match self.waiting.take() {
            None => self.waiting = Some(from),
            Some(first) => {
                self.meetings_left -= 1;
                R::tell::<Creature<R>>(
                    &first,
                    News::Meet {
                        other: from,
                        colour,
                    },
                );
            }
        }
        Then::Next
    }
}

struct Creature<R: Rival> {
    mall: R::Ref<Mall<R>>,
    colour: Colour,
    meetings: u64,
    tally: Tally,
}

impl<R: Rival> Logic<R> for Creature<R> {
    type Msg = News<R>;
    async fn receive(&mut self, news: News<R>, me: &R::Ref<Self>) -> Then {
        match news {
            News::Go => {}
            News::Meet { other, colour } => {
                self.change(self.colour.complement(colour));
                R::tell::<Self>(&other, News::Change(self.colour));
            }
            News::Change(colour) => self.change(colour),
            News::Closed => {
                self.tally.report(self.meetings);
                return Then::Next;
            }
        }
        R::tell::<Mall<R>>(
            &self.mall,
            Request {
                from: me.clone(),
                colour: self.colour,
            },
        );
        Then::Next
    }
}

impl<R: Rival> Creature<R> {
    fn change(&mut self, colour: Colour) {
        self.colour = colour;
        self.meetings += 1;
    }
}

/// Creatures meet in pairs and change colour; a mall brings them together.
pub(crate) async fn chameneos<R: Rival>(meetings: u64) -> Sample {
    let tally = Tally::of(CREATURES);
    let mall = R::spawn(
        Mall::<R> {
            waiting: None,
            meetings_left: meetings,
        },
        Room::Bounded,
    );
    let spawn = |number| {
        let (mall, tally) = (mall.clone(), tally.clone());
        R::spawn(
            Creature::<R> {
                mall,
                colour: Colour::of(number),
                meetings: 0,
                tally,
            },
            Room::Bounded,
        )
    };
    let creatures: Vec<_> = (0..CREATURES).map(spawn).collect();
    let watch = Stopwatch::start();
    creatures
        .iter()
        .for_each(|to| R::tell::<Creature<R>>(to, News::Go));
    let attended = tally.sum().await;
    let sample = watch.stop(meetings);
    assert_eq!(attended, 2 * meetings);
    sample
}
