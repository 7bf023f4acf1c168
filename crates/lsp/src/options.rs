//! What a host says about language servers.

use std::time::Duration;

use tenon_contract::limits;

use crate::servers::CustomServer;

/// What the host says about language servers.
#[derive(Debug, Clone, PartialEq)]
pub struct LspOptions {
    /// Servers by language, instead of those of the table or beside them.
    pub servers: Vec<(String, CustomServer)>,
    /// Whether programs and settings of the workspace may be run. Default: no.
    pub trusted: bool,
    /// After how long without a question a server is ended. Default:
    /// [`LSP_IDLE_TIMEOUT`](limits::LSP_IDLE_TIMEOUT).
    pub idle: Duration,
}

impl Default for LspOptions {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            trusted: false,
            idle: limits::LSP_IDLE_TIMEOUT,
        }
    }
}
