//! How hosts are reached.

use std::sync::Arc;

use tenon_web::{AllowedHosts, Guard, HostProxy, ReachableHosts, Resolver, Transport, Upstream};

use crate::proxy::SandboxProxy;

/// How hosts are reached: by whom their names are resolved, and through which proxy. Cheap to clone.
#[derive(Clone)]
pub(crate) struct HostRoute {
    pub(super) transport: Transport,
    pub(super) resolver: Arc<dyn Resolver>,
    pub(super) upstream: Option<Arc<Upstream>>,
}

impl HostRoute {
    /// A transport behind another guard, with the same resolver and proxy.
    pub(crate) fn transport_behind(&self, guard: Guard) -> Transport {
        Transport::new(guard, self.resolver.clone()).through(self.upstream.clone())
    }

    /// A proxy to these hosts, which reaches what the web tools reach.
    pub(crate) fn proxy(&self, hosts: ReachableHosts) -> SandboxProxy {
        SandboxProxy(HostProxy::new(hosts, self.transport.clone()))
    }

    /// The servers that the host opened although their addresses are not public.
    pub(crate) fn allowed(&self) -> &AllowedHosts {
        self.transport.guard().allowed()
    }
}
