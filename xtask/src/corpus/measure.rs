//! Measures the stored pages of a document: words, and whether their boxes lie on the ink of the picture.

use std::path::Path;

use serde_json::Value;

use super::seen::Measures;

/// A pixel darker than this, of 255, is ink.
const DARK: u8 = 160;

/// How far a box may be from its ink, in pixels on each side.
const TOLERANCE_PX: f64 = 1.5;

/// A page in grey: rows from the top, one byte per pixel.
struct Plate {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

/// Measures every page in `folder`, with its picture where that is a PNG.
///
/// # Errors
/// When a stored page cannot be read: it was reported as completed.
pub fn measures(folder: &Path) -> Result<Measures, String> {
    let mut measures = Measures::default();
    let pages = folder.join("pages");
    let Ok(entries) = std::fs::read_dir(&pages) else {
        return Ok(measures);
    };
    for entry in entries.flatten().filter(|entry| {
        entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "json")
    }) {
        let path = entry.path();
        let named = |error: String| format!("{}: {error}", path.display());
        let bytes = std::fs::read(&path).map_err(|error| named(error.to_string()))?;
        let layout: Value =
            serde_json::from_slice(&bytes).map_err(|error| named(error.to_string()))?;
        let picture = path.with_extension("png");
        let plate = if picture.exists() {
            Some(plate(&picture).map_err(named)?)
        } else {
            None
        };
        add(&mut measures, &layout, plate.as_ref());
    }
    Ok(measures)
}

fn add(measures: &mut Measures, layout: &Value, plate: Option<&Plate>) {
    measures.unmapped += layout["unmapped_chars"].as_u64().unwrap_or_default();
    let boxes: Vec<[f64; 4]> = word_boxes(layout);
    measures.words += boxes.len() as u64;
    let Some(plate) = plate else { return };
    if layout["page"] == 1 {
        measures.dark = plate.pixels.iter().filter(|pixel| **pixel < DARK).count() as u64;
    }
    let px_per_pt = &layout["image"]["px_per_pt"];
    let [across, down] = [0, 1].map(|axis| px_per_pt[axis].as_f64().unwrap_or_default() / 100.0);
    for place in boxes
        .iter()
        .map(|[left, top, right, bottom]| {
            [left * across, top * down, right * across, bottom * down]
        })
        .filter(|place| plate.shows(place))
    {
        measures.placed += 1;
        if let Some(ink) = plate.ink(&place) {
            measures.touching += 1;
            let fits = place
                .iter()
                .zip(&ink)
                .all(|(edge, ink)| (edge - ink).abs() <= TOLERANCE_PX);
            measures.fitting += u64::from(fits);
        }
    }
}

/// The boxes of all words, in 1/100 pt: left, top, right, bottom.
fn word_boxes(layout: &Value) -> Vec<[f64; 4]> {
    let items = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let lines = items(&layout["blocks"])
        .into_iter()
        .flat_map(|block| items(&block["lines"]));
    let words = lines.flat_map(|line| items(&line["words"]));
    words
        .filter_map(|word| serde_json::from_value(word["box"].clone()).ok())
        .collect()
}

impl Plate {
    /// Whether all of `place` is on the page; what the crop box cuts has no whole ink to compare with.
    fn shows(&self, place: &[f64; 4]) -> bool {
        let [left, top, right, bottom] = *place;
        left >= 0.0 && top >= 0.0 && right <= self.width as f64 && bottom <= self.height as f64
    }

    /// The extent of the ink in and closely around `place`, in whole pixels; none when there is no ink.
    fn ink(&self, place: &[f64; 4]) -> Option<[f64; 4]> {
        const AROUND: f64 = 2.0;
        let low = |edge: f64| (edge - AROUND).max(0.0) as usize;
        let (columns, rows) = (
            low(place[0])..high(place[2] + AROUND, self.width),
            low(place[1])..high(place[3] + AROUND, self.height),
        );
        let mut extent: Option<[usize; 4]> = None;
        for row in rows {
            for column in columns.clone() {
                if self.pixels[row * self.width + column] < DARK {
                    let [left, top, right, bottom] =
                        extent.unwrap_or([column, row, column + 1, row + 1]);
                    extent = Some([
                        left.min(column),
                        top,
                        right.max(column + 1),
                        bottom.max(row + 1),
                    ]);
                }
            }
        }
        extent.map(|extent| extent.map(|edge| edge as f64))
    }
}

fn high(edge: f64, end: usize) -> usize {
    (edge.ceil() as usize + 1).min(end)
}

fn plate(path: &Path) -> Result<Plate, String> {
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut decoder = png::Decoder::new(std::io::BufReader::new(file));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let size = reader
        .output_buffer_size()
        .ok_or("the picture is too large")?;
    let mut pixels = vec![0; size];
    let info = reader
        .next_frame(&mut pixels)
        .map_err(|error| error.to_string())?;
    let samples = info.color_type.samples();
    // The darkest channel: coloured ink on white is ink.
    let darkest = |pixel: &[u8]| pixel.iter().take(3).copied().min().unwrap_or(u8::MAX);
    let pixels = pixels[..info.buffer_size()]
        .chunks_exact(samples)
        .map(darkest)
        .collect();
    Ok(Plate {
        width: info.width as usize,
        height: info.height as usize,
        pixels,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A page of 40 x 20 pixels with a black box from (10, 5) to (30, 12).
    fn page() -> Plate {
        let inside =
            |index: usize| (10..30).contains(&(index % 40)) && (5..12).contains(&(index / 40));
        Plate {
            width: 40,
            height: 20,
            pixels: (0..800)
                .map(|index| if inside(index) { 0 } else { 255 })
                .collect(),
        }
    }

    fn layout(boxes: &[[i32; 4]]) -> Value {
        let words: Vec<Value> = boxes
            .iter()
            .map(|place| json!({ "text": "x", "box": place }))
            .collect();
        json!({ "page": 1, "unmapped_chars": 2, "image": { "px_per_pt": [2.0, 2.0] }, "blocks": [{ "lines": [{ "words": words }] }] })
    }

    #[test]
    fn a_box_on_its_ink_fits_one_beside_it_touches_and_one_off_it_does_neither() {
        let mut measures = Measures::default();
        let boxes = [
            [500, 250, 1500, 600],
            [700, 250, 1500, 600],
            [0, 700, 300, 900],
        ];
        add(&mut measures, &layout(&boxes), Some(&page()));
        let expected = Measures {
            words: 3,
            unmapped: 2,
            placed: 3,
            fitting: 1,
            touching: 2,
            dark: 140,
        };
        assert_eq!(measures, expected);
    }

    #[test]
    fn what_the_page_does_not_show_is_not_judged() {
        let mut measures = Measures::default();
        add(
            &mut measures,
            &layout(&[[1500, 250, 2500, 600]]),
            Some(&page()),
        );
        assert_eq!((measures.words, measures.placed), (1, 0));
    }

    #[test]
    fn a_stored_page_is_read_with_its_picture() {
        let folder = tempfile::tempdir().unwrap();
        let pages = folder.path().join("pages");
        std::fs::create_dir(&pages).unwrap();
        std::fs::write(
            pages.join("00001.json"),
            layout(&[[500, 250, 1500, 600]]).to_string(),
        )
        .unwrap();
        let mut encoder = png::Encoder::new(
            std::fs::File::create(pages.join("00001.png")).unwrap(),
            40,
            20,
        );
        encoder.set_color(png::ColorType::Grayscale);
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&page().pixels)
            .unwrap();
        let measures = measures(folder.path()).unwrap();
        assert_eq!(
            (measures.placed, measures.fitting, measures.dark),
            (1, 1, 140)
        );
    }

    #[test]
    fn a_stored_page_that_is_no_json_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("pages")).unwrap();
        std::fs::write(folder.path().join("pages/00001.json"), "{").unwrap();
        assert!(measures(folder.path()).unwrap_err().contains("00001.json"));
    }
}
