//! One running server: started, what it can, what it says by itself, when its answers are complete.

pub(crate) mod canary;
pub(crate) mod capabilities;
pub(crate) mod partial;
pub(crate) mod progress;
pub(crate) mod readiness;
pub(crate) mod roots;
pub(crate) mod server_state;
pub(crate) mod session;
pub(crate) mod start;
pub(crate) mod stderr;
pub(crate) mod tsserver;
pub(crate) mod unavailable;
