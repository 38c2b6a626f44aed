//! `cargo xtask big-pdf PAGES OUT`: a long document of mixed load, for measuring and for runs that are killed half-way.
//!
//! Ten pages repeat: five of text, two of tables, one with a photograph, one that is a scan and nothing else, one of curves.
//! Twelve photographs and six scans are shared, as a real volume shares nothing, so that fifteen hundred pages stay a
//! few megabytes. The words are noise with the letters of English. The file depends on the number of pages alone.

use std::process::ExitCode;

use crate::noise::Noise;
use crate::pdf::{Face, GreyPlate, Ink, Picture, Press, Sheet, Style, TypeCase};

/// A4 in points.
const WIDTH: f32 = 595.0;
const HEIGHT: f32 = 842.0;
const LEFT: f32 = 50.0;
const MEASURE: f32 = 495.0;

/// The most pages that one file may have; it is built in memory, at some 5 kB a page.
pub const PAGES_MAX: u32 = 100_000;

const PHOTOGRAPHS: u32 = 12;
const SCANS: u32 = 6;
const WORDS: usize = 4_000;

const HEADING: Style = Style::body(16.0).ragged();
const TEXT: Style = Style::body(10.0).ragged();
const CELL: Style = Style::body(8.0).ragged();

/// `cargo xtask big-pdf PAGES OUT`.
///
/// # Errors
/// When the arguments are not a number of pages from 1 to [`PAGES_MAX`] and a file, or the file cannot be written.
pub fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let [pages, out] = arguments else {
        return Err(
            "takes a number of pages and the file to write: cargo xtask big-pdf 1500 big.pdf"
                .to_owned(),
        );
    };
    let pages: u32 = pages
        .parse()
        .map_err(|_| format!("{pages:?} is not a number of pages"))?;
    if !(1..=PAGES_MAX).contains(&pages) {
        return Err(format!(
            "{pages} pages are out of range; give 1 to {PAGES_MAX}"
        ));
    }
    let bytes = document(pages);
    std::fs::write(out, &bytes).map_err(|error| format!("cannot write {out}: {error}"))?;
    println!("{out}: {pages} pages, {} bytes", bytes.len());
    Ok(ExitCode::SUCCESS)
}

/// A document of `pages` pages.
#[must_use]
pub fn document(pages: u32) -> Vec<u8> {
    let mut press = Press::default();
    let mut noise = Noise::seeded(1);
    let words = Words::new(&mut noise);
    for number in 0..PHOTOGRAPHS.min(pages.div_ceil(10)) {
        press.add_picture(&photograph_name(number), &photograph(number));
    }
    for number in 0..SCANS.min(pages.div_ceil(10)) {
        let picture = scan(&press.case, &words, number);
        press.add_picture(&scan_name(number), &picture);
    }
    for page in 0..pages {
        let sheet = page_of(&mut press.case, &words, page);
        press.add_sheet(sheet);
    }
    press.finish("A long document of mixed load", "The Folio project")
}

/// Page `page`, counted from zero; it depends on no other page.
fn page_of(case: &mut TypeCase, words: &Words, page: u32) -> Sheet {
    let mut noise = Noise::seeded(u64::from(page) + 1_000);
    let mut sheet = Sheet::new(WIDTH, HEIGHT);
    match page % 10 {
        0..=4 => text(&mut sheet, case, words, &mut noise, 760.0),
        5 | 6 => table(&mut sheet, case, words, &mut noise),
        7 => {
            sheet.picture(
                &photograph_name(page / 10 % PHOTOGRAPHS),
                LEFT,
                400.0,
                MEASURE,
                330.0,
            );
            text(&mut sheet, case, words, &mut noise, 380.0);
        }
        8 => {
            // A scan has no text of its own, not even a number: it is the page that needs to be read from its picture.
            sheet.picture(&scan_name(page / 10 % SCANS), 0.0, 0.0, WIDTH, HEIGHT);
            return sheet;
        }
        _ => {
            curves(&mut sheet, &mut noise);
            text(&mut sheet, case, words, &mut noise, 250.0);
        }
    }
    let heading = format!("Section {}: {}", page + 1, words.row(&mut noise, 4));
    sheet.line(case, HEADING, LEFT, 790.0, &heading);
    sheet.centred(case, TEXT, WIDTH / 2.0, 30.0, &format!("- {} -", page + 1));
    sheet
}

/// Lines of words from `top` down to the foot.
fn text(sheet: &mut Sheet, case: &mut TypeCase, words: &Words, noise: &mut Noise, top: f32) {
    const FOOT: f32 = 60.0;
    let lines = ((top - FOOT) / TEXT.leading) as usize;
    let words_enough = lines * 20;
    sheet.lines(
        case,
        TEXT,
        (LEFT, top),
        MEASURE,
        lines,
        &words.row(noise, words_enough),
    );
}

fn table(sheet: &mut Sheet, case: &mut TypeCase, words: &Words, noise: &mut Noise) {
    const COLUMNS: usize = 7;
    const ROWS: usize = 30;
    const COLUMN: f32 = 70.0;
    const ROW: f32 = 18.0;
    const TOP: f32 = 740.0;
    let (right, bottom) = (LEFT + COLUMN * COLUMNS as f32, TOP - ROW * ROWS as f32);
    sheet
        .content()
        .set_fill_gray(0.85)
        .rect(LEFT, TOP - ROW, right - LEFT, ROW)
        .fill_nonzero()
        .set_fill_gray(0.0);
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let (x, y) = (
                LEFT + COLUMN * column as f32 + 6.0,
                TOP - ROW * (row + 1) as f32 + 6.0,
            );
            let cell = if column < 3 {
                words.one(noise).to_owned()
            } else {
                format!("{:.2}", noise.between(0.0, 1e4))
            };
            sheet.line(case, CELL, x, y, &cell);
        }
    }
    for row in 0..=ROWS {
        let y = TOP - ROW * row as f32;
        sheet.rule(0.5, (LEFT, y), (right, y));
    }
    for column in 0..=COLUMNS {
        let x = LEFT + COLUMN * column as f32;
        sheet.rule(0.5, (x, TOP), (x, bottom));
    }
}

fn curves(sheet: &mut Sheet, noise: &mut Noise) {
    const CURVES: usize = 400;
    for _ in 0..CURVES {
        let [red, green, blue] =
            std::array::from_fn(|_| (noise.fraction() * 100.0).round() / 100.0);
        let points: [(f32, f32); 4] = std::array::from_fn(|_| {
            (
                noise.between(50.0, 540.0).round(),
                noise.between(270.0, 770.0).round(),
            )
        });
        let content = sheet.content();
        content
            .set_stroke_rgb(red, green, blue)
            .move_to(points[0].0, points[0].1);
        content
            .cubic_to(
                points[1].0,
                points[1].1,
                points[2].0,
                points[2].1,
                points[3].0,
                points[3].1,
            )
            .stroke();
    }
}

fn photograph_name(number: u32) -> String {
    format!("photograph{number}")
}

fn scan_name(number: u32) -> String {
    format!("scan{number}")
}

/// Soft patches of colour with the grain of a sensor: about as hard to pack as a real photograph.
fn photograph(number: u32) -> Picture {
    const WIDTH: u16 = 1_200;
    const HEIGHT: u16 = 800;
    const PATCH: usize = 40;
    const GRAIN: f32 = 12.0;
    let mut noise = Noise::seeded(u64::from(number) + 1);
    let columns = usize::from(WIDTH) / PATCH + 2;
    let rows = usize::from(HEIGHT) / PATCH + 2;
    let corners: Vec<[f32; 3]> = (0..columns * rows)
        .map(|_| std::array::from_fn(|_| noise.between(0.0, 255.0)))
        .collect();
    let mut pixels = Vec::with_capacity(usize::from(WIDTH) * usize::from(HEIGHT) * 3);
    for y in 0..usize::from(HEIGHT) {
        for x in 0..usize::from(WIDTH) {
            let corner = y / PATCH * columns + x / PATCH;
            let (across, down) = (eased(x % PATCH, PATCH), eased(y % PATCH, PATCH));
            pixels.extend(std::array::from_fn::<u8, 3, _>(|channel| {
                let mix = |from: usize| {
                    let (left, right) = (corners[from][channel], corners[from + 1][channel]);
                    left + (right - left) * across
                };
                let (upper, lower) = (mix(corner), mix(corner + columns));
                let value = upper + (lower - upper) * down + noise.between(-GRAIN, GRAIN);
                value.clamp(0.0, 255.0) as u8
            }));
        }
    }
    Picture::jpeg_colour(WIDTH, HEIGHT, &pixels, 88)
}

/// How far `step` of `steps` is along a curve that starts and ends level.
fn eased(step: usize, steps: usize) -> f32 {
    let along = step as f32 / steps as f32;
    along * along * (3.0 - 2.0 * along)
}

/// A page of text at 200 dots to the inch, as a picture with the grain of paper.
fn scan(case: &TypeCase, words: &Words, number: u32) -> Picture {
    const WIDTH: u16 = 1_654;
    const HEIGHT: u16 = 2_339;
    let mut noise = Noise::seeded(u64::from(number) + 100);
    let mut plate = GreyPlate::new(WIDTH, HEIGHT, 246);
    plate.grain(&mut noise, 9, 1);
    let ink = Ink {
        face: Face::Roman,
        size: 28.0,
        slope: 0.002,
        grey: 20,
    };
    for y in (150..2_200).step_by(36) {
        plate.write(case, ink, (150.0, y as f32), &words.row(&mut noise, 16));
    }
    Picture::jpeg_grey(WIDTH, HEIGHT, plate.pixels(), 80)
}

/// A vocabulary of made-up words.
struct Words {
    words: Vec<String>,
}

impl Words {
    fn new(noise: &mut Noise) -> Self {
        const LETTERS: &[u8] = b"etaoinshrdlucmfwypvbgk";
        let letter =
            |noise: &mut Noise| char::from(LETTERS[noise.below(LETTERS.len() as u64) as usize]);
        let words = (0..WORDS)
            .map(|_| {
                let length = 2 + noise.below(10);
                (0..length).map(|_| letter(noise)).collect()
            })
            .collect();
        Self { words }
    }

    fn one(&self, noise: &mut Noise) -> &str {
        &self.words[noise.below(self.words.len() as u64) as usize]
    }

    fn row(&self, noise: &mut Noise, count: usize) -> String {
        (0..count)
            .map(|_| self.one(noise))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_of_pages_gives_the_same_file() {
        assert!(document(3) == document(3));
    }

    #[test]
    fn it_has_as_many_pages_as_were_asked_for() {
        let bytes = document(12);
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(text.matches("/Type /Page\n").count(), 12);
        assert!(text.contains("/Count 12\n"));
    }

    #[test]
    fn nonsense_for_arguments_is_refused_with_the_reason() {
        let refused = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments
                .iter()
                .map(|&argument| argument.to_owned())
                .collect();
            run(&arguments).expect_err("these arguments cannot work")
        };
        assert!(refused(&["ten", "x.pdf"]).contains("\"ten\" is not a number"));
        assert!(refused(&["0", "x.pdf"]).contains("out of range"));
        assert!(refused(&["10"]).contains("file to write"));
    }
}
