//! What the browser says by itself: brought to the tab that it concerns, and decided about where it waits.

pub(crate) mod interception;
pub(crate) mod pages;
pub(crate) mod parting;
pub(crate) mod router;
pub(crate) mod shared;
pub(crate) mod sockets;
pub(crate) mod target;
pub(crate) mod transfers;
