use proptest::prelude::*;

use super::*;

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend(b"\x08\x06\0\0\0");
    bytes
}

/// A JPEG with an EXIF segment that holds a thumbnail with a frame of its own.
fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let mut bytes =
        b"\xFF\xD8\xFF\xE1\0\x14Exif\0\0\xFF\xD8\xFF\xC0\0\x11\x08\0\x01\0\x01\x03".to_vec();
    bytes.extend(b"\xFF\xFF\xDB\0\x03\0\xFF\xC2\0\x11\x08");
    bytes.extend(height.to_be_bytes());
    bytes.extend(width.to_be_bytes());
    bytes.extend(b"\x03");
    bytes
}

fn gif(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = b"GIF89a".to_vec();
    bytes.extend(width.to_le_bytes());
    bytes.extend(height.to_le_bytes());
    bytes
}

fn bmp(width: i32, height: i32) -> Vec<u8> {
    let mut bytes = b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    bytes.extend(width.to_le_bytes());
    bytes.extend(height.to_le_bytes());
    bytes
}

fn webp(chunk: &[u8; 4], payload: &[u8]) -> Vec<u8> {
    [b"RIFF\0\0\0\0WEBP", &chunk[..], b"\0\0\0\0", payload].concat()
}

#[test]
fn images_are_known_by_content_with_their_pixels() {
    let images = [
        (png(640, 480), ImageFormat::Png, (640, 480)),
        (jpeg(1920, 1080), ImageFormat::Jpeg, (1920, 1080)),
        (gif(16, 17), ImageFormat::Gif, (16, 17)),
        (bmp(31, -7), ImageFormat::Bmp, (31, 7)),
        (
            webp(b"VP8 ", b"\0\0\0\x9D\x01\x2A\x40\x01\xF0\x00"),
            ImageFormat::WebP,
            (320, 240),
        ),
        (
            webp(b"VP8L", b"\x2F\x3F\xC1\x3B\x00"),
            ImageFormat::WebP,
            (320, 240),
        ),
        (
            webp(b"VP8X", b"\0\0\0\0\x3F\x01\0\xEF\0\0"),
            ImageFormat::WebP,
            (320, 240),
        ),
    ];
    for (bytes, format, (width, height)) in images {
        assert_eq!(
            image_facts(&bytes),
            Some(ImageFacts {
                format,
                width,
                height
            })
        );
        assert_eq!(content_kind(&bytes), ContentKind::Image(format));
    }
}

#[test]
fn an_image_that_ends_early_has_no_size() {
    for bytes in [png(1, 1), jpeg(1, 1), gif(1, 1)] {
        for length in 0..bytes.len().min(20) {
            assert!(image_facts(&bytes[..length.min(9)]).is_none());
        }
    }
}

fn kind_of(head: &[u8]) -> &'static str {
    match content_kind(head) {
        ContentKind::Text => "text",
        ContentKind::Image(format) => format.mime_type(),
        ContentKind::Binary(kind) => kind.name(),
    }
}

#[test]
fn other_kinds_are_named() {
    let kinds = [
        (&b"\x7fELF\x02\x01\x01\0"[..], "an ELF program or library"),
        (b"PK\x03\x04\x14\0", "a ZIP archive"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"\x1f\x8b\x08\0", "gzip-compressed data"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"MZ\x90\0\x03\0", "a Windows program or library"),
        (b"some\0thing", "binary data"),
        (b"\x80\x81\x01\x02\x03\x04\x05\x06", "binary data"),
    ];
    for (head, expected) in kinds {
        assert_eq!(kind_of(head), expected);
    }
}

#[test]
fn text_stays_text() {
    let texts = [
        &b""[..],
        b"MZ is how this sentence starts",
        b"BM too, and BZh9 and ID3 and OTTO and PAR1",
        b"fn main() {}\n",
        b"\x1b[31mred\x1b[0m\n",
        b"\xEF\xBB\xBFmarked",
        b"\xFF\xFEa\0b\0",
        b"caf\xE9",
        "漢字".as_bytes(),
        b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
    ];
    for text in texts {
        assert_eq!(kind_of(text), "text", "{text:?}");
    }
    assert_eq!(kind_of(b"BMP files\0start so"), "binary data");
}

proptest! {
    #[test]
    fn any_bytes_behind_any_mark_are_survived(
        start in prop::sample::select(vec![png(1, 2), jpeg(1, 2), gif(1, 2), bmp(1, 2), webp(b"VP8 ", b""), vec![]]),
        keep in any::<prop::sample::Index>(),
        rest in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        let mut bytes = start;
        bytes.truncate(keep.index(bytes.len() + 1));
        bytes.extend(rest);
        let _ = image_facts(&bytes);
        let _ = content_kind(&bytes);
    }
}

#[test]
fn a_pdf_document_behind_other_bytes_is_one_and_a_text_about_it_is_text() {
    let document = b"%PDF-1.4\n%\x93\x8c\x8b\x9e\n1 0 obj\n<<>>\nendobj\n";
    let behind = |before: &[u8]| content_kind(&[before, document].concat());
    for before in [
        &b""[..],
        b"\n\n",
        b"\xEF\xBB\xBF",
        b"HTTP/1.1 200 OK\r\n\r\n",
    ] {
        let kind = behind(before);
        let is_pdf = matches!(kind, ContentKind::Binary(kind) if kind.is_pdf());
        assert!(is_pdf, "{before:?}");
    }
    let far = "a line before it\n".repeat(100);
    for text in [
        "A document begins so:\n%PDF-1.4\n1 0 obj\n",
        "const HEAD = '%PDF-1.4'\n",
        far.as_str(),
    ] {
        assert_eq!(content_kind(text.as_bytes()), ContentKind::Text, "{text}");
    }
}

/// Hosts read the same images in JavaScript, where there may be no addon: one table holds for both.
#[test]
fn sizes_are_those_of_the_table_that_javascript_has_as_well() {
    let table = include_str!("../../../fixtures/image-sizes.tsv");
    for line in table.lines().skip(1) {
        let [name, hex, expected] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let digits = hex.as_bytes().chunks(2);
        let bytes: Vec<u8> = digits
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect();
        let facts = image_facts(&bytes).map_or("-".to_owned(), |facts| {
            let kind = facts.format.mime_type();
            format!("{kind} {} {}", facts.width, facts.height)
        });
        assert_eq!(facts, expected, "{name}");
    }
}

#[test]
fn documents_that_are_archives_are_called_by_what_they_are() {
    let archive = |names: &[&str]| -> Vec<u8> {
        let entries = names.iter();
        entries
            .flat_map(|name| [b"PK\x03\x04\x14\0\0\0", name.as_bytes(), b"\0\x01"].concat())
            .collect()
    };
    let types = "[Content_Types].xml";
    for (names, kind) in [
        (
            &[types, "_rels/.rels", "word/document.xml"][..],
            "a Word document",
        ),
        (&[types, "xl/workbook.xml"], "an Excel workbook"),
        (
            &["_rels/.rels", "ppt/slides/slide1.xml"],
            "a PowerPoint presentation",
        ),
        (&["mimetypeapplication/epub+zip", "OEBPS/a"], "an EPUB book"),
        (
            &["mimetypeapplication/vnd.oasis.opendocument.text"],
            "an OpenDocument file",
        ),
        (&["META-INF/MANIFEST.MF", "a.class"], "a Java archive"),
        (&["word/list.txt", "xl/a"], "a ZIP archive"),
    ] {
        let found = content_kind(&archive(names));
        assert_eq!(found, ContentKind::Binary(BinaryKind(kind)), "{names:?}");
    }
}
