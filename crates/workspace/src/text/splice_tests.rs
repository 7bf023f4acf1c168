use encoding_rs::Encoding;
use proptest::prelude::*;

use super::super::units::Units;
use super::*;
use crate::{FileSnapshot, Workspace};

/// A file on disk with these bytes, read as text.
fn file_of(bytes: &[u8]) -> Result<TextFile, Error> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("file"), bytes).unwrap();
    let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
    crate::read_text(&workspace.locate("file").unwrap(), 1 << 20)
}

fn splice(range: Range<usize>, text: &str) -> (Range<usize>, &str) {
    (range, text)
}

const SENTENCE: &str = "日本語のテキストファイルです。文字コードを判定します。\r\n";

fn shift_jis(text: &str) -> Vec<u8> {
    encoding_rs::SHIFT_JIS.encode(text).0.into_owned()
}

#[test]
fn bytes_outside_the_ranges_stay_and_the_new_text_is_in_the_encoding_of_the_file() {
    let bytes = shift_jis(&SENTENCE.repeat(3));
    let file = file_of(&bytes).unwrap();
    assert_eq!(file.encoding().name(), "Shift_JIS");
    let at = file.text().find("文字").unwrap();
    let changed = file.splice(&[splice(at..at + 6, "漢字")]).unwrap();
    let expected = shift_jis(&SENTENCE.repeat(3).replacen("文字", "漢字", 1));
    assert_eq!(changed, expected);
}

#[test]
fn a_byte_order_mark_stays() {
    for (bom, encode) in [
        (
            &b"\xEF\xBB\xBF"[..],
            (|text: &str| text.as_bytes().to_vec()) as fn(&str) -> Vec<u8>,
        ),
        (b"\xFF\xFE", |text| {
            text.encode_utf16().flat_map(u16::to_le_bytes).collect()
        }),
        (b"\xFE\xFF", |text| {
            text.encode_utf16().flat_map(u16::to_be_bytes).collect()
        }),
    ] {
        let file = file_of(&[bom, &encode("one 😀 two")].concat()).unwrap();
        assert_eq!(file.text(), "one 😀 two");
        let changed = file.splice(&[splice(4..8, "😁")]).unwrap();
        assert_eq!(changed, [bom, &encode("one 😁 two")].concat());
        let replaced = file.replace("\u{FEFF}new\n").unwrap();
        assert_eq!(replaced, [bom, &encode("new\n")].concat());
    }
}

#[test]
fn what_the_encoding_cannot_hold_is_refused_by_name() {
    let file = file_of(&shift_jis(SENTENCE)).unwrap();
    let error = file.splice(&[splice(0..0, "a😀b")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "The character `😀` (U+1F600) cannot be written to `file`, whose encoding is Shift_JIS. Use \
         characters of that encoding, or convert the file to UTF-8 first."
    );
    // The encoder of the standard would write a backslash for it.
    let error = file.replace("¥100").unwrap_err();
    assert!(
        matches!(
            error,
            Error::Unencodable {
                character: '¥', ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn damaged_places_stay_as_they_are() {
    let file = file_of(b"Gr\xC3\xB6\xC3\x9Fe f\xC3\xBCr K\xE4ufer und mehr\n").unwrap();
    let at = file.text().find("mehr").unwrap();
    let changed = file.splice(&[splice(at..at + 4, "weniger")]).unwrap();
    assert_eq!(
        changed,
        b"Gr\xC3\xB6\xC3\x9Fe f\xC3\xBCr K\xE4ufer und weniger\n"
    );
}

#[test]
fn a_change_that_would_give_damaged_bytes_another_meaning_is_refused() {
    // UTF-16 with half a unit at its end.
    let bytes = b"\xFF\xFEa\0b\0c";
    let file = file_of(bytes).unwrap();
    assert_eq!(
        (file.text(), file.encoding().is_damaged()),
        ("ab\u{FFFD}", true)
    );
    let end = file.text().len();
    let error = file.splice(&[splice(end..end, "d")]).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
    assert_eq!(
        file.splice(&[splice(0..1, "x")]).unwrap(),
        b"\xFF\xFEx\0b\0c"
    );
    assert_eq!(
        file.splice(&[splice(2..end, "c")]).unwrap(),
        b"\xFF\xFEa\0b\0c\0"
    );
}

#[test]
fn ranges_that_do_not_fit_are_refused() {
    let file = file_of("äb".as_bytes()).unwrap();
    let faults: Vec<_> = [
        vec![splice(0..9, "")],
        vec![splice(1..2, "")],
        vec![splice(0..3, ""), splice(2..3, "")],
    ]
    .iter()
    .map(|splices| match file.splice(splices) {
        Err(Error::BadSplice { fault, .. }) => fault,
        other => panic!("{other:?}"),
    })
    .collect();
    assert_eq!(
        faults,
        [
            "lies outside the text",
            "splits a character",
            "overlaps another one"
        ]
    );
}

#[test]
fn touching_ranges_and_insertions_keep_their_order() {
    let file = file_of(b"abc").unwrap();
    let splices = [
        splice(1..1, "1"),
        splice(1..2, "2"),
        splice(1..1, "3"),
        splice(2..3, "4"),
    ];
    assert_eq!(file.splice(&splices).unwrap(), b"a1324");
}

const ENCODINGS: [&str; 10] = [
    "utf-8",
    "windows-1252",
    "windows-1251",
    "shift_jis",
    "gbk",
    "gb18030",
    "euc-kr",
    "big5",
    "euc-jp",
    "utf-16le",
];

proptest! {
    /// The units are the text, and they are the bytes.
    #[test]
    fn units_add_up_to_the_decoded_text(
        bytes in prop::collection::vec(prop_oneof![3 => any::<u8>(), 1 => 0x80_u8..=0xFE, 1 => b'0'..=b'9'], 0..60),
        encoding in prop::sample::select(&ENCODINGS[..]),
    ) {
        let encoding = Encoding::for_label(encoding.as_bytes()).unwrap();
        let (text, _) = encoding.decode_without_bom_handling(&bytes);
        let (mut raw, mut shown) = (0, 0);
        for unit in Units::new(encoding, &bytes) {
            raw += unit.raw;
            shown += unit.text;
            prop_assert!(text.is_char_boundary(shown), "{unit:?}");
        }
        prop_assert_eq!((raw, shown), (bytes.len(), text.len()));
    }

    /// Over bytes of every sort, valid or not: what lies before and after a range stays.
    #[test]
    fn a_splice_changes_nothing_outside_its_range(
        bytes in prop::collection::vec(prop_oneof![2 => 0x20_u8..0x7F, 2 => 0x80_u8..=0xFE, 1 => Just(b'\n')], 0..80),
        encoding in prop::sample::select(&ENCODINGS[..]),
        places in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let encoding = Encoding::for_label(encoding.as_bytes()).unwrap();
        let (text, _) = encoding.decode_without_bom_handling(&bytes);
        let place = |index: prop::sample::Index| text.floor_char_boundary(index.index(text.len() + 1));
        let (one, other) = (place(places.0), place(places.1));
        let (start, end) = (one.min(other), one.max(other));
        let offsets = raw_offsets(encoding, &bytes, [start, end]);
        let [Some(raw_start), Some(raw_end)] = offsets[..] else {
            // Only where several characters share their bytes.
            return Ok(());
        };
        prop_assert!(raw_start <= raw_end);
        if text.contains(char::REPLACEMENT_CHARACTER) {
            // A damaged sequence is read differently without its neighbours.
            return Ok(());
        }
        let decode = |bytes: &[u8]| encoding.decode_without_bom_handling(bytes).0.into_owned();
        prop_assert_eq!(decode(&bytes[..raw_start]), &text[..start]);
        prop_assert_eq!(decode(&bytes[raw_end..]), &text[end..]);
    }

    #[test]
    fn replacing_every_range_by_itself_changes_nothing(
        text in "[a-z 漢字かなカナ。\r\n]{1,60}",
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        kind in 0..3,
    ) {
        let encoded: Vec<u8> = match kind {
            0 => text.clone().into_bytes(),
            1 => [&b"\xFF\xFE"[..], &text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()].concat(),
            _ => shift_jis(&format!("{SENTENCE}{text}")),
        };
        let file = file_of(&encoded).unwrap();
        let text = file.text();
        let mut places: Vec<usize> = places
            .iter()
            .map(|place| text.floor_char_boundary(place.index(text.len() + 1)))
            .collect();
        places.sort_unstable();
        let splices: Vec<_> = places
            .chunks_exact(2)
            .map(|pair| splice(pair[0]..pair[1], &text[pair[0]..pair[1]]))
            .collect();
        prop_assert_eq!(file.splice(&splices).unwrap(), encoded);
        prop_assert_eq!(file.replace(text).unwrap(), file.snapshot().bytes());
    }
}

#[test]
fn snapshots_can_be_shared_between_threads() {
    fn assert_shared<T: Send + Sync + Clone>() {}
    assert_shared::<FileSnapshot>();
    assert_shared::<TextFile>();
}
