//! Codings, charsets, types, hostile pages.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use tenon_contract::ErrorCode;
use tenon_web::{FetchSettings, Fetcher, Missing, Removed, RequestSpec, response_text};

use crate::server::*;

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn brotli(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    brotli::BrotliCompress(
        &mut &*body,
        &mut out,
        &brotli::enc::BrotliEncoderParams::default(),
    )
    .unwrap();
    out
}

fn zstd(body: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(body, ruzstd::encoding::CompressionLevel::Fastest)
}

fn coded(coding: &str, body: &[u8]) -> Vec<u8> {
    page(
        "200 OK",
        &[
            ("content-type", "text/plain; charset=utf-8"),
            ("content-encoding", coding),
        ],
        body,
    )
}

#[tokio::test]
async fn every_coding_is_undone_alone_and_in_a_row() {
    let text = "some text that is worth packing ".repeat(100);
    let bytes = text.as_bytes();
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(bytes).unwrap();
    let mut bare = DeflateEncoder::new(Vec::new(), Compression::default());
    bare.write_all(bytes).unwrap();
    let members = [
        gzip(bytes.get(..1000).unwrap()),
        gzip(bytes.get(1000..).unwrap()),
    ]
    .concat();
    let frames = [
        zstd(bytes.get(..1000).unwrap()),
        b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec(),
        zstd(bytes.get(1000..).unwrap()),
    ]
    .concat();
    let table = vec![
        ("/gzip", coded("gzip", &gzip(bytes))),
        ("/x-gzip", coded("X-GZIP", &gzip(bytes))),
        ("/members", coded("gzip", &members)),
        ("/zlib", coded("deflate", &zlib.finish().unwrap())),
        ("/bare", coded("deflate", &bare.finish().unwrap())),
        ("/br", coded("br", &brotli(bytes))),
        ("/zstd", coded("zstd", &zstd(bytes))),
        ("/frames", coded("zstd", &frames)),
        ("/both", coded("gzip, br", &brotli(&gzip(bytes)))),
        (
            "/three",
            coded("identity, zstd, gzip, br", &brotli(&gzip(&zstd(bytes)))),
        ),
        ("/untrue", coded("gzip", bytes)),
        (
            "/trailing",
            coded("gzip", &[gzip(bytes), b"garbage".to_vec()].concat()),
        ),
    ];
    let paths: Vec<&str> = table.iter().map(|(path, _)| *path).collect();
    let server = Server::of(table.clone());
    for path in paths {
        assert_eq!(read(&server, path).await.unwrap().0, text, "{path}");
    }
}

#[tokio::test]
async fn codings_that_cannot_be_undone_are_named() {
    let server = Server::of(vec![
        ("/compress", coded("compress", b"x")),
        ("/many", coded("gzip,gzip,gzip,gzip,gzip", &gzip(b"x"))),
        (
            "/damaged",
            coded("gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\xff\xff\xff\xff\xff"),
        ),
        ("/notbr", coded("br", b"\xff\xff\xff\xff plain text")),
    ]);
    for path in ["/compress", "/many", "/damaged", "/notbr"] {
        let error = read(&server, path).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Network, "{path}");
        assert!(
            error
                .message
                .contains("has a content encoding that cannot be decoded"),
            "{}",
            error.message
        );
    }
}

#[tokio::test]
async fn bombs_stop_at_the_limit() {
    let zeros = vec![b'a'; 64 * 1024 * 1024];
    // A frame of run-length blocks: some bytes for each 128 KiB.
    let mut rle = b"\x28\xb5\x2f\xfd\x00\x58".to_vec();
    for _ in 0..16_000 {
        rle.extend_from_slice(&[0x02, 0x00, 0x10, b'a']);
    }
    let server = Server::of(vec![
        ("/gzip", coded("gzip", &gzip(&zeros))),
        ("/br", coded("br", &brotli(&zeros))),
        ("/zstd", coded("zstd", &rle)),
        ("/nested", coded("gzip, gzip", &gzip(&gzip(&zeros)))),
        (
            "/deep",
            coded("gzip, gzip, gzip", &gzip(&gzip(&gzip(&zeros)))),
        ),
    ]);
    let settings = FetchSettings {
        max_bytes: 200_000,
        ..FetchSettings::default()
    };
    let fetcher = fetcher(&[server.entry()], settings);
    for path in ["/gzip", "/br", "/zstd", "/nested", "/deep"] {
        let fetched = get(&fetcher, &server.url(path)).await.unwrap();
        assert_eq!(fetched.response().body.len(), 200_000, "{path}");
        assert_eq!(fetched.response().missing, Some(Missing::Limit), "{path}");
    }
}

#[tokio::test]
async fn a_frame_with_a_huge_window_is_refused() {
    // Window descriptor 0xff: 3.75 TB.
    let server = Server::of(vec![(
        "/",
        coded("zstd", b"\x28\xb5\x2f\xfd\x00\xff\x01\x00\x00"),
    )]);
    let error = read(&server, "/").await.unwrap_err();
    assert!(
        error
            .message
            .contains("has a content encoding that cannot be decoded"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn charsets_come_from_mark_header_page_or_bytes() {
    let server = Server::of(vec![
        (
            "/header",
            typed("text/html; charset=ISO-8859-1", b"<p>caf\xe9 \x80"),
        ),
        (
            "/quoted",
            typed("text/html; charset=\"windows-1251\"", b"<p>\xcf\xf0\xe8"),
        ),
        (
            "/meta",
            typed("text/html", b"<meta charset=shift_jis><p>\x93\xfa\x96\x7b"),
        ),
        (
            "/bom",
            typed("text/html; charset=latin1", b"\xef\xbb\xbf<p>caf\xc3\xa9"),
        ),
        ("/utf16", typed("text/html", b"\xff\xfe<\0p\0>\0h\0i\0")),
        ("/none", typed("text/html", "<p>naïve".as_bytes())),
        (
            "/invalid",
            typed("text/html; charset=utf-8", b"<p>a\xff\xfeb"),
        ),
        (
            "/unknown",
            typed("text/html; charset=klingon", "<p>é".as_bytes()),
        ),
        (
            "/xml",
            typed(
                "application/xml",
                b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9</a>",
            ),
        ),
    ]);
    for (path, expected) in [
        ("/header", "café €"),
        ("/quoted", "При"),
        ("/meta", "日本"),
        ("/bom", "café"),
        ("/utf16", "hi"),
        ("/none", "naïve"),
        ("/invalid", "a\u{fffd}\u{fffd}b"),
        ("/unknown", "é"),
        (
            "/xml",
            "<?xml version='1.0' encoding='iso-8859-1'?><a>é</a>",
        ),
    ] {
        assert_eq!(read(&server, path).await.unwrap().0, expected, "{path}");
    }
}

#[tokio::test]
async fn types_are_read_each_in_its_way() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0";
    let rss = b"<?xml version='1.0'?><rss version='2.0'><channel><title>News</title><link>http://x.example/</link>\
        <item><title>First &amp; best</title><link>http://x.example/1</link><pubDate>Mon, 01 Jan 2024 00:00:00 GMT</pubDate>\
        <description>&lt;p&gt;Some &lt;b&gt;text&lt;/b&gt;&lt;/p&gt;</description></item></channel></rss>";
    let atom = b"<feed xmlns='http://www.w3.org/2005/Atom'><title>Blog</title><entry><title>Post</title>\
        <link href='/post' rel='alternate'/><updated>2024-01-01</updated><content type='html'>&lt;i&gt;hi&lt;/i&gt;</content></entry></feed>";
    let server = Server::of(vec![
        ("/json", typed("application/json", br#"{"a":[1,2]}"#)),
        ("/problem", typed("application/problem+json", br#"{"a":1}"#)),
        ("/text", typed("text/plain", b"<b>not html</b>")),
        ("/md", typed("text/markdown", b"# Title\n\n*x*")),
        ("/readme.md", typed("text/plain", b"# Readme")),
        ("/js", typed("application/javascript", b"let a = 1")),
        ("/rss", typed("application/rss+xml", rss)),
        ("/atom", typed("application/atom+xml", atom)),
        ("/svg", typed("image/svg+xml", b"<svg><text>x</text></svg>")),
        ("/png", typed("image/png", png)),
        ("/mislabelled", typed("text/plain", png)),
        (
            "/untyped",
            page("200 OK", &[], b"<!DOCTYPE html><p>hello <b>you</b>"),
        ),
        ("/octet", typed("application/octet-stream", b"just text")),
        (
            "/xhtml",
            typed(
                "application/xhtml+xml",
                b"<html xmlns='http://www.w3.org/1999/xhtml'><head><script src='a.js'/></head><body><p>text</p></body></html>",
            ),
        ),
        ("/empty", typed("text/html", b"")),
        ("/feed-as-page", typed("text/html", rss)),
        (
            "/page-with-declaration",
            typed("text/html", b"<?xml version='1.0'?><html><p>a page"),
        ),
        ("/id3", typed("text/plain", b"ID3 grows trees.\n")),
        ("/sqlite.md", typed("text/markdown", b"SQLite features\n")),
        ("/twice", typed("text/plain, text/html", b"<p>the last")),
        (
            "/nothing-behind",
            typed("text/html; charset=latin1, text/html, x", b"<p>caf\xe9"),
        ),
        ("/charset-as-coding", coded("utf-8", b"as it is")),
        ("/no-coding", coded("none", b"as it is")),
    ]);
    for (path, expected) in [
        (
            "/feed-as-page",
            "# News\n\n## [First & best](http://x.example/1)\n\n*Mon, 01 Jan 2024 00:00:00 GMT*\n\nSome **text**",
        ),
        ("/page-with-declaration", "a page"),
        ("/id3", "ID3 grows trees.\n"),
        ("/sqlite.md", "SQLite features\n"),
        ("/twice", "the last"),
        ("/nothing-behind", "café"),
        ("/charset-as-coding", "as it is"),
        ("/no-coding", "as it is"),
        ("/json", "{\n  \"a\": [\n    1,\n    2\n  ]\n}"),
        ("/problem", "{\n  \"a\": 1\n}"),
        ("/text", "<b>not html</b>"),
        ("/md", "# Title\n\n*x*"),
        ("/readme.md", "# Readme"),
        ("/js", "let a = 1"),
        (
            "/rss",
            "# News\n\n## [First & best](http://x.example/1)\n\n*Mon, 01 Jan 2024 00:00:00 GMT*\n\nSome **text**",
        ),
        ("/svg", "<svg><text>x</text></svg>"),
        ("/png", "image/png"),
        ("/mislabelled", "image/png"),
        ("/untyped", "hello **you**"),
        ("/octet", "just text"),
        ("/xhtml", "text"),
        ("/empty", ""),
    ] {
        assert_eq!(read(&server, path).await.unwrap().0, expected, "{path}");
    }
    let blog = read(&server, "/atom").await.unwrap().0;
    assert_eq!(
        blog,
        format!(
            "# Blog\n\n## [Post]({})\n\n*2024-01-01*\n\n*hi*",
            server.url("/post")
        )
    );
}

#[tokio::test]
async fn pdf_documents_and_notebooks_are_read_as_text() {
    let pdf = include_bytes!("../../../../fixtures/documents/two-pages.pdf");
    let notebook = br##"{"cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# T"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"##;
    let server = Server::of(vec![
        ("/typed", typed("application/pdf", pdf)),
        ("/download", typed("application/octet-stream", pdf)),
        ("/a.ipynb", typed("application/json", notebook)),
        (
            "/typed-notebook",
            typed("application/x-ipynb+json", notebook),
        ),
        (
            "/not-one.pdf",
            typed(
                "application/pdf",
                b"<html><body><p>Please log in to read this.</p></body></html>",
            ),
        ),
    ]);
    let text = "PDF document \"A PDF\" of 2 pages.\n\n[page 1]\nHello from a PDF\n\n[page 2]\nsecond page\n";
    for path in ["/typed", "/download"] {
        assert_eq!(read(&server, path).await.unwrap().0, text, "{path}");
    }
    for path in ["/a.ipynb", "/typed-notebook"] {
        let content = read(&server, path).await.unwrap().0;
        assert_eq!(
            content, "Notebook of 1 cell, language python.\n\n[cell 1: markdown, id a]\n# T\n",
            "{path}"
        );
    }
    assert_eq!(
        read(&server, "/not-one.pdf").await.unwrap().0,
        "Please log in to read this."
    );
}

#[tokio::test]
async fn pdf_documents_without_text_are_reported_with_the_reason() {
    let encrypted =
        b"%PDF-1.4\n1 0 obj <</Type/Catalog>> endobj\ntrailer <</Root 1 0 R/Encrypt 2 0 R>>";
    let server = Server::of(vec![
        ("/encrypted", typed("application/pdf", encrypted)),
        ("/broken", typed("application/pdf", b"%PDF-1.7\n")),
    ]);
    for (path, code, reason) in [
        ("/encrypted", ErrorCode::BinaryFile, "encrypted"),
        ("/broken", ErrorCode::Syntax, "broken"),
    ] {
        let error = read(&server, path).await.unwrap_err();
        assert_eq!(error.code, code, "{path}");
        assert_eq!(
            error
                .details
                .get("reason")
                .and_then(|reason| reason.as_str()),
            Some(reason)
        );
    }
}

#[tokio::test]
async fn what_is_no_text_is_refused_by_name() {
    let server = Server::of(vec![
        ("/zip", typed("application/zip", b"PK\x03\x04xxxx")),
        ("/video", typed("video/mp4", b"\0\0\0\x18ftypmp42")),
        ("/elf", typed("text/plain", b"\x7fELF\x02\x01\x01")),
        ("/nul", typed("text/plain", b"a\0b\0c")),
    ]);
    for (path, name) in [
        ("/zip", "application/zip"),
        ("/video", "video/mp4"),
        ("/elf", "ELF program"),
        ("/nul", "text/plain"),
    ] {
        let error = read(&server, path).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::BinaryFile, "{path}");
        assert!(error.message.contains(name), "{}", error.message);
    }
}

#[tokio::test]
async fn statuses_are_errors_with_the_beginning_of_the_body() {
    let server = Server::of(vec![
        (
            "/404",
            page(
                "404 Not Found",
                &[("content-type", "text/html")],
                b"<h1>Gone fishing</h1><script>x()</script>",
            ),
        ),
        (
            "/403",
            page(
                "403 Forbidden",
                &[("content-type", "text/plain")],
                b"no bots",
            ),
        ),
        (
            "/429",
            page("429 Too Many Requests", &[("retry-after", "17")], b""),
        ),
        (
            "/503",
            page(
                "503 Service Unavailable",
                &[("content-type", "text/plain")],
                "x".repeat(5_000).as_bytes(),
            ),
        ),
        ("/302", page("302 Found", &[], b"")),
        (
            "/300",
            page(
                "300 Multiple Choices",
                &[("location", "/a"), ("content-type", "text/html")],
                b"<a href=/a>a</a> <a href=/b>b</a>",
            ),
        ),
        ("/304", page("304 Not Modified", &[], b"")),
    ]);
    let error = |path: &'static str| {
        let server = &server;
        async move { read(server, path).await.unwrap_err() }
    };
    let missing = error("/404").await;
    assert_eq!(
        (missing.code, missing.details["status"].as_u64()),
        (ErrorCode::NotFound, Some(404))
    );
    assert!(
        missing.message.contains("404 Not Found") && missing.message.contains("Gone fishing"),
        "{}",
        missing.message
    );
    assert!(!missing.message.contains("x()"));
    assert_eq!(error("/403").await.details["body"], "no bots");
    let busy = error("/429").await;
    assert_eq!(busy.details["retry_after_seconds"], 17);
    assert!(busy.message.contains("Try again in 17 seconds"));
    assert!(error("/503").await.message.len() < 2_000);
    let message_of =
        |path: &'static str, said: &str| format!("`{}` returned status {said}", server.url(path));
    for (path, said) in [
        (
            "/302",
            "302 Found. The redirect names no target. Check the URL.",
        ),
        (
            "/300",
            "300 Multiple Choices. The server offers several pages. Choose the URL of one of them. \
             The response begins with (untrusted content):\na b",
        ),
        (
            "/304",
            "304 Not Modified. The server sent no page, only that it has not changed. Try again later.",
        ),
    ] {
        assert_eq!(error(path).await.message, message_of(path, said));
    }
}

#[tokio::test]
async fn hostile_pages_are_read_in_bounded_time() {
    let nested = |tag: &str| {
        format!(
            "{}deepest{}",
            format!("<{tag}>").repeat(30_000),
            format!("</{tag}>").repeat(30_000)
        )
    };
    let formatting: String = (0..2_000)
        .map(|index| format!("<b id=a{index}><i>"))
        .collect();
    let paragraphs = "<p>x".repeat(5_000);
    let attributes: String = (0..3_000).map(|index| format!(" a{index}=1")).collect();
    let server = Server::of(vec![
        ("/div", html(&nested("div"))),
        ("/span", html(&nested("span"))),
        ("/blockquote", html(&nested("blockquote"))),
        ("/table", html(&nested("table><tr><td"))),
        ("/ul", html(&nested("ul><li"))),
        (
            "/svg",
            html(&format!("<p>deepest</p>{}", nested("svg><style"))),
        ),
        (
            "/unclosed",
            html(&format!("{}deepest", "<div>".repeat(100_000))),
        ),
        (
            "/formatting",
            html(&format!("{formatting}{paragraphs}deepest")),
        ),
        ("/attributes", html(&format!("<p{attributes}>deepest"))),
        ("/comment", html("deepest<!-- never closed")),
        ("/script", html("deepest<script>while(1){}")),
        (
            "/entities",
            html(&format!("deepest{}", "&amp".repeat(100_000))),
        ),
        (
            "/roots",
            html(&format!(
                "<div>deepest{}{}</div>",
                "<i>x</i>".repeat(20_000),
                "<template shadowrootmode=open><slot></slot></template>".repeat(20_000)
            )),
        ),
        (
            "/cells",
            html(&format!(
                "<pre><table><tr>{}<td>deepest",
                "<td class=lineno>1".repeat(50_000)
            )),
        ),
    ]);
    for path in [
        "/div",
        "/span",
        "/blockquote",
        "/table",
        "/ul",
        "/svg",
        "/unclosed",
        "/formatting",
        "/attributes",
        "/comment",
        "/script",
        "/entities",
        "/roots",
        "/cells",
    ] {
        let (markdown, plain) = read(&server, path).await.unwrap();
        assert!(
            markdown.contains("deepest") && plain.contains("deepest"),
            "{path}: {}",
            markdown.chars().take(200).collect::<String>()
        );
    }
}

#[tokio::test]
async fn a_page_with_nul_characters_is_read_without_them_and_they_are_counted() {
    let long = [b"<p>".as_slice(), &b"word \0".repeat(3_000), b"</p>"].concat();
    let server = Server::of(vec![
        (
            "/html",
            typed(
                "text/html",
                b"<!doctype html><h1>Ti\0tle</h1><p>bo\0dy, with some more words</p>",
            ),
        ),
        (
            "/untyped",
            page(
                "200 OK",
                &[],
                b"<!doctype html><p>a\0b and some more words in it</p>",
            ),
        ),
        // More than one byte in twenty is no slip of a server.
        ("/dense", typed("text/html", &long)),
        ("/data", typed("text/html", &[0_u8; 64])),
    ]);
    for (path, text, nuls) in [
        ("/html", "## Title\n\nbody, with some more words", 2),
        ("/untyped", "ab and some more words in it", 1),
    ] {
        let fetched = get(&open(&server), &server.url(path)).await.unwrap();
        let document = fetched.document().await.unwrap();
        assert_eq!(document.removed, Removed { nuls, escapes: 0 }, "{path}");
        assert_eq!(read(&server, path).await.unwrap().0, text, "{path}");
    }
    for path in ["/dense", "/data"] {
        let error = read(&server, path).await.unwrap_err();
        assert_eq!(
            error.message,
            format!(
                "The response of `{}` is labelled `text/html` ({} bytes), but it is not text.",
                server.url(path),
                if path == "/data" { 64 } else { long.len() }
            )
        );
    }
}

#[tokio::test]
async fn terminal_escapes_are_removed_from_texts_and_counted() {
    let log = b"\x1b]0;title\x07\x1b[31mred\x1b[0m \x1b]8;;http://x.example\x07link\x1b]8;;\x07\n"
        .repeat(40);
    let server = Server::of(vec![
        ("/log", typed("text/plain", &log)),
        ("/one", typed("text/markdown", b"# A \x1b[1mb")),
        ("/html", typed("text/html", b"<p>plain \x1b[2Jtext</p>")),
        // What is left of these is no text.
        ("/noise", typed("text/plain", &[7_u8; 100])),
    ]);
    for (path, text, escapes) in [
        ("/log", "red link\n".repeat(40), 200),
        ("/one", "# A b".to_owned(), 1),
        ("/html", "plain text".to_owned(), 1),
    ] {
        let fetched = get(&open(&server), &server.url(path)).await.unwrap();
        let document = fetched.document().await.unwrap();
        assert_eq!(document.removed, Removed { nuls: 0, escapes }, "{path}");
        assert_eq!(read(&server, path).await.unwrap().0, text, "{path}");
    }
    assert_eq!(
        read(&server, "/noise").await.unwrap_err().code,
        ErrorCode::BinaryFile
    );
    let spec = RequestSpec::new(server.url("/one"), None, [], None).unwrap();
    let response = open(&server).request(spec, &context()).await.unwrap();
    let (text, removed) = response_text(&response);
    assert_eq!(text, "# A b");
    let sentence = "1 terminal escape sequence was removed";
    assert_eq!(removed.sentence().as_deref(), Some(sentence));
}

#[test]
fn what_was_removed_is_reported_in_a_sentence() {
    let sentence = |nuls, escapes| Removed { nuls, escapes }.sentence();
    assert_eq!(sentence(0, 0), None);
    assert_eq!(
        sentence(1, 0).as_deref(),
        Some("1 NUL character was removed")
    );
    assert_eq!(
        sentence(3, 2).as_deref(),
        Some("3 NUL characters and 2 terminal escape sequences were removed")
    );
}

fn open(server: &Server) -> Fetcher {
    fetcher(&[server.entry()], FetchSettings::default())
}
