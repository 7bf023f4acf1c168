//! What a command writes: read, kept within bounds, and what of it is kept in a file.

pub(crate) mod capture;
pub(crate) mod channels;
pub(crate) mod fold;
pub(crate) mod guard;
pub(crate) mod live;
pub(crate) mod private_directory;
pub(crate) mod pump;
pub(crate) mod spill;
pub(crate) mod temporary;
