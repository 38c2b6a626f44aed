//! The two pictures of the sample, computed.

use crate::noise::Noise;
use crate::pdf::{Face, GreyPlate, Ink, Picture, TypeCase};

use super::prose;

/// So many colours from the centre outwards.
const SHADES: u8 = 96;

/// Plate I: a Julia set, coloured by how near each point's path came to the centre. Only sums, products and square roots
/// of `f64` are used, which every machine rounds alike.
pub(super) fn julia() -> Picture {
    const WIDTH: u16 = 480;
    const HEIGHT: u16 = 330;
    let mut places = Vec::with_capacity(usize::from(WIDTH) * usize::from(HEIGHT));
    for row in 0..HEIGHT {
        for column in 0..WIDTH {
            let x = (f64::from(column) - f64::from(WIDTH) / 2.0) / 150.0;
            let y = (f64::from(row) - f64::from(HEIGHT) / 2.0) / 150.0;
            places.push((nearest(x, y).sqrt().min(1.0) * f64::from(SHADES - 1)) as u8);
        }
    }
    Picture::painted(WIDTH, HEIGHT, &places, (0..SHADES).map(shade).collect())
}

/// The least squared distance from the centre on the path of (`x`, `y`) under z² + c.
fn nearest(mut x: f64, mut y: f64) -> f64 {
    const STEPS: usize = 60;
    let mut nearest = f64::MAX;
    for _ in 0..STEPS {
        (x, y) = (x * x - y * y - 0.79, 2.0 * x * y + 0.15);
        let distance = x * x + y * y;
        nearest = nearest.min(distance);
        if distance > 16.0 {
            break;
        }
    }
    nearest
}

/// From deep blue at the centre over sand to near white.
fn shade(place: u8) -> [u8; 3] {
    let mix =
        |from: u32, to: u32| (from + (to - from) * u32::from(place) / u32::from(SHADES - 1)) as u8;
    [mix(18, 250), mix(32, 236), mix(84, 205)]
}

/// The page that was lost: letters as a scanner sees them, askew, on grainy paper.
pub(super) fn scan(case: &TypeCase) -> Picture {
    const WIDTH: u16 = 620;
    const HEIGHT: u16 = 877;
    const SLOPE: f32 = 0.012;
    let mut plate = GreyPlate::new(WIDTH, HEIGHT, 226);
    plate.grain(&mut Noise::seeded(1623), 6, 12);
    let ink = Ink {
        face: Face::Roman,
        size: 27.0,
        slope: SLOPE,
        grey: 52,
    };
    for (index, line) in prose::SCANNED.iter().enumerate() {
        let y = 140.0 + 34.0 * index as f32;
        plate.write(case, ink, (84.0 - y * SLOPE, y), line);
    }
    plate.write(
        case,
        Ink {
            face: Face::Italic,
            size: 21.0,
            ..ink
        },
        (300.0, 800.0),
        "10",
    );
    Picture::grey(WIDTH, HEIGHT, plate.pixels())
}
