//! Whether the end of an image is there: a download that stopped, a file that is still being written.

use crate::ImageFormat;

/// Whether an image that is held whole ends before its data do. What follows the end is not looked at, nor whether the
/// data in between can be decoded. A BMP has no mark of its end: `false`.
#[must_use]
pub fn is_cut_off(bytes: &[u8], format: ImageFormat) -> bool {
    let ends = match format {
        ImageFormat::Png => png_ends(bytes),
        ImageFormat::Jpeg => jpeg_ends(bytes),
        ImageFormat::Gif => gif_ends(bytes),
        ImageFormat::WebP => webp_ends(bytes),
        ImageFormat::Bmp => Some(()),
    };
    ends.is_none()
}

/// PNG (W3C PNG section 5.3): chunks of length, type, data and checksum; IEND is the last.
fn png_ends(bytes: &[u8]) -> Option<()> {
    let mut at = 8;
    loop {
        let length = u32::from_be_bytes(take(bytes, at)?);
        let kind: [u8; 4] = take(bytes, at + 4)?;
        let end = usize::try_from(length).ok()?.checked_add(at + 12)?;
        bytes.get(..end)?;
        if &kind == b"IEND" {
            return Some(());
        }
        at = end;
    }
}

/// JPEG (ITU T.81 annex B): segments with a length, then image data, in which FF is followed by 0 or a restart, up to
/// the next segment or the end of the image. A thumbnail in a segment has an end of its own, which is passed over.
fn jpeg_ends(bytes: &[u8]) -> Option<()> {
    let mut at = 2;
    loop {
        match (*bytes.get(at)?, *bytes.get(at + 1)?) {
            (0xFF, 0xD9) => return Some(()),
            // Fill bytes, stuffed bytes and markers without a length.
            (0xFF, 0xFF) => at += 1,
            (0xFF, 0x00 | 0x01 | 0xD0..=0xD8) => at += 2,
            (0xFF, _) => at += 2 + usize::from(u16::from_be_bytes(take(bytes, at + 2)?).max(2)),
            _ => at += memchr::memchr(0xFF, bytes.get(at..)?)?,
        }
    }
}

/// GIF89a appendix B: blocks up to the trailer.
fn gif_ends(bytes: &[u8]) -> Option<()> {
    let mut at = 13 + table(*bytes.get(10)?);
    loop {
        match *bytes.get(at)? {
            0x3B => return Some(()),
            0x21 => at = blocks_end(bytes, at + 2)?,
            // A descriptor, its colours, the size of codes, data.
            0x2C => at = blocks_end(bytes, at + 11 + table(*bytes.get(at + 9)?))?,
            // Not what the format says: for the decoder to judge.
            _ => return Some(()),
        }
    }
}

/// The bytes of a table of colours, by the flags that announce it.
fn table(flags: u8) -> usize {
    if flags & 0x80 == 0 {
        0
    } else {
        3 << ((flags & 7) + 1)
    }
}

/// Where a row of blocks ends that an empty one closes.
fn blocks_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            0 => return Some(at + 1),
            length => at += 1 + usize::from(length),
        }
    }
}

/// WebP container specification: the length of what follows stands in the header.
fn webp_ends(bytes: &[u8]) -> Option<()> {
    let length = usize::try_from(u32::from_le_bytes(take(bytes, 4)?)).ok()?;
    bytes.get(..length.checked_add(8)?).map(|_| ())
}

fn take<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap();
        [&length.to_be_bytes(), kind.as_slice(), data, &[0; 4]].concat()
    }

    /// One whole image of each kind that has an end.
    fn images() -> [(ImageFormat, Vec<u8>); 4] {
        let png = [
            b"\x89PNG\r\n\x1a\n".to_vec(),
            chunk(b"IHDR", &[0; 13]),
            chunk(b"IDAT", b"IEND\xFF\xD9"),
            chunk(b"IEND", &[]),
        ]
        .concat();
        let thumbnail = b"\xFF\xE1\x00\x0A\xFF\xD8\xFF\xDA..\xFF\xD9".as_slice();
        let jpeg = [
            b"\xFF\xD8".as_slice(),
            thumbnail,
            b"\xFF\xC0\x00\x04..",
            b"\xFF\xDA\x00\x04..a\xFF\x00b\xFF\xD0c",
            b"\xFF\xC4\x00\x03.\xFF\xDA\x00\x02d",
            b"\xFF\xD9",
        ]
        .concat();
        let gif = [
            b"GIF89a\x01\x00\x01\x00\x80\x00\x00".as_slice(),
            &[0x3B; 6],
            b"\x21\xF9\x04\x3B\x3B\x3B\x3B\x00",
            b"\x2C\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x3B\x3B\x00",
            b"\x3B",
        ]
        .concat();
        let webp = b"RIFF\x0C\x00\x00\x00WEBPVP8 ....".to_vec();
        [
            (ImageFormat::Png, png),
            (ImageFormat::Jpeg, jpeg),
            (ImageFormat::Gif, gif),
            (ImageFormat::WebP, webp),
        ]
    }

    #[test]
    fn a_whole_image_is_not_cut_off_whatever_follows_it_and_any_beginning_of_it_is() {
        for (format, image) in images() {
            let followed = [image.as_slice(), b"rest"].concat();
            assert!(!is_cut_off(&image, format), "{format:?}");
            assert!(!is_cut_off(&followed, format), "{format:?}");
            for length in 0..image.len() {
                assert!(is_cut_off(&image[..length], format), "{format:?} {length}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_judged_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            for (format, image) in images() {
                let _ = is_cut_off(&bytes, format);
                let _ = is_cut_off(&[image.as_slice(), &bytes].concat(), format);
            }
        }
    }
}
