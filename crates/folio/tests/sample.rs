//! The main job, by the real binary, on the document that comes with the project.

mod common;

use std::fs;
use std::path::Path;

use common::{extract, layout, run, sample};
use folio_core::model::{Layout, Word};

const PAGES: u32 = 12;

/// A page of prose, from the top down.
const PAGE_1: &[&str] = &[
    "How a Folio Was Made",
    "in twelve pages",
    "A folio is a book whose sheets were folded once",
    "The sheet began as rags",
    "Beside the vat stood the type",
    "This booklet has twelve pages",
    "which no compositor ever did.",
];

/// Two columns below a headline: the left one to its end, then the right one. Words divided at a line's end are whole.
const PAGE_2: &[&str] = &[
    "From the Middle Outwards",
    "Nobody set a folio",
    "type was what ran short.",
    "To begin in the middle",
    "The signs are easy to find.",
    "the compositor spread it about",
    "Two men stood at the press.",
    "Proofs were read",
    "nobody threw it away for the sake of a letter.",
    "That is why no two copies need be alike.",
    "Columns are only white space, and white space is not written down.",
];

/// Accents, Greek with and without breathings, and letters that few fonts have.
const WORDS: &[&str] = &[
    "τυπογράφος",
    "ἰδίαν",
    "Größe",
    "książka",
    "písmeno",
    "güçtü",
    "Þetta",
    "niño",
    "l’œuvre",
];

fn extracted(image: &str) -> (tempfile::TempDir, common::Ended) {
    let out = tempfile::tempdir().unwrap();
    let ended = run(extract(&sample(), out.path()).args(["--image", image]), 0);
    (out, ended)
}

#[test]
fn every_page_has_its_image_and_its_layout() {
    let (out, ended) = extracted("jpeg");
    assert_eq!(ended.the("document")["pages"], PAGES);
    assert_eq!(
        ended
            .of("page")
            .filter(|page| page["outcome"] == "completed")
            .count(),
        PAGES as usize
    );
    assert_eq!(ended.the("summary")["pages"], PAGES);
    assert_eq!(
        ended.said.lines().last(),
        Some(out.path().to_str().unwrap()),
        "the last line is the output path"
    );

    let folder = ended.folder();
    let name = folder.file_name().unwrap().to_str().unwrap();
    assert!(
        folder.starts_with(out.path()) && name.starts_with("first-folio-"),
        "{name}"
    );
    assert_eq!(name.len(), "first-folio-".len() + 12);
    for page in 1..=PAGES {
        let image = fs::read(folder.join(format!("pages/{page:05}.jpg"))).unwrap();
        assert!(
            image.starts_with(&[0xff, 0xd8, 0xff]) && image.ends_with(&[0xff, 0xd9]),
            "page {page} is a whole JPEG"
        );
        let layout = layout(&folder, page);
        assert_eq!(layout.page, page);
        let image = layout.image.expect("the image is described");
        assert_eq!(
            f64::from(image.width_px),
            (f64::from(layout.width) / 100.0 * 150.0 / 72.0).ceil()
        );
        assert_eq!(
            f64::from(image.height_px),
            (f64::from(layout.height) / 100.0 * 150.0 / 72.0).ceil()
        );
    }
    let mut entries: Vec<_> = fs::read_dir(out.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    entries.sort();
    assert_eq!(
        entries,
        [".folio", name, "folio.db"],
        "nothing else is left in the output folder"
    );
}

#[test]
fn text_is_in_reading_order_with_accents_and_greek() {
    let (_out, ended) = extracted("none");
    let text = fs::read_to_string(ended.folder().join("text.txt")).unwrap();
    assert_eq!(
        text.matches('\u{c}').count(),
        PAGES as usize,
        "each page ends with a form feed"
    );
    let pages: Vec<&str> = text.split('\u{c}').collect();
    assert_in_order(pages[0], PAGE_1);
    assert_in_order(pages[1], PAGE_2);
    for word in WORDS {
        assert!(
            text.contains(word),
            "'{word}' is in the sample and not in the text"
        );
    }
}

fn assert_in_order(text: &str, phrases: &[&str]) {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut from = 0;
    for phrase in phrases {
        match flat[from..].find(phrase) {
            Some(at) => from += at + phrase.len(),
            None => {
                panic!("'{phrase}' does not come after what should stand before it, in:\n{flat}")
            }
        }
    }
}

#[test]
fn a_scanned_page_is_flagged_and_counted_never_passed_off_as_empty() {
    let (_out, ended) = extracted("none");
    assert_eq!(ended.the("summary")["needs_ocr"], 1);
    let flagged: Vec<_> = ended
        .of("page")
        .filter(|page| page["needs_ocr"] == true)
        .map(|page| page["page"].clone())
        .collect();
    let folder = ended.folder();
    for page in &flagged {
        assert!(layout(&folder, u32::try_from(page.as_u64().unwrap()).unwrap()).needs_ocr);
    }
    assert_eq!(flagged.len(), 1);
    assert!(
        ended.said.contains("need OCR") || ended.said.contains("needs OCR"),
        "{}",
        ended.said
    );
}

#[test]
fn page_json_costs_at_most_three_times_its_words() {
    let (_out, ended) = extracted("jpeg");
    let folder = ended.folder();
    for page in 1..=PAGES {
        let layout = layout(&folder, page);
        let words: Vec<_> = layout
            .words()
            .map(|word| (&word.text, word.bounds))
            .collect();
        if words.len() < 50 {
            continue; // what describes the page itself weighs more than a few words
        }
        let words_only = serde_json::to_vec(&words).unwrap().len();
        let whole = fs::metadata(folder.join(format!("pages/{page:05}.json")))
            .unwrap()
            .len();
        assert!(
            whole <= 3 * words_only as u64,
            "page {page}: {whole} bytes for {words_only} of words"
        );
    }
}

#[test]
fn boxes_lie_on_the_ink_of_the_image() {
    /// Pixels that a side of a box may be off.
    const SLACK_PX: f64 = 1.5;
    let (_out, ended) = extracted("png");
    let folder = ended.folder();
    let (mut words, mut off) = (0, Vec::new());
    for page in 1..=PAGES {
        let layout = layout(&folder, page);
        let image = Picture::read(&folder.join(format!("pages/{page:05}.png")));
        for word in layout.words().filter(|word| !word.text.trim().is_empty()) {
            words += 1;
            let distance = image.distance(&layout, word);
            if distance > SLACK_PX {
                off.push(format!(
                    "page {page} '{}' is off by {:.1?} px",
                    word.text,
                    image.sides(&layout, word)
                ));
            }
        }
    }
    assert!(words > 1000, "only {words} words were looked at");
    assert!(
        off.len() * 100 <= words,
        "{} of {words} words are off:\n{}",
        off.len(),
        off.join("\n")
    );
}

/// A page image as darkness.
struct Picture {
    width: usize,
    height: usize,
    dark: Vec<bool>,
}

impl Picture {
    fn read(path: &Path) -> Self {
        /// Ink is darker than this; the pale edge of an anti-aliased stroke is not.
        const INK: u8 = 160;
        let mut reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap()))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let samples = info.color_type.samples();
        let lightness = |pixel: &[u8]| *pixel.iter().take(3).min().unwrap();
        let dark = pixels[..info.buffer_size()]
            .chunks_exact(samples)
            .map(|pixel| lightness(pixel) < INK)
            .collect();
        Self {
            width: info.width as usize,
            height: info.height as usize,
            dark,
        }
    }

    /// How far the extent of the dark pixels around a word is from its box, at the worst side.
    fn distance(&self, layout: &Layout, word: &Word) -> f64 {
        self.sides(layout, word)
            .into_iter()
            .map(f64::abs)
            .fold(0.0, f64::max)
    }

    /// For each side (left, top, right, bottom), where the ink ends less where the box does.
    fn sides(&self, layout: &Layout, word: &Word) -> [f64; 4] {
        /// How far around the box ink is looked for.
        const AROUND_PX: f64 = 4.0;
        let [across, down] = layout
            .image
            .expect("an image")
            .px_per_pt
            .map(|px_per_pt| px_per_pt / 100.0);
        let (x_of, y_of) = (|x: i32| f64::from(x) * across, |y: i32| f64::from(y) * down);
        let b = word.bounds;
        let wanted = [x_of(b.left), y_of(b.top), x_of(b.right), y_of(b.bottom)];
        let others: Vec<_> = layout
            .words()
            .filter(|other| !std::ptr::eq(*other, word))
            .map(|other| other.bounds)
            .collect();
        let of_another = |x: f64, y: f64| {
            others.iter().any(|o| {
                x_of(o.left) - 1.0 <= x
                    && x <= x_of(o.right) + 1.0
                    && y_of(o.top) - 1.0 <= y
                    && y <= y_of(o.bottom) + 1.0
            })
        };
        let range = |low: f64, high: f64, end: usize| {
            (low - AROUND_PX).floor().max(0.0) as usize
                ..((high + AROUND_PX).ceil() as usize).min(end)
        };
        let mut seen: Option<[f64; 4]> = None;
        for y in range(wanted[1], wanted[3], self.height) {
            for x in range(wanted[0], wanted[2], self.width) {
                let (left, top) = (x as f64, y as f64);
                let inside = wanted[0] - 0.5 <= left + 0.5
                    && left + 0.5 <= wanted[2] + 0.5
                    && wanted[1] - 0.5 <= top + 0.5
                    && top + 0.5 <= wanted[3] + 0.5;
                if self.dark[y * self.width + x] && (inside || !of_another(left + 0.5, top + 0.5)) {
                    let s = seen.get_or_insert([left, top, left + 1.0, top + 1.0]);
                    *s = [
                        s[0].min(left),
                        s[1].min(top),
                        s[2].max(left + 1.0),
                        s[3].max(top + 1.0),
                    ];
                }
            }
        }
        let Some(seen) = seen else {
            return [f64::INFINITY; 4];
        };
        std::array::from_fn(|side| seen[side] - wanted[side])
    }
}
