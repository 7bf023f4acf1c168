//! Bytes as frames: `u32` length (big-endian, of what follows), `u8` kind, payload.

use tenon_contract::limits::REMOTE_FRAME_MAX_BYTES;

/// What a payload is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// A JSON-RPC message, as UTF-8.
    Json,
    /// A chunk of a larger one: the number of the transfer (`u32`), then bytes.
    Chunk,
}

impl FrameKind {
    const fn byte(self) -> u8 {
        match self {
            Self::Json => 1,
            Self::Chunk => 2,
        }
    }

    const fn of(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Json),
            2 => Some(Self::Chunk),
            _ => None,
        }
    }
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What the payload is.
    pub kind: FrameKind,
    /// The payload.
    pub payload: Vec<u8>,
}

/// Why bytes are no frames. What follows cannot be read: the connection has to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameFault {
    /// It says that it has nothing, not even a kind.
    Empty,
    /// It says that it is longer than frames may be: this many bytes.
    TooLong(usize),
    /// Of a kind that does not exist.
    UnknownKind(u8),
}

impl std::fmt::Display for FrameFault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => write!(formatter, "a frame is empty"),
            Self::TooLong(bytes) => write!(
                formatter,
                "a frame has {bytes} bytes, more than the maximum of {REMOTE_FRAME_MAX_BYTES}"
            ),
            Self::UnknownKind(kind) => write!(formatter, "there is no kind {kind} of frames"),
        }
    }
}

/// A frame as bytes. The payload must be shorter than [`REMOTE_FRAME_MAX_BYTES`].
#[must_use]
pub fn encode(kind: FrameKind, parts: &[&[u8]]) -> Vec<u8> {
    let length = 1 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut bytes = Vec::with_capacity(4 + length);
    bytes.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    bytes.push(kind.byte());
    for part in parts {
        bytes.extend_from_slice(part);
    }
    bytes
}

/// Reads frames from bytes that come in pieces of any size.
#[derive(Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    /// How many of them were read.
    start: usize,
}

impl Decoder {
    /// Takes bytes in.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next frame that has come in whole. Not an `Iterator`: after the end more bytes may come.
    ///
    /// # Errors
    /// Bytes that are no frame.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, FrameFault> {
        let rest = self.bytes.get(self.start..).unwrap_or_default();
        let Some((head, rest)) = rest.split_first_chunk::<4>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(*head) as usize;
        if length == 0 {
            return Err(FrameFault::Empty);
        }
        if length > REMOTE_FRAME_MAX_BYTES {
            return Err(FrameFault::TooLong(length));
        }
        // A kind that does not exist is known before its payload is there.
        let Some(kind) = rest.first() else {
            return Ok(None);
        };
        let kind = FrameKind::of(*kind).ok_or(FrameFault::UnknownKind(*kind))?;
        let Some(payload) = rest.get(1..length) else {
            return Ok(None);
        };
        let payload = payload.to_vec();
        self.start += 4 + length;
        Ok(Some(Frame { kind, payload }))
    }
}
