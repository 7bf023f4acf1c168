//! Connections to the proxy, and through it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, IpAddr as TlsAddress, ServerName};
use tenon_contract::limits;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use url::Host;

use super::Upstream;
use crate::address::WebUrl;
use crate::error::deepest;
use crate::tls;

/// Longest head of a proxy's answer, in bytes.
const HEAD_MAX_BYTES: usize = 16 * 1024;
/// Most addresses of one host that the proxy is given, one after the other.
const TARGETS_MAX: usize = 4;

/// Bytes both ways.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection, over whatever it goes.
pub(crate) type Connection = Box<dyn Stream>;

/// What a proxy is asked to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// One of these addresses, which were checked.
    Checked(Vec<SocketAddr>),
    /// The host of the address, which it finds by itself.
    Named,
}

/// Why there is no tunnel.
enum Refused {
    /// Another address may do.
    Target(String),
    /// No address will.
    Proxy(String),
}

impl Upstream {
    /// A connection to the proxy itself.
    pub(crate) async fn connect(
        &self,
        authorities: &[CertificateDer<'static>],
    ) -> Result<Connection, String> {
        let connecting = async {
            let stream = match &self.host {
                Host::Domain(name) => TcpStream::connect((name.as_str(), self.port)).await,
                Host::Ipv4(address) => TcpStream::connect((*address, self.port)).await,
                Host::Ipv6(address) => TcpStream::connect((*address, self.port)).await,
            };
            let unreachable =
                |error: io::Error| format!("it cannot be reached: {}", deepest(&error));
            let stream = stream.map_err(unreachable)?;
            stream.set_nodelay(true).map_err(unreachable)?;
            if !self.is_secure {
                return Ok(Box::new(stream) as Connection);
            }
            let name = match &self.host {
                Host::Domain(name) => {
                    ServerName::try_from(name.clone()).map_err(|error| error.to_string())?
                }
                Host::Ipv4(address) => ServerName::IpAddress(TlsAddress::V4((*address).into())),
                Host::Ipv6(address) => ServerName::IpAddress(TlsAddress::V6((*address).into())),
            };
            secured(Box::new(stream), name, authorities).await
        };
        in_time(connecting).await
    }

    /// A tunnel to the host of an address.
    pub(crate) async fn tunnel(
        &self,
        url: &WebUrl,
        target: &Target,
        authorities: &[CertificateDer<'static>],
    ) -> Result<Connection, String> {
        let targets = match target {
            Target::Checked(addresses) => addresses
                .iter()
                .take(TARGETS_MAX)
                .map(SocketAddr::to_string)
                .collect(),
            Target::Named => vec![format!("{}:{}", url.host(), url.port())],
        };
        let mut last = "the host has no address".to_owned();
        for target in targets {
            let mut stream = self.connect(authorities).await?;
            match in_time(async { Ok(self.ask(&mut stream, &target).await) }).await? {
                Ok(()) => return Ok(stream),
                Err(Refused::Target(reason)) => last = reason,
                Err(Refused::Proxy(reason)) => return Err(reason),
            }
        }
        Err(last)
    }

    /// Asks for a tunnel on a fresh connection.
    async fn ask(&self, stream: &mut Connection, target: &str) -> Result<(), Refused> {
        let lost = |error: io::Error| {
            Refused::Proxy(format!("the connection was lost: {}", deepest(&error)))
        };
        let mut request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n").into_bytes();
        if let Some(authorization) = &self.authorization {
            request.extend_from_slice(b"Proxy-Authorization: ");
            request.extend_from_slice(authorization.as_bytes());
            request.extend_from_slice(b"\r\n");
        }
        request.extend_from_slice(b"\r\n");
        stream.write_all(&request).await.map_err(lost)?;
        stream.flush().await.map_err(lost)?;
        let head = head(stream).await.map_err(lost)?;
        match status(&head) {
            None => Err(Refused::Proxy(
                "it does not respond as a proxy does".to_owned(),
            )),
            Some(200..=299) => Ok(()),
            Some(407) => Err(Refused::Proxy(WANTS_CREDENTIALS.to_owned())),
            Some(status @ 502..=504) => Err(Refused::Target(format!(
                "it did not reach the server (status {status})"
            ))),
            Some(status) => Err(Refused::Proxy(format!(
                "it refuses a tunnel (status {status})"
            ))),
        }
    }
}

/// What status 407 means.
pub(crate) const WANTS_CREDENTIALS: &str =
    "it rejected the credentials (status 407), which the application sets in `web.proxy`";

/// The head of an answer, and not a byte of what comes behind it.
async fn head(stream: &mut Connection) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(256);
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() >= HEAD_MAX_BYTES {
            return Err(io::Error::other("its response has no end"));
        }
        head.push(stream.read_u8().await?);
    }
    Ok(head)
}

/// The status of an answer.
fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|byte| *byte == b'\r').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let rest = line
        .strip_prefix("HTTP/1.1 ")
        .or_else(|| line.strip_prefix("HTTP/1.0 "))?;
    let code = rest.split(' ').next()?;
    let is_code = code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_digit());
    is_code.then(|| code.parse().ok()).flatten()
}

/// A connection over TLS to the one who proves to be `name`, for HTTP/1.1.
pub(crate) async fn secured(
    stream: Connection,
    name: ServerName<'static>,
    authorities: &[CertificateDer<'static>],
) -> Result<Connection, String> {
    let authorities = authorities.to_vec();
    let work = tokio::task::spawn_blocking(move || tls::config(&authorities));
    let config = work.await.map_err(|error| error.to_string())??;
    let mut config = rustls::ClientConfig::clone(&config);
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let connecting = TlsConnector::from(Arc::new(config)).connect(name, stream);
    let stream = connecting.await.map_err(|error| deepest(&error))?;
    Ok(Box::new(stream))
}

async fn in_time<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    timeout(limits::WEB_CONNECT_TIMEOUT, work)
        .await
        .unwrap_or_else(|_| Err("it did not answer in time".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_three_digits_behind_the_version() {
        for (head, expected) in [
            ("HTTP/1.1 200 Connection established\r\n\r\n", Some(200)),
            ("HTTP/1.0 200\r\n\r\n", Some(200)),
            (
                "HTTP/1.1 407 Proxy Authentication Required\r\nA: b\r\n\r\n",
                Some(407),
            ),
            ("HTTP/2 200 OK\r\n\r\n", None),
            ("HTTP/1.1 +20 OK\r\n\r\n", None),
            ("HTTP/1.1 0200 OK\r\n\r\n", None),
            ("SSH-2.0-OpenSSH\r\n\r\n", None),
            ("\r\n\r\n", None),
        ] {
            assert_eq!(status(head.as_bytes()), expected, "{head:?}");
        }
    }
}
