//! What an answer is: by its header, its first bytes, and its name.

use reqwest::header::CONTENT_TYPE;
use tenon_contract::strip_escapes;

use super::html::Syntax;
use crate::request::Response;

/// A `Content-Type`, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MediaType {
    essence: String,
    charset: Option<String>,
}

/// How an answer is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Html,
    Markdown,
    Json,
    Xml,
    Text,
    /// A Jupyter notebook.
    Notebook,
    /// A PDF document.
    Pdf,
    /// An image that models see, by its type.
    Image(String),
    /// Anything else, by its name.
    Binary(String),
}

impl MediaType {
    pub(super) fn of(response: &Response) -> Self {
        let values = response.headers.get_all(CONTENT_TYPE).iter();
        let named = values
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(Self::read)
            .reduce(Self::behind);
        named.unwrap_or(Self {
            essence: String::new(),
            charset: None,
        })
    }

    /// One value of the header.
    fn read(value: &str) -> Self {
        let mut parts = value.split(';');
        let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim()
                .eq_ignore_ascii_case("charset")
                .then(|| value.trim().trim_matches(['"', '\'']).to_owned())
        });
        Self { essence, charset }
    }

    /// What two values in a row say: the last that is a type, as browsers read it (Fetch, “extract a MIME type”).
    fn behind(self, later: Self) -> Self {
        let is_type = later
            .essence
            .split_once('/')
            .is_some_and(|(group, name)| !group.is_empty() && !name.is_empty() && group != "*");
        if !is_type {
            return self;
        }
        let charset = later
            .charset
            .or_else(|| self.charset.filter(|_| self.essence == later.essence));
        Self {
            essence: later.essence,
            charset,
        }
    }

    /// Such as `text/html`; empty when the server did not say.
    pub(super) fn essence(&self) -> &str {
        &self.essence
    }

    /// How a page of this type is written.
    pub(super) fn syntax(&self) -> Syntax {
        match self.essence.as_str() {
            "application/xhtml+xml" => Syntax::Xhtml,
            _ => Syntax::Html,
        }
    }

    pub(super) fn charset(&self) -> Option<&str> {
        self.charset.as_deref()
    }

    /// Whether the type alone says that nothing can be made of the body.
    pub(super) fn is_hopeless(&self) -> bool {
        matches!(by_type(&self.essence), Some(Kind::Binary(_)))
    }

    pub(super) fn kind(&self, response: &Response) -> Kind {
        let body = &response.body;
        if let Some(kind) = by_signature(body).filter(|kind| !is_words(kind, body)) {
            // A picture in a vector format is text, whatever its first bytes.
            return kind;
        }
        if let Some(Kind::Binary(name)) = by_type(&self.essence) {
            return Kind::Binary(name);
        }
        let is_wide = encoding_rs::Encoding::for_bom(body).is_some()
            || self
                .charset()
                .is_some_and(|charset| charset.to_ascii_lowercase().starts_with("utf-16"))
            || matches!(body.as_slice(), [b'<', 0, ..] | [0, b'<', ..]);
        let is_html = match by_type(&self.essence) {
            Some(kind) => kind == Kind::Html,
            None => by_text(body) == Some(Kind::Html),
        };
        if !is_wide && looks_binary(body, is_html) {
            let name = if self.essence.is_empty() {
                "binary data"
            } else {
                &self.essence
            };
            return Kind::Binary(name.to_owned());
        }
        match by_type(&self.essence) {
            Some(kind @ (Kind::Text | Kind::Json)) => by_name(response).unwrap_or(kind),
            Some(kind) => kind,
            None => by_text(body)
                .or_else(|| by_name(response))
                .unwrap_or(Kind::Text),
        }
    }
}

fn by_type(essence: &str) -> Option<Kind> {
    let (group, name) = essence.split_once('/').unwrap_or((essence, ""));
    let kind = match (group, name) {
        ("text", "html") | ("application", "xhtml+xml") => Kind::Html,
        ("text", "markdown" | "x-markdown") => Kind::Markdown,
        ("text", "xml") | ("application", "xml") => Kind::Xml,
        ("text", "json") | ("application", "json" | "x-json") => Kind::Json,
        ("application", "x-ipynb+json") => Kind::Notebook,
        _ if name.ends_with("+json") => Kind::Json,
        _ if name.ends_with("+xml") => Kind::Xml,
        ("text", _) => Kind::Text,
        ("image", "png" | "jpeg" | "jpg" | "gif" | "webp" | "pjpeg" | "x-png") => {
            Kind::Image(essence.to_owned())
        }
        ("image" | "video" | "audio" | "font", _) => Kind::Binary(essence.to_owned()),
        // A PDF document is known by its first bytes.
        (
            "application",
            "octet-stream" | "x-download" | "force-download" | "binary" | "pdf" | "x-pdf" | "",
        ) => {
            return None;
        }
        ("application", name) if is_text(name) => Kind::Text,
        ("application", _) => Kind::Binary(essence.to_owned()),
        _ => return None,
    };
    Some(kind)
}

/// Types of programs and data that are text all the same.
fn is_text(name: &str) -> bool {
    let bare = name.strip_prefix("x-").unwrap_or(name);
    matches!(
        bare,
        "javascript"
            | "ecmascript"
            | "typescript"
            | "yaml"
            | "toml"
            | "sh"
            | "shellscript"
            | "sql"
            | "graphql"
            | "ndjson"
            | "jsonl"
            | "jsonlines"
            | "json-seq"
            | "json5"
            | "x-ndjson"
            | "www-form-urlencoded"
            | "httpd-php"
            | "php"
            | "perl"
            | "python"
            | "ruby"
            | "tex"
            | "latex"
            | "troff"
            | "csv"
            | "subrip"
            | "pem-file"
            | "pgp-signature"
            | "pgp-keys"
            | "protobuf-text"
            | "wat"
            | "dart"
            | "rust"
            | "lua"
            | "mbox"
            | "rtf"
            | "postscript"
            | "trig"
            | "n-triples"
            | "n-quads"
            | "sparql-query"
            | "x-patch"
            | "patch"
            | "diff"
            | "ld-json"
            | "manifest"
    )
}

/// Whether a signature is letters at the beginning of a text: `ID3 is an algorithm`, `SQLite features`. A PDF document may
/// be letters throughout.
fn is_words(kind: &Kind, body: &[u8]) -> bool {
    let head = body.get(..512).unwrap_or(body);
    *kind != Kind::Pdf
        && !head
            .iter()
            .any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
}

/// By the first bytes.
fn by_signature(body: &[u8]) -> Option<Kind> {
    let image = |name: &str| Some(Kind::Image(name.to_owned()));
    let binary = |name: &str| Some(Kind::Binary(name.to_owned()));
    match body {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, ..] => image("image/png"),
        [0xff, 0xd8, 0xff, ..] => image("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => image("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => image("image/webp"),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some(Kind::Pdf),
        [b'P', b'K', 3 | 5, 4 | 6, ..] => {
            binary("a ZIP archive or office document (application/zip)")
        }
        [0x1f, 0x8b, ..] => binary("a gzip archive (application/gzip)"),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => binary("a bzip2 archive (application/x-bzip2)"),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => binary("an xz archive (application/x-xz)"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => binary("a Zstandard archive (application/zstd)"),
        [b'7', b'z', 0xbc, 0xaf, ..] => binary("a 7z archive (application/x-7z-compressed)"),
        [0x7f, b'E', b'L', b'F', ..] => binary("an ELF program (application/x-elf)"),
        [0, b'a', b's', b'm', ..] => binary("a WebAssembly module (application/wasm)"),
        [b'S', b'Q', b'L', b'i', b't', b'e', b' ', b'f', ..] => {
            binary("a SQLite database (application/vnd.sqlite3)")
        }
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => binary("a video or image (ISO base media)"),
        [b'O', b'g', b'g', b'S', ..] => binary("an Ogg recording (audio/ogg)"),
        [b'I', b'D', b'3', ..] => binary("an MP3 recording (audio/mpeg)"),
        [b'w', b'O', b'F', b'F' | b'2', ..] => binary("a font (font/woff)"),
        _ => None,
    }
}

/// Whether there are bytes that no text has. Escape sequences of terminals are removed from texts, and single NUL bytes
/// from pages, as browsers do: broken servers send them.
fn looks_binary(body: &[u8], is_html: bool) -> bool {
    let head = body.get(..4096).unwrap_or(body);
    let text = String::from_utf8_lossy(head);
    let plain = strip_escapes(&text);
    let controls = plain
        .bytes()
        .filter(|byte| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f))
        .count();
    (head.contains(&0) && !is_html) || controls * 20 > head.len()
}

/// By the first letters, when the server did not say.
fn by_text(body: &[u8]) -> Option<Kind> {
    let head = body.get(..512).unwrap_or(body);
    let text = String::from_utf8_lossy(head);
    let text = text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .to_ascii_lowercase();
    let is_html = [
        "<!doctype html",
        "<html",
        "<head",
        "<body",
        "<script",
        "<title",
        "<div",
        "<p>",
        "<h1",
        "<table",
        "<!--",
    ]
    .iter()
    .any(|start| text.starts_with(start));
    if is_html {
        return Some(Kind::Html);
    }
    if text.starts_with("<?xml") || text.starts_with("<rss") || text.starts_with("<feed") {
        return Some(Kind::Xml);
    }
    let is_json = text.starts_with(['{', '['])
        && serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok();
    is_json.then_some(Kind::Json)
}

/// By the ending of the name.
fn by_name(response: &Response) -> Option<Kind> {
    let path = response.url.as_url().path().to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
    if ends(&[".md", ".markdown", ".mdx"]) {
        Some(Kind::Markdown)
    } else if ends(&[".ipynb"]) {
        Some(Kind::Notebook)
    } else if ends(&[".json"]) {
        Some(Kind::Json)
    } else {
        None
    }
}
