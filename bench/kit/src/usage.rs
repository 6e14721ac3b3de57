//! Resource usage of a process: CPU time and memory, from the operating system.
//!
//! CPU seconds and not wall time: the machine has other load, and waiting costs nothing.

use std::error::Error;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Unit of `/proc/…/stat` on every Linux: `USER_HZ` is part of its interface.
const TICK: Duration = Duration::from_millis(10);

/// Returns the CPU time of this process so far, of all threads.
pub fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Runs `work` and returns its result with the CPU time that this process used in the meantime.
pub fn cpu_of<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let before = own_cpu();
    let done = work();
    (done, own_cpu() - before)
}

/// Returns the CPU time of another process so far, in user and system mode.
pub fn cpu_of_process(id: u32) -> Result<Duration, Box<dyn Error>> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The second field is a name in brackets, which may contain anything; utime and stime are the
    // fourteenth and fifteenth.
    let (_, fields) = stat.rsplit_once(')').ok_or("an odd /proc/…/stat")?;
    let ticks: u32 = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|field| field.parse::<u32>())
        .sum::<Result<_, _>>()?;
    Ok(TICK * ticks)
}

/// Returns the CPU time of the live threads of another process, with nanosecond resolution, for
/// measurements of a few ticks or less. The time of threads that have ended is not included.
pub fn cpu_of_threads(id: u32) -> Result<Duration, Box<dyn Error>> {
    let mut total = Duration::ZERO;
    for thread in std::fs::read_dir(format!("/proc/{id}/task"))? {
        let schedstat = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        let on_cpu = schedstat.split_whitespace().next();
        total += Duration::from_nanos(on_cpu.ok_or("an odd schedstat")?.parse()?);
    }
    Ok(total)
}

/// Returns the peak resident memory of another process, in bytes.
pub fn peak_memory(id: u32) -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .ok_or("no VmHWM in /proc/…/status")?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").trim().parse()?;
    Ok(kilobytes * 1024)
}
