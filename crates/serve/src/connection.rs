//! One connection: who it is, then frames in both directions until it ends.

use std::io;
use std::sync::Arc;

use serde_json::{Value, json};
use tenon_contract::limits::{REMOTE_HELLO_TIMEOUT, REMOTE_KEEP_ALIVE, REMOTE_SILENCE_MAX};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::engine::{Admission, Engine, Refusal, codes};
use crate::frame::{Decoder, Frame, FrameKind, encode};
use crate::session::{Session, run_all};

/// Frames are written together up to about this many bytes.
const BATCH_BYTES: usize = 128 * 1024;
const READ_BYTES: usize = 64 * 1024;

/// Frames that come in.
struct Incoming<R> {
    reader: R,
    decoder: Decoder,
    bytes: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Incoming<R> {
    fn new(reader: R) -> Self {
        Self {
            reader,
            decoder: Decoder::default(),
            bytes: vec![0; READ_BYTES],
        }
    }

    /// A frame that has come in already.
    fn ready(&mut self) -> io::Result<Option<Frame>> {
        let next = self.decoder.next_frame();
        next.map_err(|fault| io::Error::new(io::ErrorKind::InvalidData, fault.to_string()))
    }

    /// Waits for more bytes. False at the end.
    async fn more(&mut self) -> io::Result<bool> {
        let count = self.reader.read(&mut self.bytes).await?;
        self.decoder
            .push(self.bytes.get(..count).unwrap_or_default());
        Ok(count > 0)
    }

    async fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.ready()? {
                return Ok(Some(frame));
            }
            if !self.more().await? {
                return Ok(None);
            }
        }
    }
}

/// Serves a connection until it ends. Its session lives on for a while.
///
/// # Errors
/// A connection that breaks, or that says what makes no sense.
pub async fn serve<S>(engine: &Arc<Engine>, stream: S, admission: &Admission) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Send,
{
    let (reader, mut writer) = tokio::io::split(stream);
    let mut incoming = Incoming::new(reader);
    let opened = tokio::time::timeout(
        REMOTE_HELLO_TIMEOUT,
        open(engine, &mut incoming, &mut writer, admission),
    );
    let opened = opened.await.map_err(|_| io::ErrorKind::TimedOut)??;
    let Some((id, session, number)) = opened else {
        return Ok(());
    };
    let ended = tokio::select! {
        ended = read(&session, number, &mut incoming) => ended,
        ended = write(&session, number, &mut writer) => ended,
    };
    engine.detached(id, session, number).await;
    ended
}

type Opened = (String, Arc<Session>, u64);

/// `hello` and `attach`. Nothing where the connection was refused, or ended before.
async fn open<R, W>(
    engine: &Arc<Engine>,
    incoming: &mut Incoming<R>,
    writer: &mut W,
    admission: &Admission,
) -> io::Result<Option<Opened>>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let Some((id, greeting)) = said(incoming, "hello").await? else {
        return Ok(None);
    };
    let greeted = greeting.and_then(|params| Engine::greet(&params, admission));
    if !send_answer(writer, &id, greeted).await? {
        return Ok(None);
    }
    let Some((id, attaching)) = said(incoming, "attach").await? else {
        return Ok(None);
    };
    let mut opened = None;
    let answer = attaching.and_then(|params| {
        let (session, number, attached) = engine.attach(&params)?;
        let name = params.get("session").and_then(Value::as_str);
        opened = Some((name.unwrap_or_default().to_owned(), session, number));
        Ok(attached)
    });
    let is_sent = send_answer(writer, &id, answer).await;
    match (is_sent, opened) {
        (Ok(_), opened) => Ok(opened),
        (Err(error), Some((name, session, number))) => {
            engine.detached(name, session, number).await;
            Err(error)
        }
        (Err(error), None) => Err(error),
    }
}

/// The parameters of the next message, which must be this request.
async fn said<R: AsyncRead + Unpin>(
    incoming: &mut Incoming<R>,
    method: &str,
) -> io::Result<Option<(Value, Result<Value, Refusal>)>> {
    let Some(frame) = incoming.next().await? else {
        return Ok(None);
    };
    let message: Value = match frame.kind {
        FrameKind::Json => serde_json::from_slice(&frame.payload).unwrap_or_default(),
        FrameKind::Chunk => Value::Null,
    };
    let id = message.get("id").cloned().unwrap_or_default();
    if message.get("method").and_then(Value::as_str) != Some(method) {
        let refusal = Refusal::new(codes::INVALID, format!("`{method}` was expected."));
        return Ok(Some((id, Err(refusal))));
    }
    let params = message.get("params").cloned().unwrap_or_default();
    Ok(Some((id, Ok(params))))
}

/// Answers a request. Whether it was not refused.
async fn send_answer<W: AsyncWrite + Unpin>(
    writer: &mut W,
    id: &Value,
    answer: Result<Value, Refusal>,
) -> io::Result<bool> {
    let (message, is_ok) = match answer {
        Ok(result) => (
            json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            true,
        ),
        Err(Refusal {
            code,
            message,
            data,
        }) => {
            let error = json!({ "code": code, "message": message, "data": data });
            (json!({ "jsonrpc": "2.0", "id": id, "error": error }), false)
        }
    };
    // The catalog may well be larger than a frame of a session is.
    let frame = encode(FrameKind::Json, &[message.to_string().as_bytes()]);
    writer.write_all(&frame).await?;
    writer.flush().await?;
    Ok(is_ok)
}

async fn read<R: AsyncRead + Unpin>(
    session: &Arc<Session>,
    number: u64,
    incoming: &mut Incoming<R>,
) -> io::Result<()> {
    loop {
        while let Some(frame) = incoming.ready()? {
            let taken = {
                let mut link = session.link();
                // Another connection has taken over, and counts for itself.
                if session.connection() != number {
                    return Ok(());
                }
                link.take(&frame)
            };
            let taken =
                taken.map_err(|fault| io::Error::new(io::ErrorKind::InvalidData, fault.0))?;
            run_all(taken.acknowledged);
            if let Some(message) = taken.message {
                session.take(message);
            }
        }
        if session.is_over() {
            return Ok(());
        }
        session.wake.notify_one();
        let more = tokio::time::timeout(REMOTE_SILENCE_MAX, incoming.more()).await;
        if !more.map_err(|_| io::ErrorKind::TimedOut)?? {
            return Ok(());
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(
    session: &Arc<Session>,
    number: u64,
    writer: &mut W,
) -> io::Result<()> {
    loop {
        let mut batch = Vec::new();
        while batch.len() < BATCH_BYTES {
            let mut link = session.link();
            if session.connection() != number {
                drop(link);
                // What woke this one was for the other.
                session.wake.notify_one();
                return Ok(());
            }
            let Some(frame) = link.next_frame() else {
                break;
            };
            batch.extend_from_slice(&frame);
        }
        if !batch.is_empty() {
            writer.write_all(&batch).await?;
            writer.flush().await?;
            continue;
        }
        if session.is_over() {
            return Ok(());
        }
        let woken = tokio::time::timeout(REMOTE_KEEP_ALIVE, session.wake.notified());
        if woken.await.is_err() {
            session
                .link()
                .control(r#"{"jsonrpc":"2.0","method":"ping"}"#.to_owned());
        }
    }
}
