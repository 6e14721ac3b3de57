//! Settings of the system's allocator, so that memory goes back to the system after a peak.
//!
//! glibc keeps freed memory in an arena for every few threads, and once a large block has been freed it takes
//! blocks of that size from arenas too. `docs/notes/memory.md` has the measurements. The settings can only be made
//! from the environment without unsafe code, before the program starts; so the program starts itself again with them.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
const VARIABLE: &str = "GLIBC_TUNABLES";

/// Two arenas: with one, threads that parse would wait for each other; more keep more. Blocks from 1 MiB on, as
/// password hashing uses, are always mapped and so go back when they are freed: a fixed threshold does not grow.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const TUNABLES: &str = "glibc.malloc.arena_max=2:glibc.malloc.mmap_threshold=1048576:glibc.malloc.trim_threshold=1048576";

/// Starts the program again with [`TUNABLES`], unless the operator or an earlier call has set some.
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
    // Comes back only when it failed. Lede runs without the settings too; it just keeps more memory.
    drop(again.exec());
}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn tune() {}
