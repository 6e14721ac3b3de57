//! Settings of the system's allocator, so that memory is returned to the system after a peak.
//!
//! glibc keeps freed memory in an arena for every few threads, and once a large block has been
//! freed it allocates blocks of that size from arenas too. `docs/notes/memory.md` has the
//! measurements. Without unsafe code the settings can only be made in the environment before the
//! program starts, so the program starts itself again with them.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
const VARIABLE: &str = "GLIBC_TUNABLES";

/// Eight arenas: with two, parsing and database threads wait for each other and a crawl costs a quarter
/// more; the default is eight for every core.
/// Blocks of 1 MiB or more, such as those of password hashing, are always mapped and therefore
/// returned when they are freed, because a fixed threshold does not grow.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const TUNABLES: &str = "glibc.malloc.arena_max=8:glibc.malloc.mmap_threshold=1048576:glibc.malloc.trim_threshold=1048576";

/// Restarts the program with [`TUNABLES`], unless the operator or an earlier call has set some.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    clippy::disallowed_methods,
    reason = "the C library reads this variable, not Lede"
)]
pub(crate) fn tune() {
    use std::os::unix::process::CommandExt as _;
    let mut arguments = std::env::args_os();
    let (Some(name), Ok(program)) = (arguments.next(), std::env::current_exe()) else {
        return;
    };
    if std::env::var_os(VARIABLE).is_some() {
        return;
    }
    let mut again = std::process::Command::new(program);
    again.arg0(name).args(arguments).env(VARIABLE, TUNABLES);
    // Returns only on failure. Lede also runs without the settings; it just retains more memory.
    drop(again.exec());
}

/// Does nothing: other allocators are left unchanged.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn tune() {}
