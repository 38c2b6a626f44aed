//! Finds PDFium, or fetches it, and prints where it is. `--offline` forbids the fetch.
use std::process::ExitCode;

use folio_pdf::library::{Environment, Fetcher, Locator, Network, obtain};

fn main() -> ExitCode {
    let offline = std::env::args().any(|argument| argument == "--offline");
    let network = if offline {
        Network::Forbidden
    } else {
        Network::Allowed
    };
    let explicit = std::env::var_os("FOLIO_PDFIUM").map(Into::into);
    let locator = Locator::new(Environment::of_this_process(), explicit);
    match obtain(&locator, &Fetcher::default(), network, &mut |line| {
        eprintln!("{line}")
    }) {
        Ok(found) => {
            println!("{} ({})", found.path.display(), found.kind);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
