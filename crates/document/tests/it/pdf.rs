//! PDF documents as models read them: whole, in parts, hostile.

use proptest::prelude::*;
use tenon_contract::ErrorCode;
use tenon_document::{PdfError, PdfText, read_pdf};

use crate::support::{PdfFile, folded, lines};

fn read(bytes: Vec<u8>, pages: Option<&str>) -> Result<PdfText, PdfError> {
    read_pdf(bytes, pages, &|| false)
}

fn refusal(bytes: Vec<u8>, pages: Option<&str>) -> (&'static str, Option<String>) {
    let error = read(bytes, pages).unwrap_err().report("a.pdf");
    let reason = error
        .details
        .get("reason")
        .and_then(|reason| reason.as_str())
        .map(str::to_owned);
    (error.code.as_str(), reason)
}

#[test]
fn pages_are_read_in_their_order_under_their_numbers() {
    let file = PdfFile::new()
        .page(&lines(&["First page", "second line"]))
        .page(&lines(&["Next page"]))
        .title("A title");
    let document = read(file.bytes(), None).unwrap();
    let text = "PDF document \"A title\" of 2 pages.\n\n[page 1]\nFirst page\nsecond line\n\n[page 2]\nNext page\n";
    let expected = PdfText {
        title: Some("A title".to_owned()),
        pages: 2,
        read: 1..=2,
        left_out: None,
        text: text.to_owned(),
    };
    assert_eq!(document, expected);
}

#[test]
fn a_document_whose_end_is_missing_says_so_where_pages_have_no_text() {
    let cut = |file: &PdfFile| {
        let mut bytes = file.bytes();
        bytes.truncate(bytes.len() - "%%EOF\n".len());
        bytes
    };
    let file = PdfFile::new().page(&lines(&["text"])).page("");
    let shown = "PDF document of 2 pages.\n\n[page 1]\ntext\n\n[page 2]\n(no text)\n";
    assert_eq!(read(file.bytes(), None).unwrap().text, shown);
    assert_eq!(
        read(cut(&file), None).unwrap().text,
        format!(
            "{shown}\n[The end of the document is missing, and with it what pages without text say]\n"
        )
    );
    let file = PdfFile::new().page("");
    assert_eq!(refusal(file.bytes(), None).1.as_deref(), Some("no_text"));
    assert_eq!(refusal(cut(&file), None).1.as_deref(), Some("broken"));
}

#[test]
fn pages_are_counted_by_the_tree_and_one_that_cannot_be_read_says_so() {
    let file = || {
        let pages = ["one", "two", "three"].map(|text| lines(&[text]));
        pages
            .iter()
            .fold(PdfFile::new(), |file, page| file.page(page))
    };
    for lost in 0..3 {
        let document = read(file().with_page_lost(lost).bytes(), None).unwrap();
        let mut shown = ["one\n", "two\n", "three\n"];
        shown[lost] = "(damaged, cannot be read)\n";
        let [one, two, three] = shown;
        assert_eq!(
            document.text,
            format!(
                "PDF document of 3 pages.\n\n[page 1]\n{one}\n[page 2]\n{two}\n[page 3]\n{three}"
            )
        );
    }
    let second = read(file().with_page_lost(0).bytes(), Some("2")).unwrap();
    assert_eq!(second.text, "PDF document of 3 pages.\n\n[page 2]\ntwo\n");
    assert_eq!(
        refusal(file().with_page_lost(0).bytes(), Some("1"))
            .1
            .as_deref(),
        Some("broken")
    );
}

#[test]
fn content_that_ends_early_says_that_text_is_missing() {
    let rows: Vec<String> = (0..400).map(|row| format!("row {}", row * 7919)).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let data = folded(lines(&rows).as_bytes());
    let page = |data: &[u8]| {
        let file = PdfFile::new().page_of("/Filter /FlateDecode", data);
        read(file.page(&lines(&["next"])).bytes(), None)
            .unwrap()
            .text
    };
    let notice = "(damaged: text of this page is missing)\n\n[page 2]\nnext\n";
    assert!(!page(&data).contains("damaged"));
    // A check sum that is missing or wrong loses no text.
    assert_eq!(page(&data[..data.len() - 4]), page(&data));
    let mut other_sum = data.clone();
    *other_sum.last_mut().unwrap() ^= 1;
    assert_eq!(page(&other_sum), page(&data));
    let shown = page(&data[..data.len() / 2]);
    assert!(
        shown.contains("row 0") && shown.ends_with(notice),
        "{shown}"
    );
    let mut hurt = data.clone();
    hurt[2..12].fill(0xff);
    let shown = page(&hurt);
    assert!(shown.ends_with(&format!("[page 1]\n{notice}")), "{shown}");
}

#[test]
fn bytes_before_the_first_line_of_a_document_do_not_matter() {
    let file = PdfFile::new().page(&lines(&["text"]));
    let shown = read(file.bytes(), None).unwrap();
    for before in [&b"\n"[..], b"\xEF\xBB\xBF", b"HTTP/1.1 200 OK\r\n\r\n"] {
        let bytes = [before, &file.bytes()].concat();
        assert_eq!(read(bytes, None).unwrap(), shown, "{before:?}");
    }
}

#[test]
fn only_the_pages_that_are_asked_for_are_read() {
    let mut file = PdfFile::new();
    for number in 1..=9 {
        file = file.page(&lines(&[&format!("text of {number}")]));
    }
    let text = |pages: &str| read(file.bytes(), Some(pages)).unwrap().text;
    assert_eq!(
        text("3"),
        "PDF document of 9 pages.\n\n[page 3]\ntext of 3\n"
    );
    assert_eq!(
        text("8-20"),
        "PDF document of 9 pages.\n\n[page 8]\ntext of 8\n\n[page 9]\ntext of 9\n"
    );
    assert_eq!(refusal(file.bytes(), Some("10")).0, "invalid_params");
    assert_eq!(refusal(file.bytes(), Some("x")).0, "invalid_params");
}

#[test]
fn compressed_pages_and_forms_within_forms_are_read() {
    let mut file = PdfFile::new().compressed();
    let inner = file.form("BT /F1 12 Tf 10 10 Td (inside) Tj ET", &[]);
    let outer = file.form(&format!("/X{inner} Do"), &[inner]);
    let document = read(
        file.page_with(&format!("/X{outer} Do"), &[outer]).bytes(),
        None,
    )
    .unwrap();
    assert_eq!(
        document.text,
        "PDF document of 1 page.\n\n[page 1]\ninside\n"
    );
}

#[test]
fn a_page_without_text_beside_one_with_text_says_so() {
    let file = PdfFile::new()
        .page("0 0 10 10 re f")
        .page(&lines(&["text"]));
    let document = read(file.bytes(), None).unwrap();
    assert_eq!(
        document.text,
        "PDF document of 2 pages.\n\n[page 1]\n(no text)\n\n[page 2]\ntext\n"
    );
}

#[test]
fn what_cannot_be_read_is_reported_with_its_reason() {
    let scan = PdfFile::new().page("0 0 10 10 re f").bytes();
    assert_eq!(
        refusal(scan, None),
        ("binary_file", Some("no_text".to_owned()))
    );
    let encrypted = PdfFile::new()
        .page(&lines(&["secret"]))
        .trailer("/Encrypt << /Filter /Standard /V 1 /R 2 >>")
        .bytes();
    assert_eq!(
        refusal(encrypted, None),
        ("binary_file", Some("encrypted".to_owned()))
    );
    for broken in [
        &b"%PDF-1.7\n"[..],
        b"%PDF-1.7\nnothing of the kind\n%%EOF",
        b"",
    ] {
        assert_eq!(
            refusal(broken.to_vec(), None),
            ("syntax_error", Some("broken".to_owned()))
        );
    }
}

#[test]
fn a_stream_that_unfolds_without_end_is_refused() {
    let spaces = " ".repeat(200 * 1024 * 1024);
    let file = PdfFile::new().compressed().page(&spaces).bytes();
    assert!(file.len() < 4 * 1024 * 1024);
    assert_eq!(
        refusal(file, None),
        ("too_large", Some("too_large".to_owned()))
    );
}

/// Rows of zeros as a predictor leaves them: a byte that says which, and the difference to the row above.
fn predicted(data: &[u8], columns: usize) -> Vec<u8> {
    data.chunks(columns)
        .flat_map(|row| [&[0], row].concat())
        .collect()
}

#[test]
fn codings_behind_a_predictor_and_run_lengths_are_counted_too() {
    let spaces = vec![b' '; 200 * 1024 * 1024];
    let once = folded(&spaces);
    let shuffled = folded(&predicted(&once, 4));
    // A run of 128 spaces for every two bytes, twice over.
    let runs = b"\x81 ".repeat(2 * 1024 * 1024);
    let literal = |data: &[u8]| -> Vec<u8> {
        data.chunks(128)
            .flat_map(|part| [&[u8::try_from(part.len() - 1).unwrap()], part].concat())
            .collect()
    };
    for (filters, data) in [
        (
            "/Filter [/FlateDecode /FlateDecode] /DecodeParms [<< /Predictor 12 /Columns 4 >> null]",
            shuffled,
        ),
        ("/Filter [/FlateDecode /RunLengthDecode]", folded(&runs)),
        ("/Filter /R#75nLengthDecode", runs),
        ("/Filter [/RunLengthDecode /FlateDecode]", literal(&once)),
    ] {
        let file = PdfFile::new()
            .page(&lines(&["before"]))
            .page_of(filters, &data)
            .bytes();
        assert_eq!(
            refusal(file, None),
            ("too_large", Some("too_large".to_owned())),
            "{filters}"
        );
    }
}

#[test]
fn chains_of_ordinary_documents_are_read() {
    let content = lines(&["text"]);
    let runs: Vec<u8> = content
        .as_bytes()
        .chunks(128)
        .flat_map(|part| [&[u8::try_from(part.len() - 1).unwrap()], part].concat())
        .chain([128])
        .collect();
    let once = folded(content.as_bytes());
    let letters: String = once.iter().map(|byte| format!("{byte:02x}")).collect();
    let rows = folded(&predicted(content.as_bytes(), 1));
    for (filters, data) in [
        ("/Filter /RunLengthDecode", runs.clone()),
        ("/Filter [/FlateDecode /RunLengthDecode]", folded(&runs)),
        (
            "/Filter [/ASCIIHexDecode /FlateDecode]",
            letters.into_bytes(),
        ),
        ("/Filter [/FlateDecode /FlateDecode]", folded(&once)),
        (
            "/Filter /FlateDecode /DecodeParms << /Predictor 15 >>",
            rows,
        ),
    ] {
        let file = PdfFile::new().page_of(filters, &data).bytes();
        let document = read(file, None).unwrap();
        assert_eq!(
            document.text, "PDF document of 1 page.\n\n[page 1]\ntext\n",
            "{filters}"
        );
    }
}

#[test]
fn forms_that_multiply_come_to_an_end() {
    let mut file = PdfFile::new();
    let mut last = file.form("BT /F1 12 Tf 10 10 Td (x) Tj ET", &[]);
    for _ in 0..40 {
        last = file.form(&format!("/X{last} Do /X{last} Do"), &[last]);
    }
    let file = file
        .page(&lines(&["before"]))
        .page_with(&format!("/X{last} Do"), &[last]);
    // The first page was read by then.
    let document = read(file.bytes(), None).unwrap();
    assert!(
        document.text.contains("[page 1]\nbefore\n"),
        "{}",
        document.text
    );
    assert!(document.text.len() < 10 * 1024 * 1024);
}

#[test]
fn a_call_that_is_given_up_ends() {
    let file = PdfFile::new().page(&"0 0 1 1 re f\n".repeat(2_000_000));
    let error = read_pdf(file.bytes(), None, &|| true)
        .unwrap_err()
        .report("a.pdf");
    assert_eq!(error.code, ErrorCode::Cancelled);
}

/// Lines of text at places from the lower left corner, in a size.
fn at(texts: &[(f64, f64, f64, &str)]) -> String {
    let line = |(x, y, size, text): &(f64, f64, f64, &str)| {
        format!("BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET\n")
    };
    texts.iter().map(line).collect()
}

fn shown(file: &PdfFile) -> String {
    let text = read(file.bytes(), None).unwrap().text;
    text.replace("PDF document of 1 page.\n\n[page 1]\n", "")
}

#[test]
fn raised_and_lowered_letters_stay_in_their_line() {
    let page = at(&[
        (40.0, 700.0, 12.0, "Speed 3 x 10"),
        (111.0, 706.0, 8.0, "-9"),
        (124.0, 700.0, 12.0, "m/s, H"),
        (161.0, 697.0, 8.0, "2"),
        (166.0, 700.0, 12.0, "O, x"),
        (188.0, 704.0, 7.0, "n+1"),
        (40.0, 680.0, 12.0, "mark"),
        (68.0, 685.0, 7.0, "*"),
        (40.0, 644.0, 6.0, "3"),
        (44.0, 640.0, 10.0, "A note"),
    ]);
    assert_eq!(
        shown(&PdfFile::new().page(&page)),
        "Speed 3 x 10^-9 m/s, H2O, x^(n+1)\nmark*\n\n3 A note\n"
    );
}

#[test]
fn a_large_initial_belongs_to_its_first_line() {
    let page = at(&[
        (40.0, 676.0, 36.0, "O"),
        (69.0, 693.0, 10.0, "nce upon a time"),
        (69.0, 681.0, 10.0, "there was a line"),
        (40.0, 665.0, 10.0, "and one below"),
    ]);
    let text = shown(&PdfFile::new().page(&page));
    assert_eq!(
        text.replace("  ", ""),
        "Once upon a time\nthere was a line\nand one below\n"
    );
}

#[test]
fn cells_of_a_table_stand_in_their_columns() {
    let rows = [
        ["Name", "Debit", "Credit"],
        ["Rent", "", "500"],
        ["Sale", "900", ""],
        ["", "", "20"],
    ];
    let mut page = Vec::new();
    for (row, y) in rows.iter().zip([700.0, 686.0, 672.0, 658.0]) {
        let cells = row.iter().zip([40.0, 140.0, 240.0]);
        page.extend(cells.map(|(text, x)| (x, y, 10.0, *text)));
    }
    assert_eq!(
        shown(&PdfFile::new().page(&at(&page))),
        "Name  Debit  Credit\nRent         500\nSale  900\n             20\n"
    );
}

#[test]
fn columns_of_prose_are_read_one_by_one_whatever_stands_in_them() {
    let mut page = Vec::new();
    let mut left = String::new();
    let mut right = String::new();
    for number in 0..20 {
        let y = 700.0 - 14.0 * f64::from(number);
        let line = format!("R{number} right column prose text goes on and on");
        right += &format!("{line}\n");
        page.push((310.0, y, line));
        if (8..14).contains(&number) {
            for cell in 0..4 {
                page.push((40.0 + 50.0 * f64::from(cell), y, format!("{number}.{cell}")));
            }
            let cells: Vec<String> = (0..4).map(|cell| format!("{number}.{cell}")).collect();
            let gap = if number < 10 { "   " } else { "  " };
            left += &format!("{}\n", cells.join(gap));
        } else {
            let line = format!("L{number} left column prose text goes on and on");
            left += &format!("{line}\n");
            page.push((40.0, y, line));
        }
    }
    let page: Vec<_> = page
        .iter()
        .map(|(x, y, text)| (*x, *y, 10.0, text.as_str()))
        .collect();
    assert_eq!(
        shown(&PdfFile::new().page(&at(&page))),
        format!("{left}\n{right}")
    );
}

#[test]
fn marks_say_what_letters_read_and_soft_hyphens_join_words() {
    let page = "/Span <</ActualText (office)>> BDC BT /F1 12 Tf 40 700 Td (o ce) Tj ET EMC\n\
        BT /F1 12 Tf 40 680 Td (the vol\\255) Tj 0 -14 Td (ume is full) Tj ET";
    assert_eq!(
        shown(&PdfFile::new().page(page)),
        "office\nthe volume\nis full\n"
    );
}

#[test]
fn turned_lines_are_read_as_lines() {
    let mut page = at(&[(40.0, 700.0, 12.0, "Upright text here")]);
    for (letter, y) in [("A", 300.0), ("x", 306.7), ("i", 311.7), ("s", 313.9)] {
        page += &format!("BT /F1 10 Tf 0 1 -1 0 30 {y} Tm ({letter}) Tj ET\n");
    }
    let text = shown(&PdfFile::new().page(&page));
    assert_eq!(text, "Upright text here\n\nAxis\n");
    let skewed = "BT /F1 12 Tf 0.9962 0.0872 -0.0872 0.9962 100 600 Tm 14 TL (A slightly skewed line one) Tj T* (A slightly skewed line two) Tj ET";
    assert_eq!(
        shown(&PdfFile::new().page(skewed)),
        "A slightly skewed line one\nA slightly skewed line two\n"
    );
}

#[test]
fn a_text_about_encryption_is_read() {
    let file = PdfFile::new().page(&lines(&["The /Encrypt 5 0 R entry"]));
    assert_eq!(shown(&file), "The /Encrypt 5 0 R entry\n");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn damaged_documents_are_read_or_refused(damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12), cut in any::<prop::sample::Index>()) {
        let mut file = PdfFile::new().page(&lines(&["one", "two"]));
        let form = file.form("BT /F1 12 Tf 10 10 Td (form) Tj ET", &[]);
        let mut bytes = file.page_with(&format!("/X{form} Do"), &[form]).bytes();
        for (index, byte) in damage {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        let end = cut.index(bytes.len() * 2);
        bytes.truncate(end.max(10));
        if let Ok(document) = read(bytes, None) {
            prop_assert!(document.text.starts_with("PDF document"));
        }
    }
}
