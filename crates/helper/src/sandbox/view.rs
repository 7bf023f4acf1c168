//! What a command in the sandbox sees of the system: all of it to read, and little to write.

use core::ffi::CStr;

use crate::options::Options;
use crate::protocol::StartStep;
use crate::shell::Failure;
use crate::system::{
    Descriptor, Errno, FileSystem, Forbid, Kind, at_place, attach, close, copy_opened, copy_tree,
    enter_root, forbid, forbid_writing_at, look_at, make_all_private, make_directory, make_file,
    make_link, mount_new, open_link, open_place,
};

/// Trees that are taken along into the new view.
const TREES_MAX: usize = 128;
const PATH_MAX: usize = 4096;

/// Devices that every program may count on. No other is there: as the root user a command could
/// write to the disk otherwise.
const DEVICES: [&CStr; 6] = [
    c"/dev/null",
    c"/dev/zero",
    c"/dev/full",
    c"/dev/random",
    c"/dev/urandom",
    c"/dev/tty",
];
const DEVICE_LINKS: [(&CStr, &CStr); 5] = [
    (c"/dev/fd", c"/proc/self/fd"),
    (c"/dev/stdin", c"/proc/self/fd/0"),
    (c"/dev/stdout", c"/proc/self/fd/1"),
    (c"/dev/stderr", c"/proc/self/fd/2"),
    (c"/dev/ptmx", c"pts/ptmx"),
];

const IN_MEMORY: FileSystem = FileSystem {
    kind: c"tmpfs",
    options: c"mode=755",
    is_read_only: false,
    has_devices: false,
    forbids_programs: true,
};

/// A copied tree and the place that it is meant for.
#[derive(Debug, Clone, Copy)]
struct Taken {
    tree: Descriptor,
    place: &'static CStr,
}

/// Builds the view and enters it. Afterwards nothing but what is asked for can be written.
pub(crate) fn enter(options: &Options) -> Result<(), Failure> {
    let root_failed = || Failure::at(StartStep::Root);
    make_all_private().map_err(root_failed())?;
    let mut trees = [None; TREES_MAX];
    let mut free = trees.iter_mut();
    let mut take = |path: &'static CStr, place: &'static CStr, what| -> Result<(), Errno> {
        let tree = match what {
            // Another command may have put a link into its way.
            Some(what) => {
                let tree = copy_opened(open_place(path)?)?;
                forbid(tree, what)?;
                tree
            }
            None => copy_tree(path)?,
        };
        *free.next().ok_or(Errno::INVALID)? = Some(Taken { tree, place });
        Ok(())
    };
    for device in DEVICES {
        // A system may lack one.
        let _ = take(device, device, None);
    }
    for path in options.paths(b"temporary") {
        for place in [c"/tmp", c"/var/tmp"] {
            if look_at(place).is_ok_and(|(kind, _)| kind == Kind::Directory) {
                take(path, place, Some(Forbid::Privileges)).map_err(root_failed())?;
            }
        }
    }
    for path in options.paths(b"read") {
        take(path, path, Some(Forbid::Writing)).map_err(root_failed())?;
    }
    for path in options.paths(b"temporary").chain(options.paths(b"write")) {
        take(path, path, Some(Forbid::Privileges)).map_err(Failure::at(StartStep::Writable))?;
    }
    let root = copy_tree(c"/").map_err(root_failed())?;
    forbid(root, Forbid::Writing).map_err(root_failed())?;
    attach(root, c"/").map_err(root_failed())?;
    enter_root(root).map_err(root_failed())?;
    close(root);
    devices().map_err(Failure::at(StartStep::Devices))?;
    processes().map_err(Failure::at(StartStep::Processes))?;
    run_directory().map_err(root_failed())?;
    for taken in trees.iter().flatten() {
        attach_at(taken.tree, taken.place).map_err(Failure::at(StartStep::Writable))?;
        close(taken.tree);
    }
    forbid_writing_at(c"/dev").map_err(Failure::at(StartStep::Devices))?;
    protect(options).map_err(Failure::at(StartStep::Protected))
}

/// A directory of devices of its own, empty files where those belong.
fn devices() -> Result<(), Errno> {
    mount_new(c"/dev", IN_MEMORY)?;
    for device in DEVICES {
        make_file(device)?;
    }
    for (link, target) in DEVICE_LINKS {
        make_link(link, target)?;
    }
    make_directory(c"/dev/shm", 0o1777)?;
    let shared = FileSystem {
        options: c"mode=1777",
        ..IN_MEMORY
    };
    mount_new(c"/dev/shm", shared)?;
    make_directory(c"/dev/pts", 0o755)?;
    let terminals = FileSystem {
        kind: c"devpts",
        options: c"newinstance,ptmxmode=0666,mode=620",
        has_devices: true,
        ..IN_MEMORY
    };
    // In a namespace of users where nobody is the root user there can be none. Then a command cannot
    // make terminals of its own; the one that it was given works.
    let _ = mount_new(c"/dev/pts", terminals);
    Ok(())
}

/// Only its own processes are seen. Nothing can be written there, settings of the kernel included.
fn processes() -> Result<(), Errno> {
    let processes = FileSystem {
        kind: c"proc",
        options: c"",
        is_read_only: true,
        has_devices: false,
        forbids_programs: true,
    };
    mount_new(c"/proc", processes)
}

/// Sockets and secrets of services lie in `/run`. On NixOS the system itself does too.
fn run_directory() -> Result<(), Errno> {
    let is_there = |path| look_at(path).is_ok();
    if !is_there(c"/run") || is_there(c"/run/current-system") {
        return Ok(());
    }
    mount_new(c"/run", IN_MEMORY)
}

/// Mounts a tree at a place, which is made when something new was mounted above it.
fn attach_at(tree: Descriptor, place: &CStr) -> Result<(), Errno> {
    match attach(tree, place) {
        Err(Errno::NO_ENTRY) => {
            make_way_to(place)?;
            attach(tree, place)
        }
        done => done,
    }
}

/// Makes the directories of a path, and at its end one more.
fn make_way_to(place: &CStr) -> Result<(), Errno> {
    let bytes = place.to_bytes_with_nul();
    let mut path = [0_u8; PATH_MAX];
    let copy = path.get_mut(..bytes.len()).ok_or(Errno::INVALID)?;
    copy.copy_from_slice(bytes);
    for at in 1..bytes.len() {
        if !matches!(bytes.get(at), Some(b'/' | 0)) {
            continue;
        }
        set(&mut path, at, 0);
        let part = CStr::from_bytes_until_nul(&path).map_err(|_| Errno::INVALID)?;
        match make_directory(part, 0o755) {
            Ok(()) | Err(Errno::EXISTS | Errno::READ_ONLY) => {}
            Err(errno) => return Err(errno),
        }
        set(&mut path, at, b'/');
    }
    Ok(())
}

fn set(path: &mut [u8], at: usize, byte: u8) {
    if let Some(place) = path.get_mut(at) {
        *place = byte;
    }
}

/// What may not be changed in the directories that may be written.
fn protect(options: &Options) -> Result<(), Errno> {
    let onto_itself = |path: &CStr, what: Option<Forbid>| -> Result<(), Errno> {
        let tree = copy_opened(open_place(path)?)?;
        if let Some(what) = what {
            forbid(tree, what)?;
        }
        attach(tree, path)?;
        close(tree);
        Ok(())
    };
    // A directory that something is mounted on cannot be moved away, and so cannot be replaced.
    for path in options.paths(b"keep") {
        onto_itself(path, None)?;
    }
    for path in options.paths(b"keep-link") {
        let link = copy_opened(open_link(path)?)?;
        // Older kernels mount nothing on links. What the link leads to is protected all the same.
        let _ = attach(link, path);
        close(link);
    }
    for path in options
        .paths(b"protect")
        .chain(options.paths(b"missing-directory"))
    {
        onto_itself(path, Some(Forbid::Writing))?;
    }
    for path in options.paths(b"missing-file") {
        match at_place(path, |place| look_at(place))? {
            // It reads as an empty file, and what is written to it is gone.
            (Kind::Socket, _) => {
                let nothing = copy_tree(c"/dev/null")?;
                attach(nothing, path)?;
                close(nothing);
            }
            // Somebody made one meanwhile.
            _ => onto_itself(path, Some(Forbid::Writing))?,
        }
    }
    Ok(())
}
