//! Width and height in pixels from the headers of image files. Every parser answers `None` where
//! the bytes end too early or do not make sense.

type Size = Option<(u32, u32)>;

/// PNG (W3C PNG section 11.2.2): the IHDR chunk comes first.
pub(crate) fn png(bytes: &[u8]) -> Size {
    if bytes.get(12..16)? != b"IHDR" {
        return None;
    }
    nonzero(big_32(bytes, 16)?, big_32(bytes, 20)?)
}

/// GIF89a section 18: the logical screen descriptor.
pub(crate) fn gif(bytes: &[u8]) -> Size {
    nonzero(little_16(bytes, 6)?, little_16(bytes, 8)?)
}

/// BMP: the DIB header, either the 12 bytes of OS/2 or one of its longer descendants. A negative
/// height only means that rows are stored from the top.
pub(crate) fn bmp(bytes: &[u8]) -> Size {
    if bytes.get(6..10)? != [0; 4] {
        return None;
    }
    match little_32(bytes, 14)? {
        12 => nonzero(little_16(bytes, 18)?, little_16(bytes, 20)?),
        16 | 40 | 52 | 56 | 64 | 108 | 124 => {
            let width = little_32(bytes, 18)?.cast_signed();
            let height = little_32(bytes, 22)?.cast_signed();
            nonzero(width.unsigned_abs(), height.unsigned_abs())
        }
        _ => None,
    }
}

/// WebP container specification: lossy (VP8), lossless (VP8L) or extended (VP8X) first chunk.
pub(crate) fn webp(bytes: &[u8]) -> Size {
    match bytes.get(12..16)? {
        b"VP8 " => {
            // RFC 6386 section 9.1: three bytes of frame tag, the start code, two 14-bit sizes.
            if bytes.get(23..26)? != [0x9D, 0x01, 0x2A] {
                return None;
            }
            nonzero(
                little_16(bytes, 26)? & 0x3FFF,
                little_16(bytes, 28)? & 0x3FFF,
            )
        }
        b"VP8L" => {
            if *bytes.get(20)? != 0x2F {
                return None;
            }
            let packed = little_32(bytes, 21)?;
            Some(((packed & 0x3FFF) + 1, ((packed >> 14) & 0x3FFF) + 1))
        }
        b"VP8X" => Some((little_24(bytes, 24)? + 1, little_24(bytes, 27)? + 1)),
        _ => None,
    }
}

/// JPEG (ITU T.81 annex B): the first start-of-frame segment.
pub(crate) fn jpeg(bytes: &[u8]) -> Size {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            // Fill bytes before a marker.
            0xFF => at += 1,
            // Markers without a length.
            0x01 | 0xD0..=0xD8 => at += 2,
            // Start of frame, but not the tables that share the range.
            0xC0..=0xCF if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => {
                return nonzero(big_16(bytes, at + 7)?, big_16(bytes, at + 5)?);
            }
            // End of image, or image data before any frame.
            0xD9 | 0xDA => return None,
            _ => at += 2 + usize::try_from(big_16(bytes, at + 2)?.max(2)).ok()?,
        }
    }
}

fn nonzero(width: u32, height: u32) -> Size {
    (width > 0 && height > 0).then_some((width, height))
}

fn take<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn big_16(bytes: &[u8], at: usize) -> Option<u32> {
    take(bytes, at).map(|bytes| u16::from_be_bytes(bytes).into())
}

fn big_32(bytes: &[u8], at: usize) -> Option<u32> {
    take(bytes, at).map(u32::from_be_bytes)
}

fn little_16(bytes: &[u8], at: usize) -> Option<u32> {
    take(bytes, at).map(|bytes| u16::from_le_bytes(bytes).into())
}

fn little_24(bytes: &[u8], at: usize) -> Option<u32> {
    take(bytes, at).map(|[low, middle, high]: [u8; 3]| u32::from_le_bytes([low, middle, high, 0]))
}

fn little_32(bytes: &[u8], at: usize) -> Option<u32> {
    take(bytes, at).map(u32::from_le_bytes)
}
