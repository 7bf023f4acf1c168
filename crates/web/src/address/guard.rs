//! Decides about an address and about what a resolver said of its host.

use std::net::{IpAddr, SocketAddr};

use super::ports::is_bad;
use super::{AddressBlock, AllowedHosts, Refusal, WebUrl, block_of};

/// Lets the public internet through, and the single servers that the host opened.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    allowed: AllowedHosts,
    opens_loopback: bool,
}

impl Guard {
    /// A guard that also lets these servers through.
    #[must_use]
    pub fn new(allowed: AllowedHosts) -> Self {
        Self {
            allowed,
            opens_loopback: false,
        }
    }

    /// The same, with every server of this machine: for what a server of this machine names.
    #[must_use]
    pub fn with_loopback(mut self) -> Self {
        self.opens_loopback = true;
        self
    }

    /// The servers that were opened.
    #[must_use]
    pub fn allowed(&self) -> &AllowedHosts {
        &self.allowed
    }

    fn refuses(&self, block: AddressBlock) -> bool {
        !(self.opens_loopback && block.name == "loopback")
    }

    /// Whether the host opened this very server.
    #[must_use]
    pub fn opens(&self, url: &WebUrl) -> bool {
        self.allowed.contains(url)
    }

    /// What can be said before the host is resolved.
    ///
    /// # Errors
    /// Ports of other protocols, literal addresses that are not public, names of this machine.
    pub fn check(&self, url: &WebUrl) -> Result<(), Refusal> {
        if self.opens(url) {
            return Ok(());
        }
        if is_bad(url.port()) {
            return Err(Refusal::Port {
                url: url.to_string(),
                port: url.port(),
            });
        }
        let block = match url.literal() {
            Some(address) => block_of(address),
            None => named_block(url.host()),
        };
        match block.filter(|block| self.refuses(*block)) {
            Some(block) => Err(private(url, block)),
            None => Ok(()),
        }
    }

    /// The addresses to connect to: all that the resolver answered, if every one of them is public. One that is not
    /// refuses them all, since the one who answers could swap them (rebinding).
    ///
    /// # Errors
    /// As [`Guard::check`], and for any answer that is not public.
    pub fn admit(&self, url: &WebUrl, answers: &[IpAddr]) -> Result<Vec<SocketAddr>, Refusal> {
        self.check(url)?;
        if !self.opens(url)
            && let Some(block) = answers
                .iter()
                .filter_map(|address| block_of(*address))
                .find(|block| self.refuses(*block))
        {
            return Err(private(url, block));
        }
        let mut admitted: Vec<SocketAddr> = Vec::with_capacity(answers.len());
        for address in answers {
            let address = SocketAddr::new(*address, url.port());
            if !admitted.contains(&address) {
                admitted.push(address);
            }
        }
        Ok(admitted)
    }
}

/// Names that mean this machine whatever a resolver says (RFC 6761).
fn named_block(host: &str) -> Option<AddressBlock> {
    let last = host.rsplit('.').next().unwrap_or_default();
    (last == "localhost").then_some(AddressBlock {
        name: "loopback",
        range: "localhost",
    })
}

fn private(url: &WebUrl, block: AddressBlock) -> Refusal {
    Refusal::Private {
        url: url.to_string(),
        host: url.host().to_owned(),
        port: url.port(),
        block,
    }
}
