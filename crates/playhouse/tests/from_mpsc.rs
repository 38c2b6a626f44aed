//! A hand-made actor becomes a Playhouse actor in a diff of fewer than twenty lines: the two files of the example.

const BEFORE: &str = include_str!("../examples/from_mpsc/before.rs");
const AFTER: &str = include_str!("../examples/from_mpsc/after.rs");

/// Lines of the longest sequence that both have in this order.
fn common(before: &[&str], after: &[&str]) -> usize {
    let mut best = vec![0; after.len() + 1];
    for old in before {
        let mut diagonal = 0;
        for (at, new) in after.iter().enumerate() {
            let above = best[at + 1];
            best[at + 1] = if old == new {
                diagonal + 1
            } else {
                above.max(best[at])
            };
            diagonal = above;
        }
    }
    best[after.len()]
}

#[test]
fn a_channel_and_a_task_become_an_actor_in_fewer_than_twenty_changed_lines() {
    let before: Vec<&str> = BEFORE.lines().collect();
    let after: Vec<&str> = AFTER.lines().collect();
    let common = common(&before, &after);
    let (removed, added) = (before.len() - common, after.len() - common);
    assert!(removed + added < 20, "{removed} removed, {added} added");
    assert!(removed > 5 && added > 5, "they are not the same");
}
