//! A bank account that one task owns. The rest of the program has a handle.

use playhouse::prelude::*;

enum Msg {
    Deposit(u64),
    Balance(Reply<u64>),
}

#[derive(Default)]
struct Account {
    balance: u64,
}

impl Account {
    async fn run(mut self, inbox: &mut Context<Msg>) -> Outcome {
        while let Some(msg) = inbox.recv().await {
            match msg {
                Msg::Deposit(amount) => self.balance += amount,
                Msg::Balance(reply) => reply.send(self.balance),
            }
        }
        Ok(())
    }
}

#[derive(Clone)]
pub(crate) struct Bank(ActorRef<Msg>);

impl Bank {
    pub(crate) fn open(system: &ActorSystem) -> Self {
        let run = async |inbox: &mut Context<Msg>| Account::default().run(inbox).await;
        let bank = system.spawn_anonymous(Props::func(run));
        Self(bank)
    }

    pub(crate) async fn deposit(&self, amount: u64) -> bool {
        self.0.send(Msg::Deposit(amount)).await.is_ok()
    }

    pub(crate) async fn balance(&self) -> Option<u64> {
        let answer = self.0.ask(Msg::Balance).within(secs(1));
        answer.await.ok()
    }
}
