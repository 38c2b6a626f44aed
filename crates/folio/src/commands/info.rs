//! `folio info`: pages, sizes, encryption and metadata, without rendering anything.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use folio_core::model::hundredths;
use folio_core::pipeline::open_failure;
use folio_core::request::Password;
use folio_pdf::{Document, DocumentInfo, FormKind, Pdfium};
use serde_json::json;

use crate::cli;
use crate::engine;
use crate::exit::{CannotStart, Ending};
use crate::report::plural;
use crate::voice::{print, say};

pub(crate) fn run(arguments: &cli::Info) -> Result<Ending, CannotStart> {
    let name = arguments.file.display();
    let file = File::open(&arguments.file)
        .map_err(|error| CannotStart(format!("{name}: cannot be read: {error}; check the path")))?;
    let password = engine::password(
        arguments.password_file.as_ref(),
        arguments.password_env.as_deref(),
    )?;
    let library = engine::find(&arguments.engine)?;
    let pdfium = Pdfium::load(&library.path).map_err(CannotStart::because)?;
    let document = match pdfium.open(file, password.as_ref().map(Password::reveal)) {
        Ok(document) => document,
        Err(error) => {
            say(format!("{name}: {}", open_failure(&error)));
            return Ok(Ending::SomeFailed);
        }
    };
    let sizes = Sizes::of(&document);
    let shown = match arguments.json {
        true => print(as_json(&name.to_string(), &document, &sizes)),
        false => show(&name.to_string(), &document, &sizes),
    };
    shown.map_err(CannotStart::because)?;
    Ok(Ending::Complete)
}

/// How many pages there are of each size; pages whose size cannot be read are apart.
#[derive(Default)]
struct Sizes {
    /// Width and height in 1/100 pt, as displayed.
    count: BTreeMap<(i32, i32), u32>,
    unreadable: Vec<u32>,
}

impl Sizes {
    fn of(document: &Document) -> Self {
        let mut sizes = Self::default();
        for index0 in 0..document.page_count() {
            match document.page_size(index0) {
                Ok((width, height)) => {
                    *sizes
                        .count
                        .entry((hundredths(width), hundredths(height)))
                        .or_default() += 1
                }
                Err(_) => sizes.unreadable.push(index0 + 1),
            }
        }
        sizes
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        self.count.iter().map(|((width, height), pages)| {
            format!(
                "{} of {} x {} pt",
                plural(*pages, "page"),
                points(*width),
                points(*height)
            )
        })
    }
}

fn points(hundredths: i32) -> f64 {
    f64::from(hundredths) / 100.0
}

fn show(name: &str, document: &Document, sizes: &Sizes) -> io::Result<()> {
    let info = document.info();
    print(format!("{name}: {}", plural(document.page_count(), "page")))?;
    for line in sizes.lines() {
        print(format!("  {line}"))?;
    }
    if !sizes.unreadable.is_empty() {
        print(format!(
            "  pages that cannot be read: {:?}",
            sizes.unreadable
        ))?;
    }
    print(format!("  encrypted: {}", encryption(&info)))?;
    print(format!("  form: {}", form(info.form)))?;
    for (what, text) in metadata(&info) {
        if let Some(text) = text {
            print(format!("  {what}: {text}"))?;
        }
    }
    Ok(())
}

fn as_json(name: &str, document: &Document, sizes: &Sizes) -> serde_json::Value {
    let info = document.info();
    let sizes_json: Vec<_> = sizes
        .count
        .iter()
        .map(|((width, height), pages)| json!({"width_pt": points(*width), "height_pt": points(*height), "pages": pages}))
        .collect();
    let metadata: serde_json::Map<_, _> = metadata(&info)
        .into_iter()
        .map(|(what, text)| (what.replace(' ', "_"), json!(text)))
        .collect();
    json!({
        "input": name, "pages": document.page_count(), "sizes": sizes_json, "unreadable_pages": sizes.unreadable,
        "encrypted": info.is_encrypted(), "security_revision": info.security_revision, "form": form(info.form), "metadata": metadata,
    })
}

fn encryption(info: &DocumentInfo) -> String {
    match info.security_revision {
        Some(revision) => format!("yes (security handler revision {revision})"),
        None => "no".to_owned(),
    }
}

fn form(kind: FormKind) -> &'static str {
    match kind {
        FormKind::None => "none",
        FormKind::AcroForm => "acroform",
        FormKind::Xfa => "xfa",
    }
}

fn metadata(info: &DocumentInfo) -> [(&'static str, Option<&String>); 9] {
    [
        ("title", info.title.as_ref()),
        ("author", info.author.as_ref()),
        ("subject", info.subject.as_ref()),
        ("keywords", info.keywords.as_ref()),
        ("creator", info.creator.as_ref()),
        ("producer", info.producer.as_ref()),
        ("created", info.creation_date.as_ref()),
        ("changed", info.modification_date.as_ref()),
        ("pdf version", info.pdf_version.as_ref()),
    ]
}
