//! Many questions, one deadline.

use crate::actor::Message;
use crate::ask::{Ask, AskError};
use crate::sync::join_all;
use std::time::Duration;

/// Many questions, one deadline: what has not answered by then is its own [`AskError::Timeout`]. Answers in the order
/// of the questions. Dropped: as each [`Ask`].
pub async fn gather<M: Message, T: Message>(
    asks: impl IntoIterator<Item = Ask<M, T>>,
    within: Duration,
) -> Vec<Result<T, AskError>> {
    let asks: Vec<_> = asks.into_iter().collect();
    let Some(first) = asks.first() else {
        return Vec::new();
    };
    let deadline = first.clock_deadline(within);
    join_all(asks.into_iter().map(|ask| ask.by(deadline)).collect()).await
}
