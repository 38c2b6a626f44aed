//! The order form: two filled text fields and two boxes, one of them ticked.
//!
//! One text field has an appearance stream, the other has none although the document does not ask readers to make any;
//! a reader that draws forms shows both. Only a reader that draws forms shows either.

use pdf_writer::types::{AnnotationFlags, CheckBoxState, FieldType};
use pdf_writer::{Content, Finish, Name, Rect, Ref, Str, TextStr};

use crate::pdf::{Face, Press, Sheet, Style, TypeCase};

use super::pages::{LEFT, MEASURE, foot, headed};
use super::prose;

const LABEL: Style = Style::body(14.0).ragged();
const FIELD_LEFT: f32 = LEFT + 130.0;
const FIELD_HEIGHT: f32 = 22.0;

pub(super) fn page(press: &mut Press) -> Sheet {
    let mut sheet = headed(press, "The Order", 740.0);
    let y = sheet.paragraph(
        &mut press.case,
        Style::body(14.0),
        LEFT,
        700.0,
        MEASURE,
        prose::FORM_NOTE,
    );
    let rows = [y - 40.0, y - 80.0, y - 120.0, y - 160.0];
    for (row, label) in
        rows.iter()
            .zip(["Name", "Binding", "With the portrait", "To be sent by boat"])
    {
        sheet.line(&mut press.case, LABEL, LEFT, row + 7.0, label);
    }
    for row in &rows[..2] {
        sheet.frame(0.5, FIELD_LEFT, *row, MEASURE - 130.0, FIELD_HEIGHT);
    }
    for row in &rows[2..] {
        sheet.frame(0.5, FIELD_LEFT, row + 3.0, 16.0, 16.0);
    }
    let fields = [
        drawn_text_field(
            press,
            rows[0],
            "name",
            "Margery Thorne, at the Sign of the Crane",
        ),
        undrawn_text_field(press, rows[1], "binding", "Plain calf, edges red"),
        check_box(press, rows[2], "portrait", CheckBoxState::Yes),
        check_box(press, rows[3], "boat", CheckBoxState::Off),
    ];
    for field in fields {
        press.add_field(field);
        sheet.annotations.push(field);
    }
    foot(&mut sheet, press, 7);
    sheet
}

fn text_box(row: f32) -> Rect {
    Rect::new(FIELD_LEFT, row, LEFT + MEASURE, row + FIELD_HEIGHT)
}

/// A text field that brings its appearance along, set in the document's own type.
fn drawn_text_field(press: &mut Press, row: f32, name: &str, value: &str) -> Ref {
    let [field, appearance] = std::array::from_fn(|_| press.number());
    let resources = press.resources();
    let mut content = Content::new();
    content
        .begin_marked_content(Name(b"Tx"))
        .save_state()
        .begin_text();
    content
        .set_font(TypeCase::resource(Face::Roman), 13.0)
        .next_line(4.0, 7.0);
    content.show(Str(&press.case.encode(Face::Roman, value)));
    content.end_text().restore_state().end_marked_content();
    let content = content.finish();
    let mut form = press.chunk().form_xobject(appearance, &content);
    form.bbox(Rect::new(0.0, 0.0, MEASURE - 130.0, FIELD_HEIGHT))
        .pair(Name(b"Resources"), resources);
    form.finish();
    text_field(press, field, row, name, value, Some(appearance));
    field
}

/// A text field that leaves its appearance to the reader.
fn undrawn_text_field(press: &mut Press, row: f32, name: &str, value: &str) -> Ref {
    let field = press.number();
    text_field(press, field, row, name, value, None);
    field
}

fn text_field(
    press: &mut Press,
    id: Ref,
    row: f32,
    name: &str,
    value: &str,
    appearance: Option<Ref>,
) {
    let mut field = press.chunk().form_field(id);
    field
        .field_type(FieldType::Text)
        .partial_name(TextStr(name))
        .text_value(TextStr(value));
    field.vartext_default_appearance(Str(b"/Helv 11 Tf 0 g"));
    let mut annotation = field.into_annotation();
    annotation.rect(text_box(row)).flags(AnnotationFlags::PRINT);
    if let Some(appearance) = appearance {
        annotation.appearance().normal().stream(appearance);
    }
}

/// A box with a drawing for each of its two states.
fn check_box(press: &mut Press, row: f32, name: &str, state: CheckBoxState) -> Ref {
    let [id, ticked, empty] = std::array::from_fn(|_| press.number());
    let mut tick = Content::new();
    tick.set_line_width(1.6)
        .move_to(3.0, 8.0)
        .line_to(6.5, 4.0)
        .line_to(13.0, 12.5)
        .stroke();
    let tick = tick.finish();
    for (drawing, content) in [(ticked, tick.as_slice()), (empty, b"".as_slice())] {
        press
            .chunk()
            .form_xobject(drawing, content)
            .bbox(Rect::new(0.0, 0.0, 16.0, 16.0));
    }
    let shown = match state {
        CheckBoxState::Yes => Name(b"Yes"),
        CheckBoxState::Off => Name(b"Off"),
    };
    let mut field = press.chunk().form_field(id);
    field
        .field_type(FieldType::Button)
        .partial_name(TextStr(name))
        .checkbox_value(state);
    let mut annotation = field.into_annotation();
    annotation
        .rect(Rect::new(
            FIELD_LEFT,
            row + 3.0,
            FIELD_LEFT + 16.0,
            row + 19.0,
        ))
        .flags(AnnotationFlags::PRINT);
    annotation.appearance_state(shown);
    let mut appearance = annotation.appearance();
    appearance
        .normal()
        .streams()
        .pair(Name(b"Yes"), ticked)
        .pair(Name(b"Off"), empty);
    id
}
