//! The machine a measurement was made on: a figure without it says nothing to the next reader.

use std::process::Command;

/// Its processors and how busy it is now, in one line.
#[must_use]
pub fn load() -> String {
    let load: Vec<String> = read("/proc/loadavg")
        .split(' ')
        .take(3)
        .map(str::to_owned)
        .collect();
    format!(
        "{} processors ({}), load average {}",
        processors(),
        model(),
        load.join(" ")
    )
}

/// Its shape: what does not change between rounds.
#[must_use]
pub fn shape() -> String {
    format!(
        "{} processors ({}), {} GiB of memory, Linux {}, {}",
        processors(),
        model(),
        memory_gib(&read("/proc/meminfo")),
        read("/proc/sys/kernel/osrelease").trim(),
        compiler()
    )
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(0, usize::from)
}

fn model() -> String {
    let information = read("/proc/cpuinfo");
    let line = information
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    line.and_then(|line| line.split_once(": "))
        .map_or("unknown model", |(_, model)| model)
        .to_owned()
}

fn memory_gib(meminfo: &str) -> u64 {
    const KIB_PER_GIB: u64 = 1 << 20;
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"));
    let kib: u64 = line
        .and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or_default();
    (kib + KIB_PER_GIB / 2) / KIB_PER_GIB
}

fn compiler() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    match Command::new(rustc).arg("--version").output() {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(_) => "unknown compiler".to_owned(),
    }
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_rounded_to_whole_gibibytes() {
        assert_eq!(
            memory_gib("MemTotal:       24684484 kB\nMemFree: 1 kB\n"),
            24
        );
        assert_eq!(memory_gib(""), 0);
    }
}
