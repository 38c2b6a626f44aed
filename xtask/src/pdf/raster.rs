//! Letters drawn into a grey picture: what a scanner would have seen.

use ttf_parser::OutlineBuilder;

use super::{Face, TypeCase};
use crate::noise::Noise;

/// Each pixel is sampled on so many rows and columns; 4 x 4 gives sixteen greys at a letter's edge.
const SAMPLES: usize = 4;

/// A curve becomes so many straight pieces; at the sizes of a page the corners are below a pixel.
const PIECES_PER_CURVE: usize = 6;

/// How letters are drawn into a picture.
#[derive(Clone, Copy, Debug)]
pub struct Ink {
    /// The typeface.
    pub face: Face,
    /// Pixels to the em.
    pub size: f32,
    /// How far the baseline falls, in pixels per pixel, as it does on a sheet that lay askew.
    pub slope: f32,
    /// 0 for black.
    pub grey: u8,
}

/// A grey picture under construction: rows from the top, one byte per pixel, 0 for black.
#[derive(Clone, Debug)]
pub struct GreyPlate {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl GreyPlate {
    /// A plate of one grey.
    #[must_use]
    pub fn new(width: u16, height: u16, grey: u8) -> Self {
        let (width, height) = (usize::from(width), usize::from(height));
        Self {
            width,
            height,
            pixels: vec![grey; width * height],
        }
    }

    /// The pixels, row by row.
    #[must_use]
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Adds the grain of paper: one pixel in `rarity` becomes up to `strength` greys lighter or darker.
    pub fn grain(&mut self, noise: &mut Noise, strength: u8, rarity: u64) {
        let span = u64::from(strength) * 2 + 1;
        for pixel in &mut self.pixels {
            if noise.below(rarity) == 0 {
                let step = noise.below(span) as i16 - i16::from(strength);
                *pixel = (i16::from(*pixel) + step).clamp(0, 255) as u8;
            }
        }
    }

    /// Writes `line` in its ink, from (`x`, `y`) on the baseline; both in pixels from the upper left corner.
    pub fn write(&mut self, case: &TypeCase, ink: Ink, (x, y): (f32, f32), line: &str) {
        let outlines = case.outlines(ink.face);
        let scale = ink.size / f32::from(outlines.units_per_em());
        let mut pen = x;
        for character in line.chars() {
            let Some(glyph) = outlines.glyph_index(character) else {
                continue;
            };
            let origin = (pen, y + (pen - x) * ink.slope);
            let mut path = Path {
                scale,
                origin,
                slope: ink.slope,
                ..Path::default()
            };
            outlines.outline_glyph(glyph, &mut path);
            self.fill(&path.edges, ink.grey);
            pen += f32::from(outlines.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
        }
    }

    /// Darkens the pixels inside `edges`, by the non-zero winding rule.
    fn fill(&mut self, edges: &[Edge], grey: u8) {
        let Some(bounds) = bounds(edges) else { return };
        let columns = bounds.0.min(self.width)..(bounds.2 + 1).min(self.width);
        let mut coverage = vec![0_u16; columns.len()];
        for row in bounds.1.min(self.height)..(bounds.3 + 1).min(self.height) {
            coverage.fill(0);
            for sample in 0..SAMPLES {
                let height = row as f32 + (sample as f32 + 0.5) / SAMPLES as f32;
                cover(&mut coverage, columns.start, &crossings(edges, height));
            }
            for (column, covered) in columns.clone().zip(&coverage) {
                let pixel = &mut self.pixels[row * self.width + column];
                let full = (SAMPLES * SAMPLES) as u16;
                let mixed = u16::from(*pixel) * (full - covered) + u16::from(grey) * covered;
                *pixel = (mixed / full) as u8;
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: (f32, f32),
    to: (f32, f32),
}

/// The whole pixels that hold all of `edges`: left, top, right, bottom.
fn bounds(edges: &[Edge]) -> Option<(usize, usize, usize, usize)> {
    let points = || edges.iter().flat_map(|edge| [edge.from, edge.to]);
    edges.first()?;
    let low = points().fold((f32::MAX, f32::MAX), |low, point| {
        (low.0.min(point.0), low.1.min(point.1))
    });
    let high = points().fold((0.0_f32, 0.0_f32), |high, point| {
        (high.0.max(point.0), high.1.max(point.1))
    });
    Some((
        low.0.max(0.0) as usize,
        low.1.max(0.0) as usize,
        high.0 as usize,
        high.1 as usize,
    ))
}

/// Where `edges` cross the horizontal line at `height`, from left to right, with the direction of each.
fn crossings(edges: &[Edge], height: f32) -> Vec<(f32, i32)> {
    let mut crossings: Vec<(f32, i32)> = edges
        .iter()
        .filter(|edge| (edge.from.1 <= height) != (edge.to.1 <= height))
        .map(|edge| {
            let along = (height - edge.from.1) / (edge.to.1 - edge.from.1);
            (
                edge.from.0 + along * (edge.to.0 - edge.from.0),
                if edge.to.1 > edge.from.1 { 1 } else { -1 },
            )
        })
        .collect();
    crossings.sort_by(|left, right| left.0.total_cmp(&right.0));
    crossings
}

/// Adds one sampled row to `coverage`, whose first entry is the pixel column `first`.
fn cover(coverage: &mut [u16], first: usize, crossings: &[(f32, i32)]) {
    let mut winding = 0;
    for pair in crossings.windows(2) {
        winding += pair[0].1;
        if winding == 0 {
            continue;
        }
        let sample = |x: f32| ((x - first as f32) * SAMPLES as f32).round().max(0.0) as usize;
        for covered in sample(pair[0].0)..sample(pair[1].0) {
            if let Some(pixel) = coverage.get_mut(covered / SAMPLES) {
                *pixel += 1;
            }
        }
    }
}

/// A glyph's outline as straight edges in pixels, with the y axis turned downwards.
#[derive(Debug, Default)]
struct Path {
    scale: f32,
    origin: (f32, f32),
    slope: f32,
    start: (f32, f32),
    pen: (f32, f32),
    edges: Vec<Edge>,
}

impl Path {
    fn placed(&self, x: f32, y: f32) -> (f32, f32) {
        let across = x * self.scale;
        (
            self.origin.0 + across,
            self.origin.1 - y * self.scale + across * self.slope,
        )
    }

    fn edge(&mut self, to: (f32, f32)) {
        self.edges.push(Edge { from: self.pen, to });
        self.pen = to;
    }

    fn curve(&mut self, point: impl Fn(f32) -> (f32, f32)) {
        for piece in 1..=PIECES_PER_CURVE {
            self.edge(point(piece as f32 / PIECES_PER_CURVE as f32));
        }
    }
}

impl OutlineBuilder for Path {
    fn move_to(&mut self, x: f32, y: f32) {
        self.pen = self.placed(x, y);
        self.start = self.pen;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.edge(self.placed(x, y));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (from, control, to) = (self.pen, self.placed(x1, y1), self.placed(x, y));
        let mix = |t: f32, a: f32, b: f32, c: f32| {
            (1.0 - t) * (1.0 - t) * a + 2.0 * (1.0 - t) * t * b + t * t * c
        };
        self.curve(|t| {
            (
                mix(t, from.0, control.0, to.0),
                mix(t, from.1, control.1, to.1),
            )
        });
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (a, b, c, d) = (
            self.pen,
            self.placed(x1, y1),
            self.placed(x2, y2),
            self.placed(x, y),
        );
        let mix = |t: f32, a: f32, b: f32, c: f32, d: f32| {
            let s = 1.0 - t;
            s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
        };
        self.curve(|t| (mix(t, a.0, b.0, c.0, d.0), mix(t, a.1, b.1, c.1, d.1)));
    }

    fn close(&mut self) {
        self.edge(self.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: Ink = Ink {
        face: Face::Roman,
        size: 40.0,
        slope: 0.0,
        grey: 0,
    };

    #[test]
    fn a_letter_leaves_ink_where_it_stands_and_nowhere_else() {
        let mut plate = GreyPlate::new(60, 60, 255);
        plate.write(&TypeCase::default(), BLACK, (10.0, 45.0), "I");
        let dark: Vec<usize> = (0..3600)
            .filter(|index| plate.pixels()[*index] < 64)
            .collect();
        assert!(
            dark.len() > 60,
            "a stem of 40 pixels to the em covers more than {} pixels",
            dark.len()
        );
        assert!(
            dark.iter()
                .all(|index| (10..26).contains(&(index % 60)) && (15..46).contains(&(index / 60)))
        );
    }

    #[test]
    fn a_letter_that_hangs_over_the_edge_is_cut_off() {
        let mut plate = GreyPlate::new(8, 8, 255);
        plate.write(&TypeCase::default(), BLACK, (-5.0, 12.0), "OO");
        assert!(plate.pixels().iter().any(|pixel| *pixel < 255));
    }
}
