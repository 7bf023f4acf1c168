//! Undoes content codings (RFC 9110 section 8.4), within bounds at every step.

use std::io::{self, Read};

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use tenon_contract::limits;

use super::zstd::ZstdFrames;

/// Registered codings that nothing is asked for in and that are not undone.
const NOT_UNDONE: &[&str] = &[
    "compress",
    "x-compress",
    "exi",
    "pack200-gzip",
    "aes128gcm",
    "dcb",
    "dcz",
];

/// One coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// A body with its codings undone.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Undone {
    pub(crate) bytes: Vec<u8>,
    /// Whether there was more than the limit.
    pub(crate) cut: bool,
    /// Why decoding ended before its end: the data are damaged or incomplete.
    pub(crate) damage: Option<String>,
}

/// The codings of a body, in the order in which they were applied.
///
/// # Errors
/// A coding that cannot be undone, or more of them than anybody needs.
pub(crate) fn codings(headers: &HeaderMap) -> Result<Vec<Coding>, String> {
    let mut codings = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        let value = value
            .to_str()
            .map_err(|_| "`Content-Encoding` is not readable".to_owned())?;
        for name in value
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            let coding = match name.to_ascii_lowercase().as_str() {
                "identity" => continue,
                "gzip" | "x-gzip" => Coding::Gzip,
                "deflate" => Coding::Deflate,
                "br" => Coding::Brotli,
                "zstd" => Coding::Zstd,
                known if NOT_UNDONE.contains(&known) => {
                    return Err(format!("`{known}` is not supported"));
                }
                // Some servers name a charset here, or `none`. Browsers take the body as it is.
                _ => continue,
            };
            codings.push(coding);
        }
    }
    if codings.len() > limits::WEB_CODINGS_MAX {
        return Err(format!("{} codings in a row", codings.len()));
    }
    Ok(codings)
}

/// Undoes the codings, last first, and takes at most `most` bytes of what comes out.
pub(crate) fn undo(body: Vec<u8>, codings: &[Coding], most: usize) -> Undone {
    let Some((first, rest)) = codings.split_last() else {
        let mut bytes = body;
        let cut = bytes.len() > most;
        bytes.truncate(most);
        return Undone {
            bytes,
            cut,
            damage: None,
        };
    };
    // Some servers name a coding that they did not apply.
    if !looks_coded(*first, &body) {
        return undo(body, rest, most);
    }
    let mut reader = decoder(*first, Box::new(io::Cursor::new(body)));
    for coding in rest.iter().rev() {
        reader = decoder(*coding, Box::new(Bounded::new(reader)));
    }
    let mut bytes = Vec::new();
    // One more than is taken, to know whether there is more.
    let read = reader.take(most as u64 + 1).read_to_end(&mut bytes);
    let cut = bytes.len() > most;
    bytes.truncate(most);
    Undone {
        bytes,
        cut,
        damage: read
            .err()
            .filter(|_| !cut)
            .map(|error| crate::error::deepest(&error)),
    }
}

fn looks_coded(coding: Coding, body: &[u8]) -> bool {
    match coding {
        Coding::Gzip => body.starts_with(&[0x1f, 0x8b]),
        Coding::Zstd => matches!(
            body,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]
        ),
        // Neither has a signature.
        Coding::Deflate | Coding::Brotli => !body.is_empty(),
    }
}

fn decoder(coding: Coding, input: Box<dyn Read>) -> Box<dyn Read> {
    match coding {
        Coding::Gzip => Box::new(MultiGzDecoder::new(input)),
        Coding::Deflate => Box::new(Deflate::Unknown(Some(input))),
        Coding::Brotli => Box::new(brotli_decompressor::Decompressor::new(input, 8 * 1024)),
        Coding::Zstd => Box::new(ZstdFrames::new(input)),
    }
}

/// `deflate` means zlib (RFC 9110), but some servers send it bare.
enum Deflate {
    Unknown(Option<Box<dyn Read>>),
    Zlib(ZlibDecoder<Box<dyn Read>>),
    Bare(DeflateDecoder<Box<dyn Read>>),
}

impl Read for Deflate {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Self::Unknown(input) = self {
            let Some(mut input) = input.take() else {
                return Ok(0);
            };
            let mut head = Vec::with_capacity(2);
            input.by_ref().take(2).read_to_end(&mut head)?;
            let is_zlib = matches!(head.as_slice(), [method, flags]
                if method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0);
            let whole: Box<dyn Read> = Box::new(io::Cursor::new(head).chain(input));
            *self = if is_zlib {
                Self::Zlib(ZlibDecoder::new(whole))
            } else {
                Self::Bare(DeflateDecoder::new(whole))
            };
        }
        match self {
            Self::Zlib(reader) => reader.read(buffer),
            Self::Bare(reader) => reader.read(buffer),
            Self::Unknown(_) => Ok(0),
        }
    }
}

/// What passes between two codings: bounded, since a few bytes can unfold to gigabytes that unfold to nothing.
struct Bounded {
    input: Box<dyn Read>,
    left: usize,
}

impl Bounded {
    fn new(input: Box<dyn Read>) -> Self {
        Self {
            input,
            left: limits::WEB_CODING_STEP_MAX_BYTES,
        }
    }
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.left = self
            .left
            .checked_sub(read)
            .ok_or_else(|| io::Error::other("nested codings unfold to too much data"))?;
        Ok(read)
    }
}
