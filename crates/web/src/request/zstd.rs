//! Zstandard frames one behind the other (RFC 8878), with the window of RFC 9659.

use std::io::{self, Read};

use ruzstd::decoding::BlockDecodingStrategy;
use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use tenon_contract::limits;

/// Reads all frames of the input; skippable ones are skipped.
pub(super) struct ZstdFrames<R> {
    input: R,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: Read> ZstdFrames<R> {
    pub(super) fn new(input: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(limits::WEB_ZSTD_WINDOW_MAX_BYTES);
        Self {
            input,
            decoder,
            in_frame: false,
        }
    }

    /// Goes to the next frame; `false` at the end of the input.
    fn next_frame(&mut self) -> io::Result<bool> {
        loop {
            let mut first = [0_u8; 1];
            if self.input.read(&mut first)? == 0 {
                return Ok(false);
            }
            let mut whole = first.as_slice().chain(&mut self.input);
            match self.decoder.reset(&mut whole) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    io::copy(
                        &mut self.input.by_ref().take(length.into()),
                        &mut io::sink(),
                    )?;
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }
}

impl<R: Read> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.in_frame {
                if !self.next_frame()? {
                    return Ok(0);
                }
                self.in_frame = true;
            }
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            }
            if self.decoder.is_finished() {
                self.in_frame = false;
                continue;
            }
            self.decoder
                .decode_blocks(&mut self.input, BlockDecodingStrategy::UptoBlocks(1))
                .map_err(io::Error::other)?;
        }
    }
}
