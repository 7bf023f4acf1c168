//! How much the data of a document unfold to, before anything unfolds them as a whole.
//!
//! What reads the format takes whole streams into memory. So every stream is counted first, through the codings that
//! its first bytes show, whatever its description says: that may lie.

use std::io::{self, BufRead, BufReader, Read};

use flate2::read::{DeflateDecoder, ZlibDecoder};
use memchr::memmem;
use tenon_contract::limits;
use weezl::BitOrder;

use super::PdfError;
use super::object_limits::is_odd_table;
use super::watch::Watch;

/// Most bytes of dictionaries that are read to see whether a document is encrypted.
const DICTIONARIES_MAX_BYTES: usize = 64 * 1024 * 1024;

/// Whether the document says that it is encrypted, in a dictionary that may be the trailer: it names the root as well,
/// or stands behind the word. A text may contain the same letters. What takes too long to find out counts as encrypted.
pub(super) fn is_encrypted(bytes: &[u8]) -> bool {
    let mut hits = memchr::memchr_iter(b'/', bytes).filter(|at| says_encrypted(bytes, *at));
    let Some(first) = hits.next() else {
        return false;
    };
    let last = hits.next_back().unwrap_or(first);
    let mut read = 0;
    memmem::find_iter(bytes, b"<<")
        .take_while(|at| *at < last)
        .any(|at| {
            let text = bytes.get(at + 2..).unwrap_or_default();
            let (length, has_encrypt, has_root) = dictionary(text);
            read += length;
            let before = bytes.get(..at).unwrap_or_default().trim_ascii_end();
            has_encrypt && (has_root || before.ends_with(b"trailer"))
                || read > DICTIONARIES_MAX_BYTES
        })
}

/// Whether a name is that of what encrypts, with a value. Names may be written with numbers for letters.
fn says_encrypted(bytes: &[u8], at: usize) -> bool {
    let name = bytes.get(at + 1..).unwrap_or_default();
    after_name(name, b"Encrypt").is_some_and(|after| {
        let value = after.trim_ascii_start();
        let is_number = value.first().is_some_and(u8::is_ascii_digit);
        // A comment may stand before the value.
        value.starts_with(b"<<")
            || value.starts_with(b"%")
            || value.len() < after.len() && is_number
    })
}

/// How long a dictionary is from behind its first brackets, and whether it names what encrypts, and the root.
fn dictionary(text: &[u8]) -> (usize, bool, bool) {
    let (mut depth, mut at) = (1_usize, 0);
    let (mut has_encrypt, mut has_root) = (false, false);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty() && depth > 0) {
        at += match rest {
            [b'<', b'<', ..] => {
                depth += 1;
                2
            }
            [b'>', b'>', ..] => {
                depth -= 1;
                2
            }
            [b'(', ..] => string_length(rest),
            [b'%', ..] => memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len()),
            [b'/', name @ ..] => {
                has_encrypt |= says_encrypted(text, at);
                has_root |= after_name(name, b"Root").is_some();
                1
            }
            _ => 1,
        };
    }
    (at, has_encrypt, has_root)
}

/// How long a string is with its brackets; those within it come in pairs.
fn string_length(text: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(letter) = text.get(at) {
        match letter {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at.min(text.len())
}

/// What follows a name, when it is `expected`.
fn after_name<'b>(mut text: &'b [u8], expected: &[u8]) -> Option<&'b [u8]> {
    for letter in expected {
        let (found, rest) = match text {
            [b'#', high, low, rest @ ..] => (hex(*high)? << 4 | hex(*low)?, rest),
            [found, rest @ ..] => (*found, rest),
            [] => return None,
        };
        if found != *letter {
            return None;
        }
        text = rest;
    }
    Some(text)
}

/// A description with the numbers in its names as the letters that they stand for.
pub(super) fn unescaped(mut text: &[u8]) -> Vec<u8> {
    let mut letters = Vec::with_capacity(text.len());
    while let Some((first, rest)) = text.split_first() {
        let letter = match text {
            [b'#', high, low, ..] => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match letter {
            Some((high, low)) => {
                letters.push(high << 4 | low);
                text = text.get(3..).unwrap_or_default();
            }
            None => {
                letters.push(*first);
                text = rest;
            }
        }
    }
    letters
}

fn hex(digit: u8) -> Option<u8> {
    u8::try_from(char::from(digit).to_digit(16)?).ok()
}

/// Refuses a document with a stream that unfolds to more than is taken, or many that do so together.
pub(super) fn check(bytes: &[u8], watch: &Watch) -> Result<(), PdfError> {
    let mut total = 0;
    for at in memmem::find_iter(bytes, b"stream") {
        watch.check();
        let is_end = at >= 3 && bytes.get(at - 3..at) == Some(b"end");
        let Some(data) = bytes.get(at + 6..).filter(|_| !is_end) else {
            continue;
        };
        let data = match data {
            [b'\r', b'\n', data @ ..] | [b'\n' | b'\r', data @ ..] => data,
            data => data,
        };
        if is_odd_table(bytes.get(..at).unwrap_or_default()) {
            return Err(PdfError::TooLarge);
        }
        total += count(&mut &*data, limits::PDF_CODINGS_MAX, watch)?;
        if total > limits::PDF_STREAMS_MAX_BYTES {
            return Err(PdfError::TooLarge);
        }
    }
    Ok(())
}

/// Bytes that come out of the codings that a stream shows, all together: what is unfolded twice is held twice.
fn count(source: &mut dyn Read, codings: usize, watch: &Watch) -> Result<u64, PdfError> {
    let mut source = BufReader::with_capacity(32 * 1024, source);
    // Damaged data end where they are damaged.
    let head = source.fill_buf().unwrap_or_default();
    let Some(decoder) = coding_of(head).filter(|_| codings > 0) else {
        return Ok(0);
    };
    let unfolded = CountingReader::new(decoder.over(source), watch);
    let mut unfolded = BufReader::with_capacity(64 * 1024, unfolded);
    let inner_head = unfolded.fill_buf().unwrap_or_default();
    let inner = if codings > 1 && coding_of(inner_head).is_some() {
        count(&mut unfolded, codings - 1, watch)?
    } else {
        0
    };
    // What looks like a coding within need not be one, so the rest is counted as well.
    match io::copy(&mut unfolded, &mut io::sink()) {
        Err(error) if error.kind() == io::ErrorKind::OutOfMemory => Err(PdfError::TooLarge),
        _ => Ok(inner + unfolded.get_ref().bytes),
    }
}

#[derive(Clone, Copy)]
pub(super) enum Coding {
    Flate,
    /// Flate without the two bytes before it, which readers take too.
    Bare,
    Lzw,
    Ascii85,
    Hex,
}

/// The coding that the first bytes show.
fn coding_of(head: &[u8]) -> Option<Coding> {
    match head {
        [method, flags, ..]
            if method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0 =>
        {
            Some(Coding::Flate)
        }
        // LZW begins with the code that empties the table.
        [0x80, second, ..] if second & 0x80 == 0 => Some(Coding::Lzw),
        _ => {
            let letters = [Coding::Ascii85, Coding::Hex].into_iter().find(|coding| {
                let mut decoded = [0; 2];
                let mut decoder = coding.over(head);
                decoder.read_exact(&mut decoded).is_ok()
                    && matches!(coding_of(&decoded), Some(Coding::Flate | Coding::Lzw))
            });
            letters.or_else(|| unfolds_bare(head).then_some(Coding::Bare))
        }
    }
}

/// Whether the first bytes unfold to more than themselves without the two bytes that show it.
fn unfolds_bare(head: &[u8]) -> bool {
    let mut unfolded = Vec::new();
    let most = head.len() as u64 + 1;
    // Damaged data and those that are cut off count as far as they come.
    let _ = DeflateDecoder::new(head)
        .take(most)
        .read_to_end(&mut unfolded);
    unfolded.len() > head.len()
}

impl Coding {
    pub(super) fn over<'r>(self, source: impl BufRead + 'r) -> Box<dyn Read + 'r> {
        match self {
            Self::Flate => Box::new(ZlibDecoder::new(source)),
            Self::Bare => Box::new(DeflateDecoder::new(source)),
            Self::Lzw => Box::new(Lzw::new(source)),
            Self::Ascii85 => Box::new(Ascii {
                source,
                decode: ascii85,
                ready: Vec::new(),
                is_over: false,
            }),
            Self::Hex => Box::new(Ascii {
                source,
                decode: hexadecimal,
                ready: Vec::new(),
                is_over: false,
            }),
        }
    }
}

/// Counts, and fails beyond what one stream may be.
pub(super) struct CountingReader<'w, R> {
    inner: R,
    bytes: u64,
    watch: &'w Watch,
}

impl<'w, R> CountingReader<'w, R> {
    pub(super) fn new(inner: R, watch: &'w Watch) -> Self {
        Self {
            inner,
            bytes: 0,
            watch,
        }
    }
}

impl<R: Read> Read for CountingReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.watch.check();
        let count = self.inner.read(buffer)?;
        self.bytes += count as u64;
        if self.bytes > limits::PDF_STREAM_MAX_BYTES {
            return Err(io::Error::from(io::ErrorKind::OutOfMemory));
        }
        Ok(count)
    }
}

struct Lzw<R> {
    source: R,
    decoder: weezl::decode::Decoder,
}

impl<R: BufRead> Lzw<R> {
    fn new(source: R) -> Self {
        let decoder = weezl::decode::Decoder::with_tiff_size_switch(BitOrder::Msb, 8);
        Self { source, decoder }
    }
}

impl<R: BufRead> Read for Lzw<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let input = self.source.fill_buf()?;
            let is_over = input.is_empty();
            let result = self.decoder.decode_bytes(input, buffer);
            self.source.consume(result.consumed_in);
            match result.status {
                _ if result.consumed_out > 0 => return Ok(result.consumed_out),
                Ok(weezl::LzwStatus::Ok) if !is_over => {}
                _ => return Ok(0),
            }
        }
    }
}

/// Letters that stand for bytes.
struct Ascii<R> {
    source: R,
    /// Takes the letters of one group and gives its bytes, and whether they are the last ones.
    decode: fn(&mut dyn Iterator<Item = u8>) -> (Vec<u8>, bool),
    ready: Vec<u8>,
    /// Whether the end mark was met: behind it is the rest of the document, which belongs to other streams.
    is_over: bool,
}

impl<R: BufRead> Read for Ascii<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // As much as there is: who looks at the first bytes needs more than one.
        while self.ready.len() < buffer.len() && !self.is_over {
            let mut letters = self
                .source
                .by_ref()
                .bytes()
                .map_while(Result::ok)
                .filter(|letter| !letter.is_ascii_whitespace() && *letter != 0);
            let (group, is_last) = (self.decode)(&mut letters);
            self.is_over = is_last;
            self.ready.extend(group);
        }
        let count = self.ready.len().min(buffer.len());
        for (to, from) in buffer.iter_mut().zip(self.ready.drain(..count)) {
            *to = from;
        }
        Ok(count)
    }
}

/// The next four bytes, or those before the end mark. What is no letter of the coding ends it as well: readers take nothing then.
fn ascii85(letters: &mut dyn Iterator<Item = u8>) -> (Vec<u8>, bool) {
    let mut group = Vec::with_capacity(5);
    for letter in letters {
        match letter {
            b'z' if group.is_empty() => return (vec![0; 4], false),
            // `<~` opens what some programs write.
            b'~' if group == [u32::from(b'<' - b'!')] => group.clear(),
            b'!'..=b'u' => group.push(u32::from(letter - b'!')),
            _ => break,
        }
        if group.len() == 5 {
            break;
        }
    }
    let given = group.len();
    if given < 2 {
        return (Vec::new(), true);
    }
    group.resize(5, 84);
    let value = group.iter().fold(0_u32, |value, digit| {
        value.wrapping_mul(85).wrapping_add(*digit)
    });
    let bytes = value.to_be_bytes().into_iter().take(given - 1);
    (bytes.collect(), given < 5)
}

/// The next byte.
fn hexadecimal(letters: &mut dyn Iterator<Item = u8>) -> (Vec<u8>, bool) {
    match (letters.next().and_then(hex), letters.next().and_then(hex)) {
        (Some(high), low) => (vec![high << 4 | low.unwrap_or(0)], low.is_none()),
        (None, _) => (Vec::new(), true),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    fn folded(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn verdict(data: &[u8]) -> bool {
        let file = [
            b"%PDF-1.4\n1 0 obj <</Filter 9 0 R>>\nstream\r\n",
            data,
            b"\nendstream",
        ]
        .concat();
        check(&file, &Watch::default()).is_ok()
    }

    #[test]
    fn what_unfolds_to_too_much_is_refused_through_every_coding() {
        let zeros = vec![0; usize::try_from(limits::PDF_STREAM_MAX_BYTES).unwrap() + 1];
        let once = folded(&zeros);
        let letters: String = once.iter().map(|byte| format!("{byte:02x}")).collect();
        let lzw = weezl::encode::Encoder::with_tiff_size_switch(BitOrder::Msb, 8)
            .encode(&zeros)
            .unwrap();
        drop(zeros);
        assert!(!verdict(&once), "flate");
        assert!(!verdict(&folded(&once)), "flate in flate");
        assert!(!verdict(letters.as_bytes()), "flate in letters");
        assert!(!verdict(&lzw), "lzw");
        let (_, bare) = once.split_at(2);
        assert!(!verdict(bare), "flate without its first bytes");
    }

    #[test]
    fn what_only_looks_like_a_coding_within_hides_nothing_behind_it() {
        let mut bytes = vec![0; usize::try_from(limits::PDF_STREAM_MAX_BYTES).unwrap() + 1];
        for (place, byte) in bytes.iter_mut().zip(b"\x78\x9c\xff\xff") {
            *place = *byte;
        }
        assert!(!verdict(&folded(&bytes)));
    }

    #[test]
    fn ordinary_and_damaged_streams_pass() {
        let text = b"BT /F1 12 Tf (Hello) Tj ET ".repeat(1000);
        let folded = folded(&text);
        let (half, _) = folded.split_at(folded.len() / 2);
        for data in [
            folded.as_slice(),
            half,
            b"plain",
            b"",
            b"87cURD",
            b"<~87cURD~>",
            b"80 0B",
        ] {
            assert!(verdict(data));
        }
    }

    #[test]
    fn letters_are_decoded_as_the_format_has_them() {
        let decoded = |coding: Coding, text: &'static [u8]| {
            let mut bytes = Vec::new();
            coding.over(text).read_to_end(&mut bytes).unwrap();
            bytes
        };
        assert_eq!(
            decoded(Coding::Ascii85, b"<~87cU\nRD]i,\"Ebo7~>"),
            b"Hello World"
        );
        assert_eq!(decoded(Coding::Hex, b"48 65 6c6C6f 7>"), b"Hellop");
    }

    #[test]
    fn letters_end_at_their_end_mark_wherever_it_stands() {
        for whole in 0..9_u8 {
            let bytes: Vec<u8> = (1..=whole).collect();
            let text = format!("{}~>\nendstream 87cUR87cUR", letters_of(&bytes));
            let mut decoded = Vec::new();
            let mut reader = Coding::Ascii85.over(text.as_bytes());
            reader.read_to_end(&mut decoded).unwrap();
            assert_eq!(decoded, bytes);
            let letters: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let text = format!("{letters}>\nendstream 414243");
            let mut decoded = Vec::new();
            let mut reader = Coding::Hex.over(text.as_bytes());
            reader.read_to_end(&mut decoded).unwrap();
            assert_eq!(decoded, bytes);
        }
    }

    /// ASCII85 without its end mark.
    fn letters_of(bytes: &[u8]) -> String {
        let groups = bytes.chunks(4);
        groups
            .map(|group| {
                let mut four = [0; 4];
                four.iter_mut()
                    .zip(group)
                    .for_each(|(to, from)| *to = *from);
                let value = u32::from_be_bytes(four);
                let digits = (0..5).map(|place| value / 85_u32.pow(4 - place) % 85 + 33);
                let letters = digits.take(group.len() + 1).filter_map(char::from_u32);
                letters.collect::<String>()
            })
            .collect()
    }

    #[test]
    fn encryption_is_seen_under_any_spelling_of_its_name() {
        for text in [
            "trailer <</Encrypt 5 0 R>>",
            "trailer\n<< /Root 1 0 R /Encrypt<</V 1>> >>",
            "1 0 obj <</#45ncrypt\n5 0 R/Root 1 0 R>> stream",
            "<< /X (a \\) >> ) % >>\n /Y <</Z 1>> /Root 1 0 R /Encr#79pt 5 0 R >>",
            "<< /X <</Encrypt 5 0 R>> /Ro#6ft 1 0 R>>",
            "<</Encrypt %\n5 0 R/Root 1 0 R",
        ] {
            assert!(is_encrypted(text.as_bytes()), "{text}");
        }
        for text in [
            "trailer <</Root 1 0 R /EncryptMetadata true>>",
            "trailer <</Root 1 0 R /Encrypt true>>",
            "1 0 obj <</Length 40>> stream\n(The /Encrypt 5 0 R entry) Tj endstream trailer <</Root 1 0 R>>",
            "trailer <</Root 1 0 R /Note (/Encrypt 5 0 R)>>",
            "/Encrypt 5 0 R",
        ] {
            assert!(!is_encrypted(text.as_bytes()), "{text}");
        }
    }
}
