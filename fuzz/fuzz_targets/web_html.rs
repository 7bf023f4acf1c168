//! Whatever a server sends under whatever label: it is read or refused, and what is read holds nothing
//! that cannot be seen.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use tenon_web::{Content, WebUrl, escaped, passages, read_bytes};

/// An answer of a server.
#[derive(Debug, Arbitrary)]
struct Answer<'a> {
    kind: u8,
    charset: Option<&'a str>,
    body: &'a [u8],
}

const KINDS: [&str; 8] = [
    "text/html",
    "application/xhtml+xml",
    "",
    "application/rss+xml",
    "application/json",
    "text/markdown",
    "text/plain",
    "application/octet-stream",
];

fuzz_target!(|answer: Answer<'_>| {
    let kind = KINDS[usize::from(answer.kind) % KINDS.len()];
    let content_type = match answer.charset {
        Some(charset) => format!("{kind}; charset={charset}"),
        None => kind.to_owned(),
    };
    let url = WebUrl::parse("https://example.org/a/page.html").unwrap();
    let Ok(document) = read_bytes(answer.body, &content_type, &url) else {
        return;
    };
    if let Some(title) = &document.title {
        assert!(!title.contains('\n'), "{title:?}");
    }
    let Content::Text { markdown, plain } = &document.content else {
        return;
    };
    for text in [markdown, plain] {
        assert_eq!(&escaped(text), text, "something that cannot be seen is left");
    }
    let found = passages(markdown, "what does it say", 500);
    assert!(found.taken <= found.of);
});
