//! Requests of the facade to MCP servers.

use serde_json::Value;
use tenon_contract::{CancellationToken, ToolError};
use tenon_mcp::{Request, Servers};

use super::Toolkit;

impl Toolkit {
    /// Serves a request of the facade to an MCP server.
    ///
    /// # Errors
    /// What the server, its transport or its start say.
    pub async fn mcp(
        &self,
        request: &str,
        cancellation: &CancellationToken,
    ) -> Result<Value, ToolError> {
        let request: Request = serde_json::from_str(request).map_err(|error| {
            ToolError::internal(format_args!("the request to a server is not one ({error})"))
        })?;
        let servers = self.mcp_servers().servers()?;
        servers.request(request, cancellation).await
    }

    /// What is known of the servers. Asks none of them.
    #[must_use]
    pub fn mcp_status(&self) -> Vec<Value> {
        let servers = self.mcp_servers().servers.get();
        servers.map(Servers::status).unwrap_or_default()
    }

    /// Keeps a long text in a private file, and says where, for the model.
    pub async fn keep_output(&self, text: &str) -> Option<String> {
        let kept = self
            .mcp_servers()
            .context
            .processes
            .keep_output(text.as_bytes());
        kept.await.sentence()
    }
}
