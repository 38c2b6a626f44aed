//! The command line, as a table: one field per option, its help beside it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use folio_core::limits::{DPI_RANGE, QUALITY_RANGE};
use folio_core::pages::PageSelection;
use folio_core::request::ImageFormat;

use crate::limits::JOBS_MAX;

/// Turns PDFs into page images and text layout, resumably.
#[derive(Debug, Parser)]
#[command(name = "folio", version, about, arg_required_else_help = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What folio can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write an image and the text layout of every page; run it again to finish what is missing
    Extract(Extract),
    /// Show pages, sizes, encryption and metadata of a PDF, without rendering it
    Info(Info),
    /// Fetch PDFium, the engine, if it is not on this machine
    Setup(Setup),
    /// Show what an output folder holds and what is missing
    Status(Status),
}

/// `folio extract`
#[derive(Debug, Args)]
pub struct Extract {
    /// PDF files, folders (searched recursively), or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,

    /// Folder for the output; made if it is not there
    #[arg(long, value_name = "DIR", default_value = "folio-out")]
    pub out: PathBuf,

    /// Pixels per inch of the page images, 18 to 1200
    #[arg(long, value_name = "N", default_value_t = 150, value_parser = dpi)]
    pub dpi: u32,

    /// Page images: jpeg, png or none
    #[arg(long, value_name = "FORMAT", default_value = "jpeg", value_parser = image)]
    pub image: ImageFormat,

    /// JPEG quality, 1 to 100
    #[arg(long, value_name = "Q", default_value_t = 85, value_parser = quality)]
    pub quality: u8,

    /// Only these pages, such as 1-3,7 or 12-
    #[arg(long, value_name = "LIST", value_parser = pages)]
    pub pages: Option<PageSelection>,

    /// File whose first line opens encrypted documents
    #[arg(long, value_name = "FILE", conflicts_with = "password_env")]
    pub password_file: Option<PathBuf>,

    /// Environment variable whose value opens encrypted documents
    #[arg(long, value_name = "VARIABLE")]
    pub password_env: Option<String>,

    /// Pages encoded and stored at the same time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,

    /// Do completed pages again
    #[arg(long)]
    pub force: bool,

    /// One JSON object per line on standard output, for every document and page
    #[arg(long)]
    pub json: bool,

    /// Say nothing on standard error but errors
    #[arg(long, short)]
    pub quiet: bool,

    /// Encode every page in colour, also those without any
    #[arg(long, hide = true)]
    pub no_grey: bool,

    /// Where the engine is, and whether it may be fetched.
    #[command(flatten)]
    pub engine: Engine,
}

/// `folio info`
#[derive(Debug, Args)]
pub struct Info {
    /// The PDF
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// File whose first line opens the document
    #[arg(long, value_name = "FILE", conflicts_with = "password_env")]
    pub password_file: Option<PathBuf>,

    /// Environment variable whose value opens the document
    #[arg(long, value_name = "VARIABLE")]
    pub password_env: Option<String>,

    /// One JSON object on standard output
    #[arg(long)]
    pub json: bool,

    /// Where the engine is, and whether it may be fetched.
    #[command(flatten)]
    pub engine: Engine,
}

/// `folio setup`
#[derive(Debug, Args)]
pub struct Setup {
    /// Where the engine is, and whether it may be fetched.
    #[command(flatten)]
    pub engine: Engine,
}

/// `folio status`
#[derive(Debug, Args)]
pub struct Status {
    /// The output folder
    #[arg(long, value_name = "DIR", default_value = "folio-out")]
    pub out: PathBuf,

    /// One JSON object per document and line on standard output
    #[arg(long)]
    pub json: bool,
}

/// Where PDFium is.
#[derive(Debug, Args)]
pub struct Engine {
    /// The PDFium library, or the folder it is in [otherwise: the environment variable FOLIO_PDFIUM]
    #[arg(long, value_name = "PATH")]
    pub pdfium: Option<PathBuf>,

    /// Never fetch anything
    #[arg(long)]
    pub offline: bool,
}

fn in_range<N: std::str::FromStr + PartialOrd + std::fmt::Display + Copy>(
    text: &str,
    range: std::ops::RangeInclusive<N>,
    what: &str,
) -> Result<N, String> {
    match text.parse::<N>() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(format!(
            "{what} is a whole number from {} to {}",
            range.start(),
            range.end()
        )),
    }
}

fn dpi(text: &str) -> Result<u32, String> {
    in_range(text, DPI_RANGE, "the resolution")
}

fn quality(text: &str) -> Result<u8, String> {
    in_range(text, QUALITY_RANGE, "the quality")
}

fn jobs(text: &str) -> Result<usize, String> {
    in_range(text, 1..=JOBS_MAX, "the number of jobs")
}

fn image(text: &str) -> Result<ImageFormat, String> {
    text.parse()
}

fn pages(text: &str) -> Result<PageSelection, String> {
    text.parse::<PageSelection>()
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_table_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_value_out_of_range_is_named_with_the_range() {
        for (option, value, says) in [
            ("--dpi", "17", "18 to 1200"),
            ("--dpi", "fast", "18 to 1200"),
            ("--quality", "101", "1 to 100"),
            ("--jobs", "0", "1 to 256"),
            ("--image", "gif", "jpeg, png or none"),
            ("--pages", "3-1", "1-3,7"),
        ] {
            let error = Arguments::try_parse_from(["folio", "extract", "a.pdf", option, value])
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(option) && error.contains(value) && error.contains(says),
                "{error}"
            );
        }
    }
}
