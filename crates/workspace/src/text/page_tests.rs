use std::io::{Seek, SeekFrom, Write};

use encoding_rs::Encoding;
use proptest::prelude::*;

use super::*;

const WHOLE: PageRequest = PageRequest {
    first_line: 1,
    first_character: 1,
    max_lines: usize::MAX,
    max_bytes: usize::MAX,
    max_line_bytes: usize::MAX,
};

fn page_of(bytes: &[u8], request: &PageRequest) -> Page {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    let bom = TextEncoding::of_bom(bytes).unwrap();
    let (page, _) = read(Source::File(&file), bom, request, &|| false).unwrap();
    let (held, _) = read(Source::Held(bytes), bom, request, &|| false).unwrap();
    assert_eq!(held, page, "a file that is held is read as one that is not");
    page
}

/// The rules of a page, said as simply as possible over the whole text.
fn reference(text: &str, bytes: usize, encoding: TextEncoding, request: &PageRequest) -> Page {
    let final_newline = text.ends_with('\n');
    let body = text.strip_suffix('\n').unwrap_or(text);
    let count = if text.is_empty() {
        0
    } else {
        body.split('\n').count()
    };
    let first_line = request.first_line.max(1);
    let skip = usize::try_from(first_line - 1).unwrap();
    let mut page = Page {
        text: String::new(),
        first_line,
        last_line: first_line - 1,
        total_lines: wide(count),
        total_bytes: wide(bytes),
        selected_bytes: wide(text.split_inclusive('\n').skip(skip).map(str::len).sum()),
        stopped_by: None,
        first_line_exceeds_limit: false,
        first_line_bytes: 0,
        cut_lines: Vec::new(),
        final_newline,
        encoding,
        line_ending: LineEnding::of(text),
    };
    let mut shown: Vec<String> = Vec::new();
    for (index, line) in text.split_inclusive('\n').enumerate().skip(skip) {
        let line = match line.strip_suffix('\n') {
            Some(line) => line.strip_suffix('\r').unwrap_or(line),
            None => line,
        };
        if shown.len() == request.max_lines {
            page.stopped_by = Some(TruncatedBy::Lines);
            break;
        }
        if shown.is_empty() {
            page.first_line_bytes = wide(line.len());
        }
        let cut = crate::floor_character(line, request.max_line_bytes);
        shown.push(cut.to_owned());
        if shown.join("\n").len() > request.max_bytes {
            shown.pop();
            page.first_line_exceeds_limit = shown.is_empty();
            page.stopped_by = Some(TruncatedBy::Bytes);
            break;
        }
        if cut.len() < line.len() {
            page.cut_lines.push(CutLine {
                line: wide(index) + 1,
                bytes: wide(line.len()),
                cut_bytes: wide(cut.len()),
                cut_characters: wide(cut.chars().count()),
            });
        }
    }
    page.last_line = first_line - 1 + wide(shown.len());
    page.text = shown.join("\n");
    page
}

fn marked(name: &str, bom: bool) -> TextEncoding {
    TextEncoding {
        bom,
        ..TextEncoding::without_bom(Encoding::for_label(name.as_bytes()).unwrap())
    }
}

fn bytes_of(text: &str, encoding: TextEncoding) -> Vec<u8> {
    [encoding.bom_bytes(), &encoding.encode(text).unwrap()].concat()
}

#[test]
fn lines_have_neither_line_ends_nor_marks_and_a_last_newline_opens_none() {
    let page = page_of("\u{FEFF}one\r\ntwo\n\nfour\r\n".as_bytes(), &WHOLE);
    assert_eq!(page.lines().collect::<Vec<_>>(), ["one", "two", "", "four"]);
    assert_eq!(
        (page.total_lines, page.final_newline, page.line_ending),
        (4, true, LineEnding::Mixed)
    );
    assert_eq!(
        (page.encoding.name(), page.encoding.has_bom()),
        ("UTF-8", true)
    );
}

#[test]
fn an_empty_file_has_no_lines_and_an_empty_line_is_one() {
    let empty = page_of(b"", &WHOLE);
    assert_eq!(
        (empty.lines().count(), empty.total_lines, empty.has_more()),
        (0, 0, false)
    );
    let blank = page_of(b"\n", &WHOLE);
    assert_eq!(
        (blank.lines().collect::<Vec<_>>(), blank.total_lines),
        (vec![""], 1)
    );
}

#[test]
fn a_page_past_the_end_is_empty_and_knows_the_number_of_lines() {
    let page = page_of(
        b"a\nb",
        &PageRequest {
            first_line: 9,
            ..WHOLE
        },
    );
    assert_eq!(
        (page.line_count(), page.total_lines, page.has_more()),
        (0, 2, false)
    );
}

#[test]
fn the_truncation_reports_what_follows_the_first_line_of_the_page() {
    let request = PageRequest {
        first_line: 2,
        max_lines: 2,
        ..WHOLE
    };
    let truncation = page_of(b"1\n22\n333\n4444\n", &request)
        .truncation(&request)
        .unwrap();
    assert_eq!(
        (
            truncation.total_lines,
            truncation.total_bytes,
            truncation.output_lines,
            truncation.output_bytes
        ),
        (3, 12, 2, 6)
    );
}

#[test]
fn characters_and_line_ends_split_by_the_buffer_stay_whole() {
    use super::super::stream::BLOCK_BYTES;
    for (name, bom) in [
        ("utf-8", false),
        ("utf-8", true),
        ("utf-16le", true),
        ("shift_jis", false),
    ] {
        let encoding = marked(name, bom);
        let unit = bytes_of(
            "漢",
            TextEncoding {
                bom: false,
                ..encoding
            },
        )
        .len();
        for shift in 0..6 {
            let filler = BLOCK_BYTES / if name == "utf-16le" { 2 } else { 1 };
            let text = format!(
                "{}漢字\r\n漢字かな交じり文\r\nend",
                "x".repeat(filler - 4 * unit + shift)
            );
            let bytes = bytes_of(&text, encoding);
            let page = page_of(&bytes, &WHOLE);
            let encoding = TextEncoding {
                certainty: page.encoding.certainty,
                ..encoding
            };
            assert_eq!(
                page,
                reference(&text, bytes.len(), encoding, &WHOLE),
                "{name} {shift}"
            );
        }
    }
}

#[test]
fn texts_without_a_mark_are_read_in_their_own_encoding() {
    let samples = [
        (
            "windows-1252",
            "Die Prüfung der Größe ergab für Käufer in Österreich keine Änderungen.\r\nDéjà vu à l'été, façade.\r\n",
        ),
        (
            "Shift_JIS",
            "日本語のテキストファイルです。文字コードを判定します。\nカタカナとひらがなも含みます。\n",
        ),
        (
            "GBK",
            "这是一个用于测试的中文文本文件，编码需要自动检测。\n第二行也是中文内容。\n",
        ),
        (
            "EUC-KR",
            "이 파일은 한국어 텍스트입니다. 문자 인코딩을 자동으로 감지합니다.\n두 번째 줄입니다.\n",
        ),
        (
            "windows-1251",
            "Это текстовый файл на русском языке, кодировка определяется автоматически.\n",
        ),
        (
            "Big5",
            "這是一個繁體中文的文字檔案，編碼需要自動偵測。\n第二行也是中文。\n",
        ),
        (
            "EUC-JP",
            "日本語のテキストファイルです。文字コードを判定します。\nカタカナとひらがなも含みます。\n",
        ),
    ];
    for (name, text) in samples {
        let encoding = marked(name, false);
        let bytes = bytes_of(text, encoding);
        let page = page_of(&bytes, &WHOLE);
        assert!(page.encoding.is_guessed(), "{name}");
        let encoding = TextEncoding {
            certainty: page.encoding.certainty,
            ..encoding
        };
        assert_eq!(
            page,
            reference(text, bytes.len(), encoding, &WHOLE),
            "{name}"
        );
    }
}

#[test]
fn a_stray_byte_does_not_turn_utf8_into_another_encoding() {
    let page = page_of("Größe für Käufer\nweiß\n".as_bytes(), &WHOLE);
    assert!(!page.encoding.is_damaged());
    let page = page_of(b"Gr\xC3\xB6\xC3\x9Fe f\xC3\xBCr K\xE4ufer\n", &WHOLE);
    assert_eq!(page.text, "Größe für K\u{FFFD}ufer");
    assert_eq!(
        (page.encoding.name(), page.encoding.is_damaged()),
        ("UTF-8", true)
    );
}

#[test]
fn reading_stops_when_the_call_is_aborted() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"text").unwrap();
    for source in [Source::File(&file), Source::Held(b"text")] {
        let answer = read(source, None, &WHOLE, &|| true);
        assert!(matches!(answer, Err(StreamFault::Cancelled)));
    }
}

fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-zé漢😀]{0,8}",
        2 => Just("\n".to_owned()),
        2 => Just("\r\n".to_owned()),
        1 => Just("\r".to_owned()),
    ];
    prop::collection::vec(part, 0..30).prop_map(|parts| parts.concat())
}

fn limits() -> impl Strategy<Value = usize> {
    prop_oneof![3 => 0_usize..40, 1 => Just(usize::MAX)]
}

proptest! {
    #[test]
    fn a_page_is_what_the_simple_rules_say(
        text in texts(),
        first_line in 0_u64..12,
        max_lines in prop_oneof![3 => 0_usize..8, 1 => Just(usize::MAX)],
        max_bytes in limits(),
        max_line_bytes in limits(),
        kind in 0..4,
    ) {
        let request = PageRequest { first_line, first_character: 1, max_lines, max_bytes, max_line_bytes };
        let encoding = match kind {
            0 => marked("utf-8", true),
            1 => marked("utf-16le", true),
            2 => marked("utf-16be", true),
            _ => marked("utf-8", false),
        };
        let bytes = bytes_of(&text, encoding);
        prop_assert_eq!(page_of(&bytes, &request), reference(&text, bytes.len(), encoding, &request));
    }

    #[test]
    fn pieces_of_any_size_make_the_same_page(
        text in texts(),
        first_line in 0_u64..6,
        max_lines in 0_usize..6,
        max_bytes in limits(),
        max_line_bytes in limits(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let request = PageRequest { first_line, first_character: 1, max_lines, max_bytes, max_line_bytes };
        let mut places: Vec<usize> = cuts
            .iter()
            .map(|cut| text.floor_char_boundary(cut.index(text.len() + 1)))
            .collect();
        places.sort_unstable();
        places.push(text.len());
        let mut builder = PageBuilder::new(&request);
        let mut from = 0;
        for to in places {
            builder.feed(&text.as_bytes()[from..to]);
            from = to;
        }
        let page = builder.finish(wide(text.len()), TextEncoding::UTF_8);
        prop_assert_eq!(page, reference(&text, text.len(), TextEncoding::UTF_8, &request));
    }

    #[test]
    fn any_bytes_give_a_page_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if TextEncoding::of_bom(&bytes).is_ok() {
            page_of(&bytes, &WHOLE);
        }
    }
}
