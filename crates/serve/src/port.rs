//! Ports, on loopback or with TLS, always with a token: any user of a machine can connect to a port.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use tenon_contract::limits::REMOTE_HELLO_TIMEOUT;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use crate::connection::serve;
use crate::engine::{Admission, Engine};
use crate::options::Place;
use crate::web_socket::upgraded;

/// A port that hosts connect to.
pub(crate) struct Port {
    listener: TcpListener,
    is_web: bool,
    tls: Option<TlsAcceptor>,
    admission: Admission,
}

/// The files that TLS needs.
#[derive(Clone, Copy)]
pub(crate) struct Tls<'t> {
    pub(crate) certificates: &'t Path,
    pub(crate) key: &'t Path,
    /// Authorities that have signed the certificates of hosts; nothing where the token is enough.
    pub(crate) client_authorities: Option<&'t Path>,
}

impl Port {
    /// Binds it. Without TLS only an address of loopback.
    pub(crate) async fn bind(place: Place, tls: Option<Tls<'_>>, token: &str) -> io::Result<Self> {
        if tls.is_none() && !place.address.ip().is_loopback() {
            let message =
                "an address that other machines can reach needs TLS: use `wss:` or `tls:`";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let tls = tls.map(acceptor).transpose()?;
        Ok(Self {
            listener: TcpListener::bind(place.address).await?,
            is_web: place.is_web,
            tls,
            admission: Admission::token(token),
        })
    }

    /// Serves everybody who connects and has the token.
    pub(crate) async fn serve(&self, engine: &Arc<Engine>) -> io::Result<()> {
        loop {
            let Ok((stream, _)) = self.listener.accept().await else {
                // Out of descriptors: some will come back.
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let (engine, tls, admission) =
                (Arc::clone(engine), self.tls.clone(), self.admission.clone());
            let is_web = self.is_web;
            tokio::spawn(async move {
                // How a connection ended is of no use to anybody: its host knows as well.
                let _ = accepted(&engine, stream, is_web, tls, &admission).await;
            });
        }
    }
}

async fn accepted(
    engine: &Arc<Engine>,
    stream: TcpStream,
    is_web: bool,
    tls: Option<TlsAcceptor>,
    admission: &Admission,
) -> io::Result<()> {
    let Some(tls) = tls else {
        return spoken(engine, stream, is_web, admission).await;
    };
    let stream = tokio::time::timeout(REMOTE_HELLO_TIMEOUT, tls.accept(stream)).await;
    let stream = stream.map_err(|_| io::ErrorKind::TimedOut)??;
    spoken(engine, stream, is_web, admission).await
}

async fn spoken<S>(
    engine: &Arc<Engine>,
    stream: S,
    is_web: bool,
    admission: &Admission,
) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    if is_web {
        upgraded(engine, stream, admission).await
    } else {
        serve(engine, stream, admission).await
    }
}

fn acceptor(files: Tls<'_>) -> io::Result<TlsAcceptor> {
    let chain = certificates(files.certificates)?;
    let secret =
        PrivateKeyDer::from_pem_file(files.key).map_err(|error| unreadable(files.key, &error))?;
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let config = match files.client_authorities {
        None => config.with_no_client_auth(),
        Some(file) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates(file)? {
                roots
                    .add(authority)
                    .map_err(|error| unreadable(file, &error))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .build()
                .map_err(|error| unreadable(file, &error))?;
            config.with_client_cert_verifier(verifier)
        }
    };
    let config = config
        .with_single_cert(chain, secret)
        .map_err(|error| unreadable(files.certificates, &error))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn certificates(file: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect)
        .map_err(|error| unreadable(file, &error))
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> io::Error {
    let message = format!("`{}` cannot be used for TLS: {error}", path.display());
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// The token in a file: never in the arguments of a program, which every user can read.
pub(crate) fn token_in(file: &Path) -> io::Result<String> {
    let token = fs::read_to_string(file).map_err(|error| {
        let message = format!("the token `{}` cannot be read: {error}", file.display());
        io::Error::new(error.kind(), message)
    })?;
    let token = token.trim().to_owned();
    if token.len() < 16 {
        let message = format!(
            "the token in `{}` must have 16 characters or more",
            file.display()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(token)
}
