//! `cargo xtask COMMAND`: the command line over the project's own tools.
#![forbid(unsafe_code)]

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test [--install] [STEP..]
                         run every check that this machine can run, or the named ones
  models [--full]        the runtime's lock-free parts in every interleaving, bounded unless --full
  sanitize [address|thread|--quick]
                         the runtime's tests under the sanitizers of the nightly compiler
  seeds [N]              the runtime's stepped tests under N seeds each; a failure names its seed
  tidy                   check the house rules over every tracked file
  conformance            hold the list of conformance cases against the runtime's tests; fails on one that is nowhere
  sample                 write samples/first-folio.pdf again
  big-pdf PAGES OUT      write a long document of mixed load
  bombs FOLDER           write the small hostile files that tests use
  corpus FOLDER [--folio PATH] [--isolated] [--only NAME]
                         hold folio to the table of expectations, over a folder of PDFs
  compare-extract [--pdf FILE] [--pages N] [--rounds N] [--folio PATH]
                         CPU time per page beside pypdfium2 and Pillow doing the same work
  bench [NAME..] [--rounds N] [--quick] [--workers N] [--idle N] [--json FILE]
                         the runtime beside hand-written Tokio tasks, workload by workload
  bench latency          delay of a message under fixed load, beside Tokio
  bench fairness         what is left for others when one actor floods itself
  bench instructions     instructions per hop, counted by callgrind; fails above the limit
  compare [NAME..] [--rounds N] [--quick]
                         the runtime beside actix, kameo, ractor and xtra, as the table of the README
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", [].as_slice()),
    };
    let outcome = match command {
        "bench" => xtask::bench::run(rest),
        "big-pdf" => xtask::big_pdf::run(rest),
        "bombs" => xtask::bombs::run(rest),
        "compare" => xtask::rivals::run(rest),
        "compare-extract" => xtask::compare::run(rest),
        "conformance" => xtask::conformance::run(rest),
        "corpus" => xtask::corpus::run(rest),
        "models" => xtask::proof::models(rest),
        "sample" => xtask::sample::run(rest),
        "sanitize" => xtask::proof::sanitize(rest),
        "seeds" => xtask::seeds::run(rest),
        "test" => xtask::test::run(rest),
        "tidy" => xtask::tidy::run(rest),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        other => Err(format!(
            "there is no command {other:?}; `cargo xtask help` lists them"
        )),
    };
    outcome.unwrap_or_else(|message| {
        eprintln!("xtask {command}: {message}");
        ExitCode::from(2)
    })
}
