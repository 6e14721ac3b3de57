//! File handles: fits the number of connections to the limit of the system.

use lede_server::Transport;

/// Handles for everything except client connections: databases, logs and outgoing fetches.
const RESERVED: usize = 256;

/// Raises the limit on open files to the need of `transport`, as far as allowed, and lowers the
/// number of connections to what the limit permits.
pub(crate) fn make_room_for(transport: &mut Transport) {
    let Some(limit) = raised_limit(transport.max_connections + RESERVED) else {
        return;
    };
    let room = connections_within(limit);
    if room < transport.max_connections {
        tracing::warn!(
            limit,
            connections = room,
            "the limit on open files is too low for MAX_CONNECTIONS, so fewer are accepted; raise it with ulimit -n"
        );
        transport.max_connections = room;
    }
}

/// With very few handles, connections get half of them.
fn connections_within(limit: usize) -> usize {
    limit - RESERVED.min(limit / 2)
}

/// Returns the limit on open files after an attempt to raise it to `wanted`; `None` if there is no
/// limit.
#[cfg(unix)]
fn raised_limit(wanted: usize) -> Option<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let current = current?;
    let wanted = u64::try_from(wanted).unwrap_or(u64::MAX);
    let raised = maximum.map_or(wanted, |maximum| wanted.min(maximum));
    let mut limit = current;
    if raised > current {
        let asked = Rlimit {
            current: Some(raised),
            maximum,
        };
        // If the system refuses, the limit stays and the number of connections follows it.
        if setrlimit(Resource::Nofile, asked).is_ok() {
            limit = raised;
        }
    }
    Some(usize::try_from(limit).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn raised_limit(_: usize) -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_handles_are_left_for_the_rest_of_the_program() {
        for (limit, connections) in [(64, 32), (512, 256), (1024, 768), (65_536, 65_280)] {
            assert_eq!(connections_within(limit), connections);
        }
    }
}
