//! From a host name to addresses.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;

use crate::error::deepest;

/// The future of a resolver's answer; an error text says why there is none.
pub type ResolveFuture = Pin<Box<dyn Future<Output = Result<Vec<IpAddr>, String>> + Send>>;

/// Finds the addresses of a host. What it answers is checked like everything else: a resolver opens nothing.
pub trait Resolver: Send + Sync + 'static {
    /// All addresses of the host, in the order in which they are to be tried.
    fn resolve(&self, host: String) -> ResolveFuture;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve(&self, host: String) -> ResolveFuture {
        Box::pin(async move {
            let answers = tokio::net::lookup_host((host.as_str(), 0))
                .await
                .map_err(|error| deepest(&error))?;
            Ok(answers.map(|address| address.ip()).collect())
        })
    }
}
