//! The pages of the sample, in order, but for the form.

use pdf_writer::Rect;

use crate::pdf::{Press, Sheet, Style};

use super::prose;

/// A4, in whole points.
pub(super) const WIDTH: f32 = 595.0;
/// A4, in whole points.
pub(super) const HEIGHT: f32 = 842.0;
/// Left edge of the text.
pub(super) const LEFT: f32 = 85.0;
/// Width of the text.
pub(super) const MEASURE: f32 = 425.0;

const TEXT: Style = Style::body(14.0);
const NUMBER: Style = Style::body(10.0).ragged();

pub(super) fn title(press: &mut Press) -> Sheet {
    let mut sheet = Sheet::new(WIDTH, HEIGHT);
    sheet.title = Some("How a Folio Was Made");
    let case = &mut press.case;
    sheet.centred(
        case,
        Style::body(34.0),
        WIDTH / 2.0,
        730.0,
        "How a Folio Was Made",
    );
    sheet.centred(
        case,
        Style::body(14.0).italic(),
        WIDTH / 2.0,
        700.0,
        "in twelve pages, with a picture, a table and a form",
    );
    sheet.rule(
        0.6,
        (WIDTH / 2.0 - 60.0, 676.0),
        (WIDTH / 2.0 + 60.0, 676.0),
    );
    paragraphs(&mut sheet, press, 640.0, prose::OPENING);
    foot(&mut sheet, press, 1);
    sheet
}

pub(super) fn two_columns(press: &mut Press) -> Sheet {
    const COLUMN: f32 = 200.0;
    const GUTTER: f32 = 25.0;
    const TOP: f32 = 690.0;
    const BOTTOM: f32 = 110.0;
    let style = Style::body(13.0);
    let mut sheet = headed(press, "From the Middle Outwards", 740.0);
    let (mut x, mut y) = (LEFT, TOP);
    for paragraph in prose::COLUMNS {
        let lines_needed = 4.0;
        if y - lines_needed * style.leading < BOTTOM {
            (x, y) = (LEFT + COLUMN + GUTTER, TOP);
        }
        y = sheet.paragraph(&mut press.case, style, x, y, COLUMN, paragraph) - 7.0;
    }
    foot(&mut sheet, press, 2);
    sheet
}

pub(super) fn table(press: &mut Press) -> Sheet {
    const HEADS: [&str; 6] = ["Sheet", "Forme", "Left", "Right", "Hours", "Wasted"];
    const ROW: f32 = 28.0;
    let column = MEASURE / 6.0;
    let mut sheet = headed(press, "Which Pages Lay Together", 740.0);
    let top = 700.0;
    for (row, cells) in std::iter::once(&HEADS).chain(prose::FORMES).enumerate() {
        let bottom = top - ROW * (row + 1) as f32;
        for (index, cell) in cells.iter().enumerate() {
            let x = LEFT + column * index as f32;
            let style = if row == 0 { TEXT.italic() } else { TEXT };
            if index < 2 {
                sheet.line(&mut press.case, style, x + 9.0, bottom + 9.5, cell);
            } else {
                sheet.flush_right(&mut press.case, style, x + column - 9.0, bottom + 9.5, cell);
            }
        }
    }
    ruled(&mut sheet, (LEFT, top), (column, ROW), (6, 7));
    let below = top - ROW * 7.0 - 40.0;
    let y = sheet.paragraph(
        &mut press.case,
        TEXT,
        LEFT,
        below,
        MEASURE,
        prose::TABLE_NOTE,
    );
    sheet.paragraph(
        &mut press.case,
        TEXT.italic(),
        LEFT,
        y - 8.0,
        MEASURE,
        "Hours and waste are made up; the pages are not.",
    );
    foot(&mut sheet, press, 3);
    sheet
}

pub(super) fn picture(press: &mut Press) -> Sheet {
    let mut sheet = headed(press, "The Leaf That Went Missing", 740.0);
    sheet.picture("julia", LEFT + 2.5, 420.0, 420.0, 288.75);
    let y = sheet.paragraph(
        &mut press.case,
        Style::body(12.0).italic(),
        LEFT + 30.0,
        396.0,
        MEASURE - 60.0,
        prose::CAPTION,
    );
    sheet.paragraph(
        &mut press.case,
        TEXT,
        LEFT,
        y - 22.0,
        MEASURE,
        prose::PICTURE_NOTE,
    );
    foot(&mut sheet, press, 4);
    sheet
}

/// A page that is wider than high when shown: its content is drawn upwards along the left edge, and a quarter turn
/// clockwise makes it upright.
pub(super) fn turned(press: &mut Press) -> Sheet {
    const COLUMN: f32 = 165.0;
    const ROW: f32 = 26.0;
    let mut sheet = Sheet::new(WIDTH, HEIGHT);
    sheet.title = Some("Lying on Its Side");
    sheet.turn = 90;
    // From here on x runs along the long edge and y up the short one.
    sheet
        .content()
        .save_state()
        .transform([0.0, 1.0, -1.0, 0.0, WIDTH, 0.0]);
    let case = &mut press.case;
    sheet.centred(
        case,
        Style::body(22.0),
        HEIGHT / 2.0,
        510.0,
        "Lying on Its Side",
    );
    let mut y = 470.0;
    for paragraph in prose::TURNED {
        y = sheet.paragraph(case, TEXT, LEFT, y, COLUMN * 4.0, paragraph) - 6.0;
    }
    let top = y - 4.0;
    for (row, cells) in prose::STEPS.iter().enumerate() {
        for (index, cell) in cells.iter().enumerate() {
            let style = if index == 0 { TEXT.italic() } else { TEXT };
            sheet.line(
                case,
                style,
                LEFT + COLUMN * index as f32 + 9.0,
                top - ROW * (row + 1) as f32 + 9.0,
                cell,
            );
        }
    }
    ruled(
        &mut sheet,
        (LEFT, top),
        (COLUMN, ROW),
        (4, prose::STEPS.len()),
    );
    sheet.centred(case, NUMBER, HEIGHT / 2.0, 50.0, "5");
    sheet.content().restore_state();
    sheet
}

/// A page whose sheet and whose trimmed area both begin away from zero, with the binder's marks between the two.
pub(super) fn trimmed(press: &mut Press) -> Sheet {
    let mut sheet = Sheet::new(WIDTH, HEIGHT);
    sheet.title = Some("Under the Plough");
    sheet.media = Rect::new(-30.0, -45.0, 620.0, 880.0);
    let crop = Rect::new(50.0, 140.0, 545.0, 790.0);
    sheet.crop = Some(crop);
    for (x, outwards) in [(crop.x1, -1.0), (crop.x2, 1.0)] {
        for (y, upwards) in [(crop.y1, -1.0), (crop.y2, 1.0)] {
            sheet.rule(0.5, (x + 6.0 * outwards, y), (x + 40.0 * outwards, y));
            sheet.rule(0.5, (x, y + 6.0 * upwards), (x, y + 40.0 * upwards));
        }
    }
    let case = &mut press.case;
    sheet.centred(
        case,
        Style::body(22.0),
        WIDTH / 2.0,
        725.0,
        "Under the Plough",
    );
    paragraphs(&mut sheet, press, 685.0, prose::TRIMMED);
    sheet.centred(&mut press.case, NUMBER, WIDTH / 2.0, 165.0, "6");
    sheet
}

pub(super) fn alphabets(press: &mut Press) -> Sheet {
    let mut sheet = headed(press, "Other Letters", 740.0);
    let mut y = paragraphs(&mut sheet, press, 700.0, prose::GREEK) - 14.0;
    for (language, sentence) in prose::ACCENTED {
        sheet.line(&mut press.case, TEXT.italic(), LEFT, y, language);
        y = sheet.paragraph(
            &mut press.case,
            TEXT.ragged(),
            LEFT + 75.0,
            y,
            MEASURE - 75.0,
            sentence,
        ) - 7.0;
    }
    foot(&mut sheet, press, 8);
    sheet
}

pub(super) fn small_print(press: &mut Press) -> Sheet {
    let style = Style {
        leading: 9.0,
        spacing: 0.16,
        ..Style::body(6.0)
    };
    let mut sheet = headed(press, "In Small Type", 740.0);
    let mut y = 700.0;
    for paragraph in prose::SMALL {
        y = sheet.paragraph(
            &mut press.case,
            style,
            LEFT + 90.0,
            y,
            MEASURE - 180.0,
            paragraph,
        ) - 6.0;
    }
    foot(&mut sheet, press, 9);
    sheet
}

/// One picture over the whole page and not a single letter.
pub(super) fn scanned(_: &mut Press) -> Sheet {
    let mut sheet = Sheet::new(WIDTH, HEIGHT);
    sheet.title = Some("A Leaf Found Again (scan)");
    sheet.picture("scan", 0.0, 0.0, WIDTH, HEIGHT);
    sheet
}

pub(super) fn lists(press: &mut Press) -> Sheet {
    const INDENT: f32 = 24.0;
    let mut sheet = headed(press, "What Can Go Wrong", 740.0);
    let case = &mut press.case;
    let mut y = sheet.paragraph(case, TEXT, LEFT, 700.0, MEASURE, prose::LIST_INTRO) - 6.0;
    for (index, fault) in prose::FAULTS.iter().enumerate() {
        sheet.flush_right(
            case,
            TEXT,
            LEFT + INDENT - 8.0,
            y,
            &format!("{}.", index + 1),
        );
        y = sheet.paragraph(
            case,
            TEXT.ragged(),
            LEFT + INDENT,
            y,
            MEASURE - INDENT,
            fault,
        ) - 4.0;
    }
    y = sheet.paragraph(case, TEXT, LEFT, y - 12.0, MEASURE, "And what he carried:") - 6.0;
    for tool in prose::TOOLS {
        sheet.flush_right(case, TEXT, LEFT + INDENT - 9.0, y, "•");
        y = sheet.paragraph(
            case,
            TEXT.ragged(),
            LEFT + INDENT,
            y,
            MEASURE - INDENT,
            tool,
        ) - 4.0;
    }
    sheet.rule(0.5, (LEFT, 190.0), (LEFT + 120.0, 190.0));
    let note = Style::body(10.0);
    let mut y = 172.0;
    for (mark, text) in prose::FOOTNOTES {
        sheet.line(case, note, LEFT, y, mark);
        y = sheet.paragraph(case, note, LEFT + 12.0, y, MEASURE - 12.0, text) - 3.0;
    }
    foot(&mut sheet, press, 11);
    sheet
}

pub(super) fn colours(press: &mut Press) -> Sheet {
    let mut sheet = headed(press, "Black, Red, and the Rest", 740.0);
    let y = sheet.paragraph(
        &mut press.case,
        TEXT,
        LEFT,
        700.0,
        MEASURE,
        prose::COLOUR_NOTE,
    );
    let top = y - 30.0;
    for index in 0..8_u8 {
        let x = LEFT + 53.0 * f32::from(index);
        let on = |bit: u8| f32::from(index >> bit & 1);
        sheet
            .content()
            .set_fill_rgb(on(2), on(1), on(0))
            .rect(x, top - 50.0, 45.0, 45.0)
            .fill_nonzero();
        let ink = |ink: u8| {
            if index % 4 == ink {
                1.0 - f32::from(index / 4) * 0.5
            } else {
                0.0
            }
        };
        sheet
            .content()
            .set_fill_cmyk(ink(0), ink(1), ink(2), ink(3))
            .rect(x, top - 105.0, 45.0, 45.0)
            .fill_nonzero();
        sheet
            .content()
            .set_fill_gray(f32::from(index) / 7.0)
            .rect(x, top - 160.0, 45.0, 45.0)
            .fill_nonzero();
    }
    sheet.content().set_stroke_gray(0.4);
    for row in [50.0, 105.0, 160.0] {
        for index in 0..8_u8 {
            sheet.frame(0.4, LEFT + 53.0 * f32::from(index), top - row, 45.0, 45.0);
        }
    }
    curves(&mut sheet, top - 190.0);
    sheet.content().set_fill_gray(0.0).set_stroke_gray(0.0);
    sheet.centred(
        &mut press.case,
        Style::body(14.0).italic(),
        WIDTH / 2.0,
        110.0,
        "Finis",
    );
    foot(&mut sheet, press, 12);
    sheet
}

/// A fan of curves between two edges, 200 points high, below `top`.
fn curves(sheet: &mut Sheet, top: f32) {
    const CURVES: u8 = 25;
    for index in 0..CURVES {
        let along = f32::from(index) / f32::from(CURVES - 1);
        let (low, high) = (top - 200.0, top - 200.0 * along);
        sheet
            .content()
            .set_stroke_rgb(0.15 + 0.6 * along, 0.1, 0.6 - 0.5 * along)
            .set_line_width(0.8);
        let content = sheet.content();
        content.move_to(LEFT, high).cubic_to(
            LEFT + 150.0,
            low,
            LEFT + MEASURE * along,
            top,
            LEFT + MEASURE,
            low + 200.0 * along,
        );
        content.stroke();
    }
}

/// A sheet with a centred heading, which is also its line in the table of contents.
pub(super) fn headed(press: &mut Press, heading: &'static str, y: f32) -> Sheet {
    let mut sheet = Sheet::new(WIDTH, HEIGHT);
    sheet.title = Some(heading);
    sheet.centred(&mut press.case, Style::body(22.0), WIDTH / 2.0, y, heading);
    sheet
}

/// The page's number in the foot.
pub(super) fn foot(sheet: &mut Sheet, press: &mut Press, number: u32) {
    sheet.centred(
        &mut press.case,
        NUMBER,
        WIDTH / 2.0,
        60.0,
        &number.to_string(),
    );
}

fn paragraphs(sheet: &mut Sheet, press: &mut Press, top: f32, texts: &[&str]) -> f32 {
    texts.iter().fold(top, |y, text| {
        sheet.paragraph(&mut press.case, TEXT, LEFT, y, MEASURE, text) - 6.0
    })
}

/// The rules of a table of `columns` x `rows` equal cells that hangs from its upper left corner.
fn ruled(sheet: &mut Sheet, corner: (f32, f32), cell: (f32, f32), (columns, rows): (usize, usize)) {
    let (right, bottom) = (
        corner.0 + cell.0 * columns as f32,
        corner.1 - cell.1 * rows as f32,
    );
    for row in 0..=rows {
        let y = corner.1 - cell.1 * row as f32;
        sheet.rule(0.5, (corner.0, y), (right, y));
    }
    for column in 0..=columns {
        let x = corner.0 + cell.0 * column as f32;
        sheet.rule(0.5, (x, corner.1), (x, bottom));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_turned_page_is_the_only_one_that_is_turned() {
        let mut press = Press::default();
        assert_eq!(turned(&mut press).turn, 90);
        assert_eq!(title(&mut press).turn, 0);
    }

    #[test]
    fn the_trimmed_area_lies_inside_its_sheet_and_begins_at_neither_zero() {
        let sheet = trimmed(&mut Press::default());
        let crop = sheet.crop.expect("the page is trimmed");
        assert!(crop.x1 > 0.0 && crop.y1 > 0.0 && sheet.media.x1 < 0.0 && sheet.media.y1 < 0.0);
        assert!(crop.x2 < sheet.media.x2 && crop.y2 < sheet.media.y2);
    }
}
