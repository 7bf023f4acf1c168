//! PDF documents in every dialect.

use serde_json::{Value, json};

use crate::support::Bench;

const PDF: &[u8] = include_bytes!("../../../../fixtures/documents/two-pages.pdf");
const TEXT: &str =
    "PDF document \"A PDF\" of 2 pages.\n\n[page 1]\nHello from a PDF\n\n[page 2]\nsecond page\n";

fn bench(dialect: &str) -> Bench {
    let bench = Bench::new(json!({ "dialect": dialect }));
    bench.write("a.pdf", PDF);
    bench
}

#[tokio::test]
async fn every_dialect_reads_the_text_of_a_document() {
    let (text, details) = bench("agent")
        .ok("read", json!({ "file_path": "a.pdf" }))
        .await;
    assert_eq!(text, TEXT);
    assert_eq!(
        details,
        json!({ "path": "a.pdf", "lines": 7, "startLine": 1, "endLine": 7, "hasMore": false })
    );
    let (text, _) = bench("agent")
        .ok("read", json!({ "file_path": "a.pdf", "offset": 6 }))
        .await;
    assert_eq!(text, "[page 2]\nsecond page\n");
    let (text, details) = bench("acp")
        .ok("read_file", json!({ "path": "a.pdf" }))
        .await;
    assert_eq!(
        (text.as_str(), &details["text"]),
        (TEXT, &Value::from(TEXT))
    );
    let (_, details) = bench("coder").ok("read", json!({ "path": "a.pdf" })).await;
    assert_eq!(details["content"], TEXT);
    let (_, details) = bench("manager")
        .ok("read_file", json!({ "path": "a.pdf" }))
        .await;
    assert_eq!(
        details,
        json!({ "path": "a.pdf", "content": TEXT, "size": PDF.len(), "encoding": "utf-8" })
    );
}

#[tokio::test]
async fn canonical_reads_a_range_of_pages() {
    let bench = bench("canonical");
    let path = bench.path("a.pdf");
    let (text, details) = bench
        .ok("Read", json!({ "file_path": path, "pages": "2" }))
        .await;
    let numbered = "     1\tPDF document \"A PDF\" of 2 pages.\n     2\t\n     3\t[page 2]\n     4\tsecond page";
    assert_eq!(text, numbered);
    assert_eq!(details, json!({ "content": numbered, "total_lines": 4 }));
    let (code, message) = bench
        .refusal("Read", json!({ "file_path": path, "pages": "3-5" }))
        .await;
    assert_eq!(code, "invalid_params");
    assert_eq!(
        message,
        "There is no page 3: there are 2. Use a range from 1 to 2."
    );
}

#[tokio::test]
async fn the_bytes_of_a_document_and_what_cannot_be_read_of_one() {
    let manager = bench("manager");
    let (_, details) = manager
        .ok(
            "read_file",
            json!({ "path": "a.pdf", "encoding": "base64" }),
        )
        .await;
    assert_eq!(
        (&details["size"], &details["encoding"]),
        (&json!(PDF.len()), &json!("base64"))
    );
    let agent = bench("agent");
    agent
        .write("broken.pdf", "%PDF-1.7\n")
        .write("locked.pdf", "%PDF-1.7\ntrailer <</Encrypt 5 0 R>>");
    let refused = [
        agent
            .refusal("read", json!({ "file_path": "broken.pdf" }))
            .await,
        agent
            .refusal("read", json!({ "file_path": "locked.pdf" }))
            .await,
    ];
    let expected = [
        ("syntax_error", "`broken.pdf` is a damaged PDF document: its pages cannot be found. Get a complete copy, or repair it, for example with `qpdf`.".to_owned()),
        ("binary_file", "`locked.pdf` is an encrypted PDF document and cannot be read. Decrypt it first, for example with `qpdf --decrypt`.".to_owned()),
    ];
    assert_eq!(refused, expected);
}
