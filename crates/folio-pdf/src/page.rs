//! One page: how large it is, what it looks like, what is written on it.

use std::fmt;

use crate::bitmap::Bitmap;
use crate::chars;
use crate::counters::COUNTERS;
use crate::error::PageError;
use crate::ffi::{PageHandle, RenderEnd};
use crate::geometry::Placement;
use crate::limits::{CHARS_PER_PAGE, PIXELS_PER_PAGE, PIXELS_PER_SIDE};
use crate::text::PageText;

/// Points in an inch.
const POINTS_PER_INCH: f64 = 72.0;

/// A loaded page. It is closed, on the owner's thread, when it is dropped.
pub struct Page<'d> {
    handle: PageHandle<'d>,
    placement: Placement,
}

impl<'d> Page<'d> {
    pub(crate) fn new(handle: PageHandle<'d>) -> Result<Page<'d>, PageError> {
        let placement = placement_of(&handle);
        let page = Page { handle, placement };
        page.check_reading()?;
        Ok(page)
    }

    /// Width and height as displayed, in points: crop box applied, rotation applied.
    pub fn size(&self) -> (f32, f32) {
        self.handle.size()
    }

    /// Degrees by which the page is turned clockwise to be displayed: 0, 90, 180 or 270.
    pub fn rotation(&self) -> u16 {
        self.placement.quarter_turns * 90
    }

    /// The part of the page that is displayed, in the page's own user space: left, bottom, right, top, in points.
    pub fn crop_box(&self) -> [f32; 4] {
        let Placement {
            left,
            bottom,
            right,
            top,
            ..
        } = self.placement;
        [left as f32, bottom as f32, right as f32, top as f32]
    }

    /// Width and height of the picture at `dpi` dots per inch, in pixels, rounded up. Nothing is allocated.
    ///
    /// # Errors
    /// [`PageError::TooLarge`] over a cap, [`PageError::Empty`] for a page without area.
    pub fn pixel_size(&self, dpi: u32) -> Result<(u32, u32), PageError> {
        pixel_size(self.size(), dpi)
    }

    /// Draws the page at `dpi` dots per inch into `into`, on white, with its annotations and form fields.
    ///
    /// `deadline` is asked again and again while PDFium draws, on this thread; once it answers `true` the rendering is given
    /// up. It cannot interrupt a single image or shading, nor the drawing of form fields. After an error `into` holds
    /// nothing of use. A panic of `deadline` comes out of this call after the rendering was closed.
    ///
    /// # Errors
    /// As [`Page::pixel_size`], and [`PageError::Deadline`], [`PageError::OutOfMemory`], [`PageError::Render`],
    /// [`PageError::Io`].
    pub fn render(
        &mut self,
        dpi: u32,
        into: &mut Bitmap,
        deadline: &mut dyn FnMut() -> bool,
    ) -> Result<(), PageError> {
        let (width, height) = self.pixel_size(dpi)?;
        let pixels = into.reset_to_white(width, height)?;
        let bytes = pixels.len() as u64;
        match self.handle.render(pixels, width, height, deadline) {
            RenderEnd::Done => {
                self.check_reading()?;
                COUNTERS.pages_rendered.add();
                Ok(())
            }
            RenderEnd::GivenUp => Err(PageError::Deadline),
            RenderEnd::OutOfMemory => Err(PageError::OutOfMemory { bytes }),
            RenderEnd::Failed => Err(PageError::Render),
        }
    }

    /// The characters of the page, all of them, also those outside the crop box. It cannot be interrupted.
    ///
    /// # Errors
    /// [`PageError::Text`] if PDFium cannot read the text, [`PageError::TooMuchText`] over the cap, [`PageError::Io`] if the file cannot be read.
    pub fn text(&self) -> Result<PageText, PageError> {
        let text = self.handle.text().ok_or(PageError::Text)?;
        let chars = text.char_count();
        if chars > CHARS_PER_PAGE {
            return Err(PageError::TooMuchText { chars });
        }
        let mut page_text = chars::read(&text, &self.placement);
        page_text.has_image = chars::has_image(&self.handle);
        self.check_reading()?;
        Ok(page_text)
    }

    /// PDFium takes what it cannot read for empty and goes on; a page must not be passed off as empty because a disk failed.
    fn check_reading(&self) -> Result<(), PageError> {
        self.handle
            .reader()
            .take_failure()
            .map_or(Ok(()), |error| Err(PageError::Io(error)))
    }
}

impl fmt::Debug for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page")
            .field("placement", &self.placement)
            .finish_non_exhaustive()
    }
}

fn placement_of(handle: &PageHandle<'_>) -> Placement {
    let quarter_turns = handle.quarter_turns();
    if let Some(rect) = handle.bounding_box() {
        return Placement {
            left: rect.left.into(),
            bottom: rect.bottom.into(),
            right: rect.right.into(),
            top: rect.top.into(),
            quarter_turns,
        };
    }
    let (width, height) = handle.size();
    let (width, height) = if quarter_turns.is_multiple_of(2) {
        (width, height)
    } else {
        (height, width)
    };
    Placement {
        left: 0.0,
        bottom: 0.0,
        right: width.into(),
        top: height.into(),
        quarter_turns,
    }
}

/// Rounds up, so that nothing is cut off; a hair above a whole number is taken for that number, because sizes in points are
/// `f32` and their conversion from other units leaves such hairs.
pub(crate) fn pixel_size(
    (width_points, height_points): (f32, f32),
    dpi: u32,
) -> Result<(u32, u32), PageError> {
    const HAIR: f64 = 1e-3;
    let pixels = |points: f32| (f64::from(points) * f64::from(dpi) / POINTS_PER_INCH - HAIR).ceil();
    let (width, height) = (pixels(width_points), pixels(height_points));
    // A size that is not a number is not positive either.
    let has_area = width >= 1.0 && height >= 1.0;
    if !has_area {
        return Err(PageError::Empty {
            width_points,
            height_points,
        });
    }
    let side = f64::from(PIXELS_PER_SIDE);
    if width > side || height > side || width * height > PIXELS_PER_PAGE as f64 {
        return Err(PageError::TooLarge {
            width_points,
            height_points,
            dpi,
            width_pixels: width as u64,
            height_pixels: height as u64,
        });
    }
    Ok((width as u32, height as u32))
}

#[cfg(test)]
mod tests {
    use super::pixel_size;
    use crate::error::PageError;
    use crate::limits::{PIXELS_PER_PAGE, PIXELS_PER_SIDE};

    #[test]
    fn sizes_are_rounded_up() {
        assert_eq!(pixel_size((595.276, 841.89), 150).unwrap(), (1241, 1754));
        assert_eq!(pixel_size((72.0, 36.0), 100).unwrap(), (100, 50));
        assert_eq!(
            pixel_size((72.000_01, 36.01), 100).unwrap(),
            (100, 51),
            "a hair is not a pixel"
        );
    }

    #[test]
    fn each_cap_holds_at_its_own_number() {
        let side = PIXELS_PER_SIDE as f32;
        assert_eq!(pixel_size((side, 10.0), 72).unwrap(), (PIXELS_PER_SIDE, 10));
        assert!(matches!(
            pixel_size((side + 1.0, 10.0), 72),
            Err(PageError::TooLarge {
                width_pixels: 20_001,
                ..
            })
        ));
        assert!(matches!(
            pixel_size((10.0, side + 1.0), 72),
            Err(PageError::TooLarge { .. })
        ));
        let height = (PIXELS_PER_PAGE / 10_000) as f32;
        assert!(pixel_size((10_000.0, height), 72).is_ok());
        assert!(matches!(
            pixel_size((10_000.0, height + 1.0), 72),
            Err(PageError::TooLarge { .. })
        ));
    }

    #[test]
    fn a_page_without_area_is_refused() {
        for size in [(0.0, 10.0), (10.0, -1.0), (f32::NAN, 10.0)] {
            assert!(
                matches!(pixel_size(size, 150), Err(PageError::Empty { .. })),
                "{size:?}"
            );
        }
        assert!(matches!(
            pixel_size((10.0, 10.0), 0),
            Err(PageError::Empty { .. })
        ));
        assert!(matches!(
            pixel_size((f32::INFINITY, 10.0), 72),
            Err(PageError::TooLarge { .. })
        ));
    }
}
