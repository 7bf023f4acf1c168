//! Whether a port takes connections: of this machine, or of a sandbox that has a network of its own.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

/// Longest wait for one connection to a port of this machine.
const CONNECT: Duration = Duration::from_millis(500);
/// How the table of sockets of the kernel names one that listens (proc_pid_net(5)).
const LISTENS: &str = "0A";

/// The network of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Network {
    /// That of this machine.
    Host,
    /// One of its own, by the name that the kernel gives it. No connection leads there, but its table of sockets can be
    /// read.
    Own(PathBuf),
}

impl Network {
    /// That of this process, which is in a sandbox.
    pub(super) fn of(process: u32) -> Self {
        match (namespace("self"), namespace(&process.to_string())) {
            (Some(ours), Some(its)) if ours != its => Self::Own(its),
            _ => Self::Host,
        }
    }

    /// Whether somebody listens on this port. `process` is one that is likely in this network.
    pub(super) async fn takes_connections(&self, process: u32, port: u16) -> bool {
        match self {
            Self::Host => connects(port).await,
            Self::Own(network) => {
                let network = network.clone();
                let look = move || listens_in(&network, process, port);
                tokio::task::spawn_blocking(look).await.unwrap_or(false)
            }
        }
    }
}

/// The network of a process, where that may be known.
fn namespace(process: &str) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{process}/ns/net")).ok()
}

fn listens_in(network: &Path, process: u32, port: u16) -> bool {
    let process = process.to_string();
    let is_in = |process: &String| namespace(process).is_some_and(|its| its == network);
    if is_in(&process) {
        return listens(&process, port);
    }
    // Its shell is over, and what that left running is not.
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return false;
    };
    let mut others = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    others
        .find(is_in)
        .is_some_and(|process| listens(&process, port))
}

fn listens(process: &str, port: u16) -> bool {
    ["tcp", "tcp6"].iter().any(|table| {
        let table = std::fs::read_to_string(format!("/proc/{process}/net/{table}"));
        table.is_ok_and(|table| is_listed(&table, port))
    })
}

/// Whether a table of sockets holds one that listens on this port.
fn is_listed(table: &str, port: u16) -> bool {
    table.lines().skip(1).any(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let local = fields.next().and_then(|place| place.rsplit_once(':'));
        let number = local.and_then(|(_, port)| u16::from_str_radix(port, 16).ok());
        number == Some(port) && fields.nth(1) == Some(LISTENS)
    })
}

/// Whether somebody answers on a port of this machine.
async fn connects(port: u16) -> bool {
    let places = [
        SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        SocketAddr::from((Ipv6Addr::LOCALHOST, port)),
    ];
    for place in places {
        if let Ok(Ok(_connection)) = timeout(CONNECT, TcpStream::connect(place)).await {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sockets_that_listen_count() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n\
            \x20  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n\
            \x20  1: 0100007F:1F91 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0\n\
            \x20  2: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 0 0 0 0\n\
            broken\n";
        let listed = [8080, 8081, 80, 0].map(|port| is_listed(table, port));
        assert_eq!(listed, [true, false, true, false]);
        assert!(!is_listed("", 80));
    }
}
