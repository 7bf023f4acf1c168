//! The proxy of commands in a sandbox that may reach a list of hosts.

use tenon_process::{ProxyListener, ProxyPort};
use tenon_web::HostProxy;
use tokio_util::sync::CancellationToken;

/// Serves on the runtime that watches the command.
#[derive(Debug)]
pub(crate) struct SandboxProxy(pub(crate) HostProxy);

impl ProxyPort for SandboxProxy {
    fn serve(&self, listener: ProxyListener, over: CancellationToken) {
        let proxy = self.0.clone();
        tokio::spawn(async move {
            // Without it the command reaches nobody, which is what the error says then.
            let _ = proxy.serve_on(listener, over).await;
        });
    }
}
