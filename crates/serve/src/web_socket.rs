//! WebSocket connections, on loopback or with TLS, always with a token: any user of a machine can connect to a port.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use tenon_contract::limits::{REMOTE_FRAME_MAX_BYTES, REMOTE_HELLO_TIMEOUT};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Message};
use tokio_tungstenite::{WebSocketStream, accept_async_with_config};

use crate::connection::serve;
use crate::engine::{Admission, Engine};

const PIPE_BYTES: usize = 256 * 1024;

/// A port that hosts connect to.
pub(crate) struct Port {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    admission: Admission,
}

impl Port {
    /// Binds it. Without TLS only an address of loopback.
    pub(crate) async fn bind(
        address: SocketAddr,
        tls: Option<(&Path, &Path)>,
        token: &str,
    ) -> io::Result<Self> {
        if tls.is_none() && !address.ip().is_loopback() {
            let message = "an address that other machines can reach needs TLS: use `wss:`";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let tls = tls
            .map(|(certificates, key)| acceptor(certificates, key))
            .transpose()?;
        Ok(Self {
            listener: TcpListener::bind(address).await?,
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
            tokio::spawn(async move {
                // How a connection ended is of no use to anybody: its host knows as well.
                let _ = accepted(&engine, stream, tls, &admission).await;
            });
        }
    }
}

async fn accepted(
    engine: &Arc<Engine>,
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    admission: &Admission,
) -> io::Result<()> {
    let Some(tls) = tls else {
        return upgraded(engine, stream, admission).await;
    };
    let stream = tokio::time::timeout(REMOTE_HELLO_TIMEOUT, tls.accept(stream)).await;
    upgraded(
        engine,
        stream.map_err(|_| io::ErrorKind::TimedOut)??,
        admission,
    )
    .await
}

async fn upgraded<S>(engine: &Arc<Engine>, stream: S, admission: &Admission) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let config = WebSocketConfig::default()
        .max_message_size(Some(2 * REMOTE_FRAME_MAX_BYTES))
        .max_frame_size(Some(2 * REMOTE_FRAME_MAX_BYTES));
    let upgrade = accept_async_with_config(stream, Some(config));
    let socket = tokio::time::timeout(REMOTE_HELLO_TIMEOUT, upgrade).await;
    let socket = socket
        .map_err(|_| io::ErrorKind::TimedOut)?
        .map_err(io::Error::other)?;
    let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
    let (served, _) = tokio::join!(serve(engine, ours, admission), pump(socket, theirs));
    served
}

/// Carries binary messages in and out; where they begin and end means nothing.
async fn pump<S>(socket: WebSocketStream<S>, pipe: tokio::io::DuplexStream) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut sink, mut messages) = socket.split();
    let (mut reader, mut writer) = tokio::io::split(pipe);
    let inwards = async {
        while let Some(message) = messages.next().await {
            match message.map_err(io::Error::other)? {
                Message::Binary(bytes) => writer.write_all(&bytes).await?,
                Message::Close(_) => break,
                // Pings are answered by the library.
                _ => {}
            }
        }
        writer.shutdown().await
    };
    let outwards = async {
        let mut bytes = vec![0; 64 * 1024];
        loop {
            let count = reader.read(&mut bytes).await?;
            if count == 0 {
                return sink.close().await.map_err(io::Error::other);
            }
            let some = Bytes::copy_from_slice(bytes.get(..count).unwrap_or_default());
            sink.send(Message::Binary(some))
                .await
                .map_err(io::Error::other)?;
        }
    };
    tokio::select! {
        done = inwards => done,
        done = outwards => done,
    }
}

fn acceptor(certificates: &Path, key: &Path) -> io::Result<TlsAcceptor> {
    let unreadable = |path: &Path, error: &dyn std::fmt::Display| {
        let message = format!("`{}` cannot be used for TLS: {error}", path.display());
        io::Error::new(io::ErrorKind::InvalidData, message)
    };
    let chain = CertificateDer::pem_file_iter(certificates)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unreadable(certificates, &error))?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable(key, &error))?;
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| unreadable(certificates, &error))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
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
