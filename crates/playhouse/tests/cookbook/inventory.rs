//! The request carries the right to answer it, and new state is a new behaviour.

use playhouse::prelude::*;
use playhouse::testkit::{TestKit, explore};
use std::collections::HashMap;

pub(crate) enum Inventory {
    Reserve {
        sku: String,
        qty: u32,
        reply: Reply<Answer>,
    },
}

#[derive(Debug, PartialEq)]
pub(crate) enum Answer {
    Reserved(String),
    OutOfStock { sku: String, available: u32 },
}

pub(crate) fn inventory(mut stock: HashMap<String, u32>) -> Behavior<Inventory> {
    Behavior::receive(move |_ctx, Inventory::Reserve { sku, qty, reply }| {
        let available = stock.get(&sku).copied().unwrap_or(0);
        match available.checked_sub(qty) {
            None => reply.send(Answer::OutOfStock { sku, available }),
            Some(left) => {
                stock.insert(sku.clone(), left);
                reply.send(Answer::Reserved(sku));
            }
        }
        Ok(inventory(stock))
    })
}

pub(crate) fn one_tea() -> HashMap<String, u32> {
    HashMap::from([("tea".into(), 1)])
}

pub(crate) fn one_of(sku: &str) -> impl FnOnce(Reply<Answer>) -> Inventory + use<> {
    let sku = sku.to_owned();
    move |reply| Inventory::Reserve { sku, qty: 1, reply }
}

#[test]
fn reserved_then_out_of_stock_with_what_is_available() {
    let kit = TestKit::new();
    let inventory = kit.spawn("inventory", || inventory(one_tea()));
    let mut buyer = kit.probe();
    inventory.tell(one_of("tea")(Reply::to(buyer.actor_ref())));
    assert_eq!(buyer.expect(), Answer::Reserved("tea".into()));
    let second = kit.block_on(inventory.ask(one_of("tea")).within(secs(1)));
    let (sku, available) = ("tea".into(), 0);
    assert_eq!(second.unwrap(), Answer::OutOfStock { sku, available });
}

#[test]
fn one_tea_is_sold_once_under_every_schedule() {
    explore(0..50, |kit| {
        let inventory = kit.spawn("inventory", || inventory(one_tea()));
        let mut buyers = [kit.probe(), kit.probe()];
        for buyer in &buyers {
            inventory.tell(one_of("tea")(Reply::to(buyer.actor_ref())));
        }
        let answers = buyers.iter_mut().map(|buyer| buyer.expect());
        let sold = answers.filter(|answer| matches!(answer, Answer::Reserved(_)));
        assert_eq!(sold.count(), 1);
    });
}
