//! WebSocket connections.

use std::io;
use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use tenon_contract::limits::{REMOTE_FRAME_MAX_BYTES, REMOTE_HELLO_TIMEOUT};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Message};
use tokio_tungstenite::{WebSocketStream, accept_async_with_config};

use crate::connection::serve;
use crate::engine::{Admission, Engine};

const PIPE_BYTES: usize = 256 * 1024;

/// Serves a connection as WebSocket.
pub(crate) async fn upgraded<S>(
    engine: &Arc<Engine>,
    stream: S,
    admission: &Admission,
) -> io::Result<()>
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
