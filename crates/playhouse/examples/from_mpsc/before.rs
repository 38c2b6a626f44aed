//! A bank account that one task owns. The rest of the program has a handle.

use tokio::sync::{mpsc, oneshot};
type Reply<T> = oneshot::Sender<T>;

enum Msg {
    Deposit(u64),
    Balance(Reply<u64>),
}

#[derive(Default)]
struct Account {
    balance: u64,
}

impl Account {
    async fn run(mut self, mut inbox: mpsc::Receiver<Msg>) {
        while let Some(msg) = inbox.recv().await {
            match msg {
                Msg::Deposit(amount) => self.balance += amount,
                Msg::Balance(reply) => drop(reply.send(self.balance)),
            }
        }
    }
}

#[derive(Clone)]
pub(crate) struct Bank(mpsc::Sender<Msg>);

impl Bank {
    pub(crate) fn open() -> Self {
        let (bank, inbox) = mpsc::channel(1_024);
        tokio::spawn(Account::default().run(inbox));
        Self(bank)
    }

    pub(crate) async fn deposit(&self, amount: u64) -> bool {
        self.0.send(Msg::Deposit(amount)).await.is_ok()
    }

    pub(crate) async fn balance(&self) -> Option<u64> {
        let (reply, answer) = oneshot::channel();
        self.0.send(Msg::Balance(reply)).await.ok()?;
        answer.await.ok()
    }
}
