//! Reading order.

use super::kit::{Page, check, page};

const LEFT: [&str; 6] = [
    "the left column begins here and",
    "goes on for some lines of text",
    "that are as wide as the column",
    "so that each of them fills it",
    "from one edge to the other one",
    "and then the left column ends",
];
const RIGHT: [&str; 6] = [
    "while the right column is read",
    "after the whole of the left one",
    "however near to it the lines are",
    "and however well the baselines",
    "of one agree with those of the",
    "other column on the same page",
];

fn columns(page: Page, y: f32, gutter: f32, shift: f32) -> Page {
    // The widest line of the left column is 31 characters, at most 155 points.
    page.put_lines(100.0, y, 10.0, &LEFT)
        .put_lines(240.0 + gutter, y + shift, 10.0, &RIGHT)
}

fn joined(lines: &[&str]) -> String {
    lines.join("\n")
}

#[test]
fn two_columns_are_read_one_after_the_other() {
    for (gutter, shift) in [
        (8.0, 0.0),
        (12.0, 0.0),
        (20.0, 3.0),
        (12.0, 6.0),
        (50.0, 0.0),
    ] {
        check(
            columns(page(), 100.0, gutter, shift),
            &format!("{}\n\n{}", joined(&LEFT), joined(&RIGHT)),
        );
    }
}

#[test]
fn a_headline_spans_and_ends_columns() {
    let both = format!("{}\n\n{}", joined(&LEFT), joined(&RIGHT));
    let one = page().put(150.0, 80.0, 18.0, "A headline over both");
    check(
        columns(one.clone(), 110.0, 12.0, 0.0),
        &format!("A headline over both\n\n{both}"),
    );
    let two = columns(one, 110.0, 12.0, 0.0).put(150.0, 210.0, 18.0, "A second one between");
    check(
        columns(two, 240.0, 12.0, 0.0),
        &format!("A headline over both\n\n{both}\n\nA second one between\n\n{both}"),
    );
}

#[test]
fn three_columns_under_a_headline_over_two() {
    let words = [
        "alpha beta gamma delta",
        "epsilon zeta eta theta",
        "iota kappa lambda mu nu",
        "xi omicron pi rho sigma",
    ];
    let cell = |page: Page, x: f32, y: f32| page.put_lines(x, y, 10.0, &words);
    let mut three = page().put(60.0, 100.0, 14.0, "A headline over two columns");
    three = cell(cell(three, 60.0, 120.0), 190.0, 120.0);
    for part in 0..2 {
        three = cell(three, 320.0, 100.0 + 48.0 * part as f32);
    }
    let text = joined(&words);
    check(
        three,
        &format!("A headline over two columns\n\n{text}\n\n{text}\n\n{text}\n{text}"),
    );
}

#[test]
fn header_and_footer_frame_the_columns() {
    let both = format!("{}\n\n{}", joined(&LEFT), joined(&RIGHT));
    let framed = page()
        .put(100.0, 40.0, 9.0, "Journal of Layout")
        .put(380.0, 40.0, 9.0, "Page 12");
    let framed = columns(framed, 100.0, 12.0, 0.0)
        .put(100.0, 800.0, 9.0, "Left foot")
        .put(380.0, 800.0, 9.0, "right");
    check(
        framed,
        &format!("Journal of Layout Page 12\n\n{both}\n\nLeft foot right"),
    );
}

#[test]
fn a_heading_after_columns_belongs_to_what_follows() {
    let page = columns(page(), 100.0, 12.0, 0.0)
        .put(100.0, 190.0, 10.0, "Next")
        .put(
            100.0,
            204.0,
            10.0,
            "this paragraph runs over both of the columns above it",
        );
    let expected = format!(
        "{}\n\n{}\n\nNext\nthis paragraph runs over both of the columns above it",
        joined(&LEFT),
        joined(&RIGHT)
    );
    check(page, &expected);
}

#[test]
fn tables_are_read_row_by_row() {
    let rows = [
        ("apples", "12", "3.50"),
        ("pears", "7", "12.00"),
        ("plums", "120", "0.25"),
        ("figs", "1", "9.99"),
    ];
    let mut table = page();
    let mut expected = Vec::new();
    for (index, (name, count, price)) in rows.iter().enumerate() {
        let y = 100.0 + 14.0 * index as f32;
        table = table
            .put(100.0, y, 10.0, name)
            .put(220.0, y, 10.0, count)
            .put(300.0, y, 10.0, price);
        expected.push(format!("{name} {count} {price}"));
    }
    check(table, &expected.join("\n"));
}

#[test]
fn labels_stay_with_their_values() {
    let rows = [
        ("Name", "Ada Lovelace"),
        ("Born", "London"),
        ("Died", "Marylebone"),
        ("Known for", "the notes"),
        ("Spouse", "William"),
    ];
    let mut form = page();
    let mut expected = Vec::new();
    for (index, (label, value)) in rows.iter().enumerate() {
        let y = 100.0 + 14.0 * index as f32;
        form = form.put(100.0, y, 10.0, label).put(200.0, y, 10.0, value);
        expected.push(format!("{label} {value}"));
    }
    check(form, &expected.join("\n"));
}

#[test]
fn list_marks_stay_with_their_items() {
    let mut list = page();
    let mut expected = Vec::new();
    for (index, line) in LEFT.iter().enumerate() {
        let y = 100.0 + 12.0 * index as f32;
        let mark = if index % 2 == 0 { "\u{2022}" } else { "" };
        list = list.put(100.0, y, 10.0, mark).put(118.0, y, 10.0, line);
        expected.push(format!("{mark} {line}").trim().to_string());
    }
    check(list, &expected.join("\n"));
}

#[test]
fn a_stamp_on_the_side_moves_nothing() {
    let stamped =
        page()
            .with(|page| page.angle = 270.0)
            .put(40.0, 500.0, 16.0, "stamp on the side");
    let stamped = columns(stamped.with(|page| page.angle = 0.0), 100.0, 12.0, 0.0);
    check(
        stamped,
        &format!(
            "{}\n\n{}\n\nstamp on the side",
            joined(&LEFT),
            joined(&RIGHT)
        ),
    );
}

#[test]
fn a_short_heading_in_large_letters_ends_columns() {
    let page = columns(page(), 100.0, 12.0, 0.0).put(100.0, 190.0, 14.0, "Next");
    let both = format!("{}\n\n{}", joined(&LEFT), joined(&RIGHT));
    check(
        columns(page, 210.0, 12.0, 0.0),
        &format!("{both}\n\nNext\n\n{both}"),
    );
}

#[test]
fn a_table_over_columns_is_read_by_rows_whatever_its_gutters() {
    let mut table = page();
    let mut expected = Vec::new();
    for row in 0..4 {
        let y = 100.0 + 14.0 * row as f32;
        let (one, two) = (format!("{}.25", 10 + row), format!("{}", 200 + row));
        table = table
            .put(100.0, y, 10.0, "label")
            .put(170.0, y, 10.0, &one)
            .put(280.0, y, 10.0, &two);
        expected.push(format!("label {one} {two}"));
    }
    let both = format!("{}\n\n{}", joined(&LEFT), joined(&RIGHT));
    check(
        columns(table, 180.0, 12.0, 0.0),
        &format!(
            "{}\n\n{both}",
            joined(&expected.iter().map(String::as_str).collect::<Vec<_>>())
        ),
    );
}

#[test]
fn an_index_is_read_by_columns() {
    let mut index = page();
    let mut expected = Vec::new();
    for column in 0..3 {
        let mut entries = Vec::new();
        for row in 0..12 {
            let entry = format!("entry of word, {}", 100 * column + row);
            index = index.put(
                60.0 + 150.0 * column as f32,
                100.0 + 12.0 * row as f32,
                10.0,
                &entry,
            );
            entries.push(entry);
        }
        expected.push(entries.join("\n"));
    }
    check(index, &expected.join("\n\n"));
}

#[test]
fn a_last_line_at_the_top_of_the_next_column_is_read_last() {
    let page =
        page()
            .put_lines(100.0, 100.0, 10.0, &LEFT)
            .put(270.0, 100.0, 10.0, "with one last line");
    check(page, &format!("{}\n\nwith one last line", joined(&LEFT)));
}

#[test]
fn columns_of_right_to_left_text_begin_at_the_right() {
    let letters = |count: usize| "אבגדה ".repeat(count).trim().to_string();
    let mut page = page();
    for row in 0..6 {
        let y = 100.0 + 12.0 * row as f32;
        page = page
            .put(100.0, y, 10.0, &letters(4))
            .put(260.0, y, 10.0, &letters(5));
    }
    let reversed = |count: usize| vec!["הדגבא ".repeat(count).trim().to_string(); 6].join("\n");
    check(page, &format!("{}\n\n{}", reversed(5), reversed(4)));
}

#[test]
fn a_short_last_line_over_columns_ends_its_paragraph() {
    let over = [
        "this paragraph runs over both of the columns that follow it",
        "and ends here.",
    ];
    let page = columns(page().put_lines(100.0, 60.0, 10.0, &over), 100.0, 12.0, 0.0);
    check(
        page,
        &format!(
            "{}\n\n{}\n\n{}",
            joined(&over),
            joined(&LEFT),
            joined(&RIGHT)
        ),
    );
}

#[test]
fn footnotes_end_the_column_they_stand_in() {
    let notes = ["1 a note to the left column in", "small print of two lines"];
    let page = columns(page(), 100.0, 12.0, 0.0)
        .put_lines(100.0, 210.0, 7.0, &notes)
        .put_lines(252.0, 210.0, 7.0, &notes);
    let [left, right, notes] = [joined(&LEFT), joined(&RIGHT), joined(&notes)];
    check(page, &format!("{left}\n\n{notes}\n\n{right}\n\n{notes}"));
}
