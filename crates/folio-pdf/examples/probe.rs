//! Opens PDFs with a given PDFium and says, per page, what it is and what it cost in CPU time.
//!
//!     cargo run --release -p folio-pdf --example probe -- PDFIUM [--password P] FILE..
use std::error::Error;
use std::fs::File;
use std::path::Path;

use folio_pdf::{Bitmap, Document, Page, PageError, Pdfium};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let library = arguments
        .next()
        .ok_or("usage: probe PDFIUM [--password P] FILE..")?;
    let pdfium = Pdfium::load(Path::new(&library))?;
    println!("{}", pdfium.version());
    let mut password = None;
    while let Some(argument) = arguments.next() {
        if argument == "--password" {
            password = arguments.next();
            continue;
        }
        match pdfium.open(File::open(&argument)?, password.as_deref()) {
            Ok(document) => {
                println!(
                    "{argument}: {} pages, {:?}",
                    document.page_count(),
                    document.info()
                );
                probe(&document);
            }
            Err(error) => println!("{argument}: {error}"),
        }
    }
    println!("{:?}", folio_pdf::counters());
    Ok(())
}

/// One pass per measurement: the system counts CPU time in steps that are longer than a page takes.
fn probe(document: &Document) {
    let mut chars = 0;
    let load = cpu_ms_per_page(document, |_| Ok(()));
    let text = cpu_ms_per_page(document, |page| {
        page.text().map(|text| chars += text.chars.len())
    });
    let mut bitmap = Bitmap::new();
    let render = cpu_ms_per_page(document, |page| {
        page.render(150, &mut bitmap, &mut || false)
    });
    let chars = chars as f64 / f64::from(document.page_count());
    let (text, render) = (text - load, render - load);
    println!(
        "  CPU ms a page: load {load:.2}, text {text:.2}, render {render:.2}; {chars:.0} chars a page"
    );
}

fn cpu_ms_per_page(
    document: &Document,
    mut work: impl FnMut(&mut Page<'_>) -> Result<(), PageError>,
) -> f64 {
    let start = cpu_ms();
    for index in 0..document.page_count() {
        if let Err(error) = document.page(index).and_then(|mut page| work(&mut page)) {
            println!("  page {}: {error}", index + 1);
        }
    }
    (cpu_ms() - start) / f64::from(document.page_count())
}

/// CPU time of this thread up to now, in milliseconds, where the system tells it; else 0.
fn cpu_ms() -> f64 {
    // The first field is the time on a CPU in nanoseconds.
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|nanoseconds| nanoseconds.parse::<f64>().ok())
        .unwrap_or(0.0)
        / 1e6
}
