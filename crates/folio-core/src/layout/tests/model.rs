//! The stored form.

use super::kit::{Page, page};
use crate::model::{Bounds, Layout};

const PROSE: [&str; 4] = [
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was",
    "the age of foolishness, it was the epoch of belief, it was the epoch of incredulity, it",
    "was the season of Light, it was the season of Darkness, it was the spring of hope, it",
    "was the winter of despair, we had everything before us, we had nothing before us, we",
];

fn prose() -> Page {
    (0..10).fold(page(), |page, paragraph| {
        page.put_lines(72.0, 80.0 + 60.0 * paragraph as f32, 10.0, &PROSE)
    })
}

#[test]
fn json_is_at_most_three_times_its_words() {
    let layout = prose().build();
    let words_only: Vec<(&str, Bounds)> = layout
        .words()
        .map(|word| (word.text.as_str(), word.bounds))
        .collect();
    let (json, words_only) = (
        layout.to_json().len(),
        serde_json::to_vec(&words_only).unwrap().len(),
    );
    assert!(
        json <= 3 * words_only,
        "{json} bytes for {words_only} of words"
    );
}

#[test]
fn json_reads_back_as_it_was() {
    let mut turned = prose()
        .with(|page| page.angle = 90.0)
        .put(500.0, 700.0, 8.0, "turned");
    turned.text.chars[3].code = '\u{1}';
    let layout = turned.build();
    let json = layout.to_json();
    assert_eq!(json.last(), Some(&b'\n'));
    let back: Layout = serde_json::from_slice(&json).unwrap();
    assert_eq!(back, layout);
    assert_eq!(back.to_json(), json);
}

#[test]
fn an_empty_page_is_short() {
    let json = String::from_utf8(
        page()
            .with(|page| page.text.fonts.clear())
            .build()
            .to_json(),
    )
    .unwrap();
    let expected =
        r#"{"page":1,"width":60000,"height":84000,"crop":[0,0,60000,84000],"text_source":"none"}"#;
    assert_eq!(json.trim_end(), expected);
}
