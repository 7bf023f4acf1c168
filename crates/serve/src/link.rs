//! What is not lost with a connection: the messages of one session, in both directions.
//!
//! Every message has a number and is kept until the other side has acknowledged it. A new connection begins with what each side has
//! seen; what the other has not is sent again, and what came before is passed over: each message arrives once, in order. A message that
//! is too large for a frame crosses in chunks, of which only so much may be on its way as the other side has given credit for; smaller
//! messages do not wait for it, those about the same call do. It gets its number when it has left whole.
//!
//! Pure: it makes frames and takes frames in; `connection.rs` moves them. `js/remote/link.js` is the same for hosts.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;
use tenon_border::Acknowledged;
use tenon_contract::limits::{
    REMOTE_CHUNK_BYTES, REMOTE_CREDIT_BYTES, REMOTE_INLINE_MAX_BYTES, REMOTE_MESSAGE_MAX_BYTES,
};

use crate::frame::{Frame, FrameKind, encode};

/// After this many messages an acknowledgement is sent even where other messages wait.
const ACKNOWLEDGE_EVERY: u64 = 32;

/// Why what came in makes no sense. The connection has to be closed; another one may do better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkFault(pub String);

/// What came in.
#[derive(Default)]
pub struct Taken {
    /// A message of the session.
    pub message: Option<Value>,
    /// What waited for the acknowledgement of messages.
    pub acknowledged: Vec<Acknowledged>,
}

/// A message on its way out.
struct Outgoing {
    /// What it is about: messages of one lane stay in order.
    lane: u64,
    /// Its JSON without the opening brace and the number.
    body: Arc<str>,
    acknowledged: Option<Acknowledged>,
}

impl Outgoing {
    fn is_large(&self) -> bool {
        self.body.len() > REMOTE_INLINE_MAX_BYTES
    }
}

/// A message that crosses in chunks.
struct Transfer {
    number: u32,
    sent: usize,
    credit: usize,
}

/// The messages of one session.
#[derive(Default)]
pub struct Link {
    /// The number of the last message that left.
    last: u64,
    queue: VecDeque<Outgoing>,
    transfers: Vec<(Transfer, Outgoing)>,
    unacknowledged: VecDeque<(u64, Outgoing)>,
    /// From which of them on the other side may not have got them.
    again: usize,
    /// The one that is sent again in chunks.
    again_transfer: Option<Transfer>,
    last_transfer: u32,
    /// What belongs to this connection only.
    control: VecDeque<String>,
    /// The number of the last message that came in.
    seen: u64,
    acknowledged: u64,
    incoming: HashMap<u32, Vec<u8>>,
    /// Bytes of messages that were not acknowledged.
    kept: usize,
}

impl Link {
    /// Queues a message: its JSON, beginning behind `{"jsonrpc":"2.0",`.
    pub fn send(&mut self, lane: u64, body: String, acknowledged: Option<Acknowledged>) {
        self.kept += body.len();
        self.queue.push_back(Outgoing {
            lane,
            body: body.into(),
            acknowledged,
        });
    }

    /// Bytes of messages that the other side has not acknowledged.
    #[must_use]
    pub const fn kept(&self) -> usize {
        self.kept
    }

    /// The number of the last message that came in.
    #[must_use]
    pub const fn seen(&self) -> u64 {
        self.seen
    }

    /// Queues what is not repeated on another connection, whole.
    pub fn control(&mut self, json: String) {
        self.control.push_back(json);
    }

    /// Begins a new connection to a side that has seen the messages up to this number.
    ///
    /// # Errors
    /// A number that no message had.
    pub fn begin(&mut self, seen: u64) -> Result<Vec<Acknowledged>, LinkFault> {
        let acknowledged = self.acknowledge(seen)?;
        self.again = 0;
        self.again_transfer = None;
        self.control.clear();
        self.incoming.clear();
        self.acknowledged = self.seen;
        for (_, outgoing) in std::mem::take(&mut self.transfers).into_iter().rev() {
            self.queue.push_front(outgoing);
        }
        Ok(acknowledged)
    }

    /// The next frame to send, as bytes; nothing while there is nothing, or no credit.
    pub fn next_frame(&mut self) -> Option<Vec<u8>> {
        if let Some(json) = self.control.pop_front() {
            return Some(encode(FrameKind::Json, &[json.as_bytes()]));
        }
        if self.seen.saturating_sub(self.acknowledged) >= ACKNOWLEDGE_EVERY {
            return Some(self.acknowledgement());
        }
        if self.again < self.unacknowledged.len() {
            if let Some(frame) = self.next_again() {
                return Some(frame);
            }
        } else if let Some(frame) = self.next_new() {
            return Some(frame);
        }
        (self.seen > self.acknowledged).then(|| self.acknowledgement())
    }

    fn acknowledgement(&mut self) -> Vec<u8> {
        self.acknowledged = self.seen;
        let json = format!(
            r#"{{"jsonrpc":"2.0","method":"ack","params":{{"seq":{}}}}}"#,
            self.seen
        );
        encode(FrameKind::Json, &[json.as_bytes()])
    }

    /// In order, one after the other: the other side counts.
    fn next_again(&mut self) -> Option<Vec<u8>> {
        let (number, outgoing) = self.unacknowledged.get(self.again)?;
        if !outgoing.is_large() {
            self.again += 1;
            return Some(numbered(*number, &outgoing.body));
        }
        let transfer = match &mut self.again_transfer {
            Some(transfer) => transfer,
            none => {
                self.last_transfer = self.last_transfer.wrapping_add(1);
                none.insert(Transfer::new(self.last_transfer))
            }
        };
        if let Some(chunk) = transfer.chunk(&outgoing.body) {
            return Some(chunk);
        }
        if transfer.sent < outgoing.body.len() {
            return None;
        }
        let frame = whole(*number, transfer);
        self.again_transfer = None;
        self.again += 1;
        Some(frame)
    }

    fn next_new(&mut self) -> Option<Vec<u8>> {
        loop {
            let is_free = |outgoing: &Outgoing| {
                let mut lanes = self.transfers.iter().map(|(_, other)| other.lane);
                lanes.all(|lane| lane != outgoing.lane)
            };
            let Some(place) = self.queue.iter().position(is_free) else {
                break;
            };
            let outgoing = self.queue.remove(place)?;
            if !outgoing.is_large() {
                let number = self.left(outgoing);
                let (_, outgoing) = self.unacknowledged.back()?;
                return Some(numbered(number, &outgoing.body));
            }
            self.last_transfer = self.last_transfer.wrapping_add(1);
            let transfer = Transfer::new(self.last_transfer);
            self.transfers.push((transfer, outgoing));
        }
        let next = self.transfers.iter_mut().position(|(transfer, outgoing)| {
            transfer.credit > 0 || transfer.sent == outgoing.body.len()
        })?;
        let (mut transfer, outgoing) = self.transfers.remove(next);
        if let Some(chunk) = transfer.chunk(&outgoing.body) {
            // The others have their turn first.
            self.transfers.push((transfer, outgoing));
            return Some(chunk);
        }
        let number = self.left(outgoing);
        Some(whole(number, &transfer))
    }

    /// A message is on its way whole: it gets its number.
    fn left(&mut self, outgoing: Outgoing) -> u64 {
        self.last += 1;
        self.unacknowledged.push_back((self.last, outgoing));
        self.again = self.unacknowledged.len();
        self.last
    }

    /// Takes a frame in.
    ///
    /// # Errors
    /// What makes no sense after what came before.
    pub fn take(&mut self, frame: &Frame) -> Result<Taken, LinkFault> {
        match frame.kind {
            FrameKind::Chunk => self.take_chunk(&frame.payload).map(|()| Taken::default()),
            FrameKind::Json => self.take_json(&frame.payload),
        }
    }

    fn take_chunk(&mut self, payload: &[u8]) -> Result<(), LinkFault> {
        let Some((number, bytes)) = payload.split_first_chunk::<4>() else {
            return Err(LinkFault("a chunk has no number".to_owned()));
        };
        let number = u32::from_be_bytes(*number);
        let total: usize = self.incoming.values().map(Vec::len).sum();
        if total + bytes.len() > REMOTE_MESSAGE_MAX_BYTES {
            return Err(LinkFault("a message is too large".to_owned()));
        }
        self.incoming
            .entry(number)
            .or_default()
            .extend_from_slice(bytes);
        self.control(format!(
            r#"{{"jsonrpc":"2.0","method":"credit","params":{{"transfer":{number},"bytes":{}}}}}"#,
            bytes.len()
        ));
        Ok(())
    }

    fn take_json(&mut self, payload: &[u8]) -> Result<Taken, LinkFault> {
        let message: Value = serde_json::from_slice(payload)
            .map_err(|error| LinkFault(format!("a message is not JSON ({error})")))?;
        let param = |name: &str| {
            message
                .pointer("/params")
                .and_then(|params| params.get(name)?.as_u64())
        };
        match message.get("method").and_then(Value::as_str) {
            Some("ack") => {
                let acknowledged = self.acknowledge(param("seq").unwrap_or_default())?;
                Ok(Taken {
                    message: None,
                    acknowledged,
                })
            }
            Some("credit") => {
                self.credit(param("transfer"), param("bytes"));
                Ok(Taken::default())
            }
            Some("ping") => {
                self.control(r#"{"jsonrpc":"2.0","method":"pong"}"#.to_owned());
                Ok(Taken::default())
            }
            Some("pong") => Ok(Taken::default()),
            Some("whole") => {
                let number = param("transfer").and_then(|number| u32::try_from(number).ok());
                let bytes = number.and_then(|number| self.incoming.remove(&number));
                let bytes = bytes.ok_or_else(|| LinkFault("a transfer is unknown".to_owned()))?;
                if param("bytes") != Some(bytes.len() as u64) {
                    return Err(LinkFault("a transfer is incomplete".to_owned()));
                }
                let text = [br#"{"jsonrpc":"2.0","#.as_slice(), &bytes].concat();
                let inner = serde_json::from_slice(&text)
                    .map_err(|error| LinkFault(format!("a message is not JSON ({error})")))?;
                self.counted(param("seq"), inner)
            }
            _ => {
                let number = message.get("seq").and_then(Value::as_u64);
                self.counted(number, message)
            }
        }
    }

    fn counted(&mut self, number: Option<u64>, message: Value) -> Result<Taken, LinkFault> {
        let Some(number) = number else {
            return Err(LinkFault("a message has no number".to_owned()));
        };
        if number <= self.seen {
            return Ok(Taken::default());
        }
        if number != self.seen + 1 {
            let expected = self.seen + 1;
            return Err(LinkFault(format!(
                "message {number} came where {expected} was expected"
            )));
        }
        self.seen = number;
        Ok(Taken {
            message: Some(message),
            acknowledged: Vec::new(),
        })
    }

    fn acknowledge(&mut self, seen: u64) -> Result<Vec<Acknowledged>, LinkFault> {
        if seen > self.last {
            let last = self.last;
            return Err(LinkFault(format!(
                "message {seen} is acknowledged, {last} was the last"
            )));
        }
        let mut acknowledged = Vec::new();
        while self
            .unacknowledged
            .front()
            .is_some_and(|(number, _)| *number <= seen)
        {
            let Some((_, outgoing)) = self.unacknowledged.pop_front() else {
                break;
            };
            self.kept = self.kept.saturating_sub(outgoing.body.len());
            if self.again == 0 {
                self.again_transfer = None;
            }
            self.again = self.again.saturating_sub(1);
            acknowledged.extend(outgoing.acknowledged);
        }
        Ok(acknowledged)
    }

    fn credit(&mut self, number: Option<u64>, bytes: Option<u64>) {
        let again = self.again_transfer.iter_mut();
        let all = self.transfers.iter_mut().map(|(transfer, _)| transfer);
        let found = all
            .chain(again)
            .find(|transfer| Some(u64::from(transfer.number)) == number);
        // What came whole meanwhile needs no credit any more.
        if let Some(transfer) = found {
            let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
            let credit = transfer.credit.saturating_add(bytes.unwrap_or_default());
            transfer.credit = credit.min(REMOTE_CREDIT_BYTES);
        }
    }
}

impl Transfer {
    const fn new(number: u32) -> Self {
        Self {
            number,
            sent: 0,
            credit: REMOTE_CREDIT_BYTES,
        }
    }

    /// The next chunk, as far as there is credit.
    fn chunk(&mut self, body: &str) -> Option<Vec<u8>> {
        let rest = body.as_bytes().get(self.sent..)?;
        let bytes = rest.get(..rest.len().min(self.credit).min(REMOTE_CHUNK_BYTES))?;
        if bytes.is_empty() {
            return None;
        }
        self.sent += bytes.len();
        self.credit -= bytes.len();
        Some(encode(
            FrameKind::Chunk,
            &[&self.number.to_be_bytes(), bytes],
        ))
    }
}

fn numbered(number: u64, body: &str) -> Vec<u8> {
    let head = format!(r#"{{"jsonrpc":"2.0","seq":{number},"#);
    encode(FrameKind::Json, &[head.as_bytes(), body.as_bytes()])
}

fn whole(number: u64, transfer: &Transfer) -> Vec<u8> {
    let Transfer {
        number: transfer,
        sent,
        ..
    } = transfer;
    let json = format!(
        r#"{{"jsonrpc":"2.0","method":"whole","params":{{"seq":{number},"transfer":{transfer},"bytes":{sent}}}}}"#
    );
    encode(FrameKind::Json, &[json.as_bytes()])
}
