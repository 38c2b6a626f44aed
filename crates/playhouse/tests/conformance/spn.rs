//! The spawn protocol (from `SpawnProtocolSpec`).

use crate::common::journal;
use crate::common::seeds::{end, stepped};
use playhouse::prelude::*;
use playhouse::testkit::Stepped;
use playhouse::{Spawn, SpawnError, SpawnProtocol};

fn echo() -> Props<Reply<u32>> {
    struct Echo;
    impl Actor for Echo {
        type Msg = Reply<u32>;
        async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, reply: Self::Msg) -> Outcome {
            reply.send(7);
            Ok(())
        }
    }
    Props::new(|| Echo)
}

fn named(
    world: &Stepped,
    spawner: &ActorRef<Spawn>,
    name: &str,
) -> Result<ActorRef<Reply<u32>>, SpawnError> {
    let asked = spawner.ask(|reply| Spawn::named(name, echo(), reply));
    world.block_on(asked.within(secs(1))).unwrap()
}

#[test]
fn spn_01_a_named_child_is_spawned_by_a_message() {
    let (system, world, _) = stepped(1);
    let spawner = system.spawn("parent", || SpawnProtocol).unwrap();
    let (seen, mut children) = journal();
    let listener = Props::func(async move |ctx: &mut Context<_>| {
        while let Some(child) = ctx.recv().await {
            seen.send(child)?;
        }
        Ok(())
    });
    let listener = system.spawn_anonymous(listener);
    spawner.tell(Spawn::named("child", echo(), Reply::to(&listener)));
    world.settle();
    let child: ActorRef<Reply<u32>> = children.try_recv().unwrap().unwrap();
    assert_eq!(child.address().path(), "/test/parent/child");
    assert_eq!(
        world
            .block_on(child.ask(|reply| reply).within(secs(1)))
            .unwrap(),
        7
    );
    end(&system, &world);
}

#[test]
fn spn_02_the_child_is_the_answer_to_an_ask() {
    let (system, world, _) = stepped(2);
    let spawner = system.spawn("parent", || SpawnProtocol).unwrap();
    let child = named(&world, &spawner, "child").unwrap();
    assert_eq!(child.address().path(), "/test/parent/child");
    let asked = spawner.ask(|reply| Spawn::anonymous(echo(), reply));
    let nameless = world.block_on(asked.within(secs(1))).unwrap();
    assert!(nameless.address().path().starts_with("/test/parent/~"));
    let refused = named(&world, &spawner, "no/name");
    assert!(matches!(refused, Err(SpawnError::BadName(_))));
    end(&system, &world);
}

// differs: SPN-03: a path begins with the system's name and the root's, and has no `/user` between them
#[test]
fn spn_03_as_a_root_it_gives_its_children_their_paths() {
    let (system, world, _) = stepped(3);
    let spawner = system.spawn("user", || SpawnProtocol).unwrap();
    for name in ["child1", "child2"] {
        let child = named(&world, &spawner, name).unwrap();
        assert_eq!(child.address().path(), format!("/test/user/{name}"));
    }
    end(&system, &world);
}

#[test]
fn spn_04_a_taken_name_gets_a_number() {
    let (system, world, _) = stepped(4);
    let spawner = system.spawn("parent", || SpawnProtocol).unwrap();
    let given: Vec<_> = ["child", "child", "child-2", "child"]
        .into_iter()
        .map(|name| named(&world, &spawner, name).unwrap())
        .collect();
    let paths = given.iter().map(|child| child.address().path());
    let expected = ["child", "child-1", "child-2", "child-3"].map(|n| format!("/test/parent/{n}"));
    assert!(paths.eq(expected), "{given:?}");
    given[1].stop();
    world.block_on(given[1].terminated());
    let again = named(&world, &spawner, "child").unwrap();
    assert_eq!(again.address().path(), "/test/parent/child-1", "free again");
    end(&system, &world);
}
