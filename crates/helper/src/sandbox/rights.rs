//! Which files a command may use, by Landlock: all to read, few to write.

use linux_raw_sys::landlock::{
    LANDLOCK_ACCESS_FS_EXECUTE, LANDLOCK_ACCESS_FS_IOCTL_DEV, LANDLOCK_ACCESS_FS_MAKE_BLOCK,
    LANDLOCK_ACCESS_FS_MAKE_CHAR, LANDLOCK_ACCESS_FS_READ_DIR, LANDLOCK_ACCESS_FS_READ_FILE,
    LANDLOCK_ACCESS_FS_REFER, LANDLOCK_ACCESS_FS_TRUNCATE, LANDLOCK_ACCESS_FS_WRITE_FILE,
    LANDLOCK_ACCESS_NET_BIND_TCP, LANDLOCK_ACCESS_NET_CONNECT_TCP,
    LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET, LANDLOCK_SCOPE_SIGNAL,
};

use crate::options::{Network, Options};
use crate::sandbox::Level;
use crate::system::{
    Errno, Handled, close, landlock_allow, landlock_bind, landlock_rules, landlock_version,
    open_place,
};

const READ: u64 = (LANDLOCK_ACCESS_FS_EXECUTE
    | LANDLOCK_ACCESS_FS_READ_FILE
    | LANDLOCK_ACCESS_FS_READ_DIR) as u64;
const DEVICE: u64 = (LANDLOCK_ACCESS_FS_READ_FILE
    | LANDLOCK_ACCESS_FS_WRITE_FILE
    | LANDLOCK_ACCESS_FS_TRUNCATE
    | LANDLOCK_ACCESS_FS_IOCTL_DEV) as u64;
const DEVICES: [&core::ffi::CStr; 6] = [
    c"/dev/null",
    c"/dev/zero",
    c"/dev/full",
    c"/dev/random",
    c"/dev/urandom",
    c"/dev/tty",
];

/// Every right on files that this version knows.
const fn all_of(version: u32) -> u64 {
    let first = (LANDLOCK_ACCESS_FS_REFER - 1) as u64;
    first
        | if version >= 2 {
            LANDLOCK_ACCESS_FS_REFER as u64
        } else {
            0
        }
        | if version >= 3 {
            LANDLOCK_ACCESS_FS_TRUNCATE as u64
        } else {
            0
        }
        | if version >= 5 {
            LANDLOCK_ACCESS_FS_IOCTL_DEV as u64
        } else {
            0
        }
}

/// Binds this process and those that it starts. It must have forbidden new privileges.
pub(crate) fn bind(options: &Options, level: Level) -> Result<(), Errno> {
    let version = landlock_version().ok_or(Errno::UNSUPPORTED)?;
    let all = all_of(version);
    // At the full level the network leads nowhere, and a port that a test listens on is its own.
    let without_network = level != Level::Full && options.network != Network::Host;
    let handled = Handled {
        files: all,
        network: if without_network {
            (LANDLOCK_ACCESS_NET_BIND_TCP | LANDLOCK_ACCESS_NET_CONNECT_TCP) as u64
        } else {
            0
        },
        scopes: (LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL) as u64,
    };
    let rules = landlock_rules(&handled, version)?;
    let allow = |path: &core::ffi::CStr, rights: u64| -> Result<(), Errno> {
        let place = open_place(path)?;
        let allowed = landlock_allow(rules, place, rights & all);
        close(place);
        allowed
    };
    allow(c"/", READ)?;
    let devices = (LANDLOCK_ACCESS_FS_MAKE_CHAR
        | LANDLOCK_ACCESS_FS_MAKE_BLOCK
        | LANDLOCK_ACCESS_FS_IOCTL_DEV) as u64;
    let write = all & !devices;
    for path in options.paths(b"write").chain(options.paths(b"temporary")) {
        match allow(path, write) {
            // What does not exist needs no rights.
            Ok(()) | Err(Errno::NO_ENTRY) => {}
            Err(errno) => return Err(errno),
        }
    }
    for device in DEVICES {
        // A system may lack one.
        let _ = allow(device, DEVICE);
    }
    if level == Level::Full {
        // All of the sandbox's own. A directory that is missing needs no rights.
        for path in [c"/tmp", c"/var/tmp", c"/dev/shm", c"/run"] {
            let _ = allow(path, write);
        }
        let _ = allow(c"/dev/pts", DEVICE | READ);
    }
    landlock_bind(rules)?;
    close(rules);
    Ok(())
}

/// Which version there is, for the report; 0 for none.
pub(crate) fn version() -> u32 {
    landlock_version().unwrap_or(0)
}
