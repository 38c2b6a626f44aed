//! Many actors that all talk to each other: whether the runtime keeps its price when nobody has a fixed partner.

use crate::colour::Colour;
use crate::measure::{Sample, Stopwatch};
use crate::stage;
use crate::tally::Tally;
use playhouse::limits::MAILBOX;
use playhouse::prelude::*;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Everybody pings everybody else, and begins the next round when all pongs are back; an operation is a ping and its pong.
pub(crate) mod big {
    use super::*;

    /// At most so many pings and as many pongs wait in one mailbox, so that none is ever full.
    const ACTORS: u64 = 64;
    const PEERS: u64 = ACTORS - 1;
    const _: () = assert!(
        2 * PEERS < MAILBOX as u64,
        "a full mailbox would lose a message"
    );

    enum Message<R> {
        Peers(Arc<Vec<R>>),
        Start,
        Ping { from: u32 },
        Pong,
    }

    /// What an actor knows, the same on both sides; the sides differ in how they send.
    struct State<R> {
        me: u32,
        peers: Arc<Vec<R>>,
        rounds_left: u64,
        awaited: u64,
        pongs: u64,
        tally: Tally,
    }

    impl<R> State<R> {
        fn new(me: u64, rounds: u64, tally: Tally) -> Self {
            Self {
                me: me as u32,
                peers: Arc::default(),
                rounds_left: rounds,
                awaited: 0,
                pongs: 0,
                tally,
            }
        }

        fn receive(&mut self, message: Message<R>, tell: impl Fn(&R, Message<R>)) {
            match message {
                Message::Peers(peers) => self.peers = peers,
                Message::Start => self.ping_all(tell),
                Message::Ping { from } => tell(&self.peers[from as usize], Message::Pong),
                Message::Pong => {
                    self.pongs += 1;
                    self.awaited -= 1;
                    if self.awaited == 0 {
                        self.ping_all(tell);
                    }
                }
            }
        }

        fn ping_all(&mut self, tell: impl Fn(&R, Message<R>)) {
            if self.rounds_left == 0 {
                self.tally.report(self.pongs);
                return;
            }
            self.rounds_left -= 1;
            self.awaited = PEERS;
            for (place, peer) in self.peers.iter().enumerate() {
                if place != self.me as usize {
                    tell(peer, Message::Ping { from: self.me });
                }
            }
        }
    }

    type Ref = ActorRef<Protocol>;

    /// A type of its own, because a protocol cannot name itself in a type parameter.
    struct Protocol(Message<Ref>);

    impl Actor for State<Ref> {
        type Msg = Protocol;
        async fn receive(
            &mut self,
            _ctx: &mut Context<Protocol>,
            Protocol(message): Protocol,
        ) -> Outcome {
            State::receive(self, message, |to, message| to.tell(Protocol(message)));
            Ok(())
        }
    }

    pub(crate) async fn playhouse(pings: u64) -> Sample {
        let system = stage::system();
        let tally = Tally::of(ACTORS);
        let rounds = rounds(pings);
        let spawn = |me| {
            let tally = tally.clone();
            system
                .spawn(format!("actor-{me}"), move || State::new(me, rounds, tally))
                .expect("the name is free")
        };
        let actors: Arc<Vec<Ref>> = Arc::new((0..ACTORS).map(spawn).collect());
        actors
            .iter()
            .for_each(|to| to.tell(Protocol(Message::Peers(actors.clone()))));
        let start = || {
            actors
                .iter()
                .for_each(|to| to.tell(Protocol(Message::Start)))
        };
        let sample = exchanged(rounds, &tally, start).await;
        stage::close(system).await;
        sample
    }

    type Sender = mpsc::Sender<ByHand>;

    struct ByHand(Message<Sender>);

    pub(crate) async fn tokio(pings: u64) -> Sample {
        let tally = Tally::of(ACTORS);
        let rounds = rounds(pings);
        let spawn = |me| {
            let (sender, mut inbox) = mpsc::channel::<ByHand>(MAILBOX);
            let mut state = State::new(me, rounds, tally.clone());
            tokio::spawn(async move {
                while let Some(ByHand(message)) = inbox.recv().await {
                    state.receive(message, tell);
                }
            });
            sender
        };
        let tasks: Arc<Vec<Sender>> = Arc::new((0..ACTORS).map(spawn).collect());
        tasks
            .iter()
            .for_each(|to| tell(to, Message::Peers(tasks.clone())));
        exchanged(rounds, &tally, || {
            tasks.iter().for_each(|to| tell(to, Message::Start))
        })
        .await
    }

    fn tell(to: &Sender, message: Message<Sender>) {
        assert!(to.try_send(ByHand(message)).is_ok(), "there is room");
    }

    fn rounds(pings: u64) -> u64 {
        (pings / (ACTORS * PEERS)).max(1)
    }

    async fn exchanged(rounds: u64, tally: &Tally, start: impl FnOnce()) -> Sample {
        let pings = rounds * ACTORS * PEERS;
        let watch = Stopwatch::start();
        start();
        let pongs = tally.sum().await;
        let sample = watch.stop(pings);
        assert_eq!(pongs, pings);
        sample
    }
}

/// Creatures meet in pairs and change colour; a mall brings them together. An operation is one meeting: two requests, one
/// introduction, one answer.
pub(crate) mod chameneos {
    use super::*;

    /// Every creature has at most one request at the mall, so that its mailbox is never full.
    const CREATURES: u64 = 100;
    const _: () = assert!(
        CREATURES < MAILBOX as u64,
        "a full mailbox would lose a request"
    );

    /// To the mall: somebody wants to meet.
    struct Request<R> {
        from: R,
        colour: Colour,
    }

    /// To a creature.
    enum News<R> {
        Go,
        Meet { other: R, colour: Colour },
        Change(Colour),
        Closed,
    }

    struct Mall<R> {
        waiting: Option<R>,
        meetings_left: u64,
    }

    impl<R> Mall<R> {
        fn receive(&mut self, Request { from, colour }: Request<R>, tell: impl Fn(&R, News<R>)) {
            if self.meetings_left == 0 {
                return tell(&from, News::Closed);
            }
            match self.waiting.take() {
                None => self.waiting = Some(from),
                Some(first) => {
                    self.meetings_left -= 1;
                    tell(
                        &first,
                        News::Meet {
                            other: from,
                            colour,
                        },
                    );
                }
            }
        }
    }

    struct Creature {
        colour: Colour,
        meetings: u64,
        tally: Tally,
    }

    impl Creature {
        fn new(number: u64, tally: Tally) -> Self {
            Self {
                colour: Colour::of(number),
                meetings: 0,
                tally,
            }
        }

        /// True: it wants to meet again.
        fn receive<R>(&mut self, news: News<R>, tell: impl Fn(&R, News<R>)) -> bool {
            match news {
                News::Go => {}
                News::Meet { other, colour } => {
                    self.change(self.colour.complement(colour));
                    tell(&other, News::Change(self.colour));
                }
                News::Change(colour) => self.change(colour),
                News::Closed => {
                    self.tally.report(self.meetings);
                    return false;
                }
            }
            true
        }

        fn change(&mut self, colour: Colour) {
            self.colour = colour;
            self.meetings += 1;
        }
    }

    type CreatureRef = ActorRef<CreatureNews>;

    struct CreatureNews(News<CreatureRef>);

    impl Actor for Mall<CreatureRef> {
        type Msg = Request<CreatureRef>;
        async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, request: Self::Msg) -> Outcome {
            Mall::receive(self, request, |to, news| to.tell(CreatureNews(news)));
            Ok(())
        }
    }

    struct CreatureActor {
        inside: Creature,
        mall: ActorRef<Request<CreatureRef>>,
    }

    impl Actor for CreatureActor {
        type Msg = CreatureNews;
        async fn receive(
            &mut self,
            ctx: &mut Context<CreatureNews>,
            CreatureNews(news): CreatureNews,
        ) -> Outcome {
            if self
                .inside
                .receive(news, |to, news| to.tell(CreatureNews(news)))
            {
                self.mall.tell(Request {
                    from: ctx.me().clone(),
                    colour: self.inside.colour,
                });
            }
            Ok(())
        }
    }

    pub(crate) async fn playhouse(meetings: u64) -> Sample {
        let system = stage::system();
        let tally = Tally::of(CREATURES);
        let mall = move || Mall {
            waiting: None,
            meetings_left: meetings,
        };
        let mall = system.spawn("mall", mall).expect("the name is free");
        let spawn = |number| {
            let (mall, tally) = (mall.clone(), tally.clone());
            let creature = move || CreatureActor {
                inside: Creature::new(number, tally),
                mall,
            };
            system
                .spawn(format!("creature-{number}"), creature)
                .expect("the name is free")
        };
        let creatures: Vec<CreatureRef> = (0..CREATURES).map(spawn).collect();
        let start = || {
            creatures
                .iter()
                .for_each(|to| to.tell(CreatureNews(News::Go)))
        };
        let sample = met(meetings, &tally, start).await;
        stage::close(system).await;
        sample
    }

    type Sender = mpsc::Sender<NewsByHand>;

    struct NewsByHand(News<Sender>);

    pub(crate) async fn tokio(meetings: u64) -> Sample {
        let tally = Tally::of(CREATURES);
        let (mall, mut requests) = mpsc::channel::<Request<Sender>>(MAILBOX);
        tokio::spawn(async move {
            let mut mall = Mall {
                waiting: None,
                meetings_left: meetings,
            };
            while let Some(request) = requests.recv().await {
                mall.receive(request, tell);
            }
        });
        let spawn = |number| {
            let (me, inbox) = mpsc::channel(MAILBOX);
            tokio::spawn(creature_task(
                Creature::new(number, tally.clone()),
                inbox,
                me.clone(),
                mall.clone(),
            ));
            me
        };
        let creatures: Vec<Sender> = (0..CREATURES).map(spawn).collect();
        met(meetings, &tally, || {
            creatures.iter().for_each(|to| tell(to, News::Go))
        })
        .await
    }

    async fn creature_task(
        mut creature: Creature,
        mut inbox: mpsc::Receiver<NewsByHand>,
        me: Sender,
        mall: mpsc::Sender<Request<Sender>>,
    ) {
        while let Some(NewsByHand(news)) = inbox.recv().await {
            if creature.receive(news, tell) {
                let request = Request {
                    from: me.clone(),
                    colour: creature.colour,
                };
                assert!(mall.try_send(request).is_ok(), "there is room");
            }
        }
    }

    fn tell(to: &Sender, news: News<Sender>) {
        assert!(to.try_send(NewsByHand(news)).is_ok(), "there is room");
    }

    async fn met(meetings: u64, tally: &Tally, start: impl FnOnce()) -> Sample {
        let watch = Stopwatch::start();
        start();
        let attended = tally.sum().await;
        let sample = watch.stop(meetings);
        assert_eq!(attended, 2 * meetings);
        sample
    }
}
