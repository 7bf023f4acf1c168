//! Events of directories, from the kernel.

use std::mem::MaybeUninit;

use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use crate::directory::Handle;
use crate::index::options::Doubt;

/// Everything that may change what a directory lists or its files hold. A write through a mapping is
/// notified when the mapping ends, by the closing of what it was made from.
const WATCHED: WatchFlags = WatchFlags::ATTRIB
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// Bytes that one read may return.
const BUFFER_BYTES: usize = 64 * 1024;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WatchedChange {
    /// The content or the mode of an entry may be another.
    Content,
    /// An entry was made.
    Made,
    /// An entry was removed.
    Removed,
    /// An entry went elsewhere.
    MovedAway,
    /// An entry came from elsewhere.
    MovedHere,
    /// The directory itself is concerned.
    Directory,
}

impl WatchedChange {
    /// Whether an entry came or went.
    pub(crate) const fn concerns_entries(self) -> bool {
        !matches!(self, Self::Content | Self::Directory)
    }
}

/// One event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Event<'a> {
    pub(crate) watch: i32,
    pub(crate) what: WatchedChange,
    pub(crate) name: &'a [u8],
    /// The same for both ends of a move.
    pub(crate) cookie: u32,
    /// Whether the entry is a directory.
    pub(crate) is_directory: bool,
}

/// A queue of events.
#[derive(Debug)]
pub(crate) struct Watcher(OwnedFd);

impl Watcher {
    pub(crate) fn new() -> Result<Self, Doubt> {
        let flags = CreateFlags::NONBLOCK | CreateFlags::CLOEXEC;
        inotify::init(flags).map(Self).map_err(|_| Doubt)
    }

    /// Watches an open directory, whatever its path leads to meanwhile.
    pub(crate) fn add(&self, directory: &Handle) -> Result<i32, Doubt> {
        let path = format!("/proc/self/fd/{}", directory.descriptor().as_raw_fd());
        inotify::add_watch(&self.0, path, WATCHED).map_err(|_| Doubt)
    }

    pub(crate) fn remove(&self, watch: i32) {
        // It is gone already when the directory is.
        let _ = inotify::remove_watch(&self.0, watch);
    }

    /// Hands over what has happened so far. Every write, rename and removal that has returned to
    /// its caller is among it.
    pub(crate) fn drain(&self, mut take: impl FnMut(Event<'_>)) -> Result<(), Doubt> {
        let mut buffer = vec![MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = Reader::new(&self.0, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::WOULDBLOCK) => return Ok(()),
                Err(Errno::INTR) => continue,
                Err(_) => return Err(Doubt),
            };
            let flags = event.events();
            if flags.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
                return Err(Doubt);
            }
            let name = event.file_name().map_or(&b""[..], |name| name.to_bytes());
            let what = if name.is_empty() {
                WatchedChange::Directory
            } else if flags.contains(ReadFlags::CREATE) {
                WatchedChange::Made
            } else if flags.contains(ReadFlags::DELETE) {
                WatchedChange::Removed
            } else if flags.contains(ReadFlags::MOVED_FROM) {
                WatchedChange::MovedAway
            } else if flags.contains(ReadFlags::MOVED_TO) {
                WatchedChange::MovedHere
            } else {
                WatchedChange::Content
            };
            take(Event {
                watch: event.wd(),
                what,
                name,
                cookie: event.cookie(),
                is_directory: flags.contains(ReadFlags::ISDIR),
            });
        }
    }
}
