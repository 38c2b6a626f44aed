//! What a sample is asked for on its command line: the same for every program of workloads.

/// As many as every goal was set with.
const WORKERS: usize = 2;

/// `NAME SIDE OPERATIONS [--workers N]`.
pub(crate) struct Wish<'a> {
    pub(crate) name: &'a str,
    pub(crate) side: &'a str,
    pub(crate) operations: u64,
    pub(crate) workers: usize,
}

impl<'a> Wish<'a> {
    pub(crate) fn from(arguments: &'a [String]) -> Result<Self, String> {
        let (name, side, operations, workers) = match arguments {
            [name, side, operations] => (name, side, operations, WORKERS),
            [name, side, operations, option, workers] if option == "--workers" => {
                (name, side, operations, number(workers)? as usize)
            }
            _ => return Err("which workload?".into()),
        };
        Ok(Self {
            name,
            side,
            operations: number(operations)?,
            workers,
        })
    }
}

fn number(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("a number above 0 is needed, not {text:?}")),
    }
}
