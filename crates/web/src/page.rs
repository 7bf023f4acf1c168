//! From an answer to what a model can read.

mod charset;
mod feed;
mod html;
mod json;
mod media_type;
mod model;
mod notebook;
mod print;

use std::borrow::Cow;

use reqwest::header::{CONTENT_TYPE, HeaderValue};
use tenon_contract::{ErrorCode, NextStep, ToolError, strip_escapes_counted};
use tenon_document::read_pdf;

use crate::address::WebUrl;
use crate::request::{Missing, Response};
use crate::visible;
use media_type::{Kind, MediaType};

/// What an answer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its title, when it has one.
    pub title: Option<String>,
    /// The type that it was read as, such as `text/html`.
    pub media_type: String,
    /// What it says.
    pub content: Content,
    /// Whether it was read to its end.
    pub whole: bool,
    /// What was removed from its text.
    pub removed: Removed,
}

/// What no page has for its readers, and what was therefore removed from its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Removed {
    /// NUL characters.
    pub nuls: usize,
    /// Escape sequences of terminals.
    pub escapes: usize,
}

impl Removed {
    /// What was removed, without a full stop; nothing where nothing was.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let part = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let nuls = part(self.nuls, "NUL character", "NUL characters");
        let escapes = part(
            self.escapes,
            "terminal escape sequence",
            "terminal escape sequences",
        );
        let verb = if self.nuls + self.escapes == 1 {
            "was"
        } else {
            "were"
        };
        let parts: Vec<String> = nuls.into_iter().chain(escapes).collect();
        (!parts.is_empty()).then(|| format!("{} {verb} removed", parts.join(" and ")))
    }

    /// The text without them.
    fn from(text: String) -> (String, Self) {
        let nuls = text.matches('\0').count();
        let text = if nuls > 0 {
            text.replace('\0', "")
        } else {
            text
        };
        let (plain, escapes) = strip_escapes_counted(&text);
        let removed = Self { nuls, escapes };
        match plain {
            Cow::Borrowed(_) => (text, removed),
            Cow::Owned(plain) => (plain, removed),
        }
    }
}

/// What a document says. Texts have what cannot be seen escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text {
        /// As Markdown.
        markdown: String,
        /// Without marks.
        plain: String,
    },
    /// An image.
    Image {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Such as `image/png`.
        mime_type: String,
    },
}

/// Whether anything can be made of an answer, by its headers alone.
pub(crate) fn can_be_read(response: &Response) -> bool {
    !MediaType::of(response).is_hopeless() || response.status >= 300
}

/// Reads an answer.
///
/// # Errors
/// [`ErrorCode::BinaryFile`] for what is no text and no image that models see.
pub(crate) fn read(response: &Response) -> Result<Document, ToolError> {
    let media_type = MediaType::of(response);
    let kind = media_type.kind(response);
    // A part that nobody asked for is a part.
    let whole = response.missing.is_none() && response.status != 206;
    match &kind {
        Kind::Pdf => return pdf(response),
        Kind::Image(mime_type) => return image(response, media_type.essence(), mime_type),
        Kind::Binary(name) => return Err(refused(response, name)),
        _ => {}
    }
    let (text, removed) = source_of(response, &media_type, &kind);
    let feed = match &kind {
        Kind::Xml => feed::read(&text, response.url.as_url()),
        Kind::Html if feed::may_be_one(&text) => feed::read(&text, response.url.as_url()),
        _ => None,
    };
    if feed.is_none() && kind == Kind::Html {
        let mut document = read_page(&text, &response.url, media_type.syntax());
        media_type.essence().clone_into(&mut document.media_type);
        document.whole &= whole;
        document.removed = removed;
        return Ok(document);
    }
    let (title, markdown, plain) = match feed {
        Some(feed) => {
            let (markdown, plain) = (print::markdown(&feed.blocks), print::plain(&feed.blocks));
            (feed.title, markdown, plain)
        }
        None => {
            let (title, text) = as_text(text, &kind);
            (title, text.clone(), text)
        }
    };
    Ok(Document {
        title: title.map(|title| visible::line(&title, 300)),
        media_type: media_type.essence().to_owned(),
        content: Content::Text {
            markdown: visible::escaped(&markdown),
            plain: visible::escaped(&plain),
        },
        whole,
        removed,
    })
}

/// A text as it is shown, with its title.
fn as_text(text: String, kind: &Kind) -> (Option<String>, String) {
    match kind {
        Kind::Json => (None, json::indented(&text)),
        Kind::Notebook => {
            let shown = notebook::shown(&text).unwrap_or_else(|| json::indented(&text));
            (None, shown)
        }
        Kind::Markdown => (first_heading(&text), text),
        _ => (None, text),
    }
}

/// Reads bytes as an answer of `url` whose `Content-Type` is `content_type` (empty: the server did not say).
///
/// # Errors
/// [`ErrorCode::BinaryFile`] for what is no text and no image that models see.
pub fn read_bytes(body: &[u8], content_type: &str, url: &WebUrl) -> Result<Document, ToolError> {
    let value = HeaderValue::from_str(content_type).ok();
    read(&Response {
        url: url.clone(),
        status: 200,
        headers: value
            .map(|value| (CONTENT_TYPE, value))
            .into_iter()
            .collect(),
        body: body.to_vec(),
        missing: None,
    })
}

/// Reads a page in HTML that came from `url`, to which its links are relative. Total: every text has a reading.
#[must_use]
pub fn read_html(html: &str, url: &WebUrl) -> Document {
    read_page(html, url, html::Syntax::Html)
}

fn read_page(html: &str, url: &WebUrl, syntax: html::Syntax) -> Document {
    let page = html::read(html, url.as_url(), syntax);
    Document {
        title: page.title.map(|title| visible::line(&title, 300)),
        media_type: "text/html".to_owned(),
        content: Content::Text {
            markdown: visible::escaped(&print::markdown(&page.blocks)),
            plain: visible::escaped(&print::plain(&page.blocks)),
        },
        whole: page.whole,
        removed: Removed::default(),
    }
}

/// The decoded body as it stands, with what cannot be seen escaped, and what was removed from it.
pub(crate) fn source(response: &Response) -> Result<(String, Removed), ToolError> {
    let media_type = MediaType::of(response);
    match media_type.kind(response) {
        Kind::Binary(name) => Err(refused(response, &name)),
        Kind::Image(mime_type) => Err(refused(response, &mime_type)),
        Kind::Pdf => Err(refused(response, "a PDF document (application/pdf)")),
        kind => {
            let (text, removed) = source_of(response, &media_type, &kind);
            Ok((visible::escaped(&text), removed))
        }
    }
}

fn source_of(response: &Response, media_type: &MediaType, kind: &Kind) -> (String, Removed) {
    let declares = match kind {
        Kind::Html => charset::Declares::Html,
        Kind::Xml => charset::Declares::Xml,
        _ => charset::Declares::Nothing,
    };
    let cut = response.missing.is_some();
    Removed::from(charset::decode(
        &response.body,
        media_type.charset(),
        declares,
        response.url.host(),
        cut,
    ))
}

/// Where the head of a page leads on to at once.
pub(crate) fn refresh_target(response: &Response) -> Option<String> {
    /// A refresh stands at the very beginning of a page.
    const HEAD_BYTES: usize = 16 * 1024;
    let head = response.body.get(..HEAD_BYTES).unwrap_or(&response.body);
    let is_named = head.len() >= 7
        && head
            .windows(7)
            .any(|word| word.eq_ignore_ascii_case(b"refresh"));
    if response.status != 200 || !is_named {
        return None;
    }
    let media_type = MediaType::of(response);
    if media_type.kind(response) != Kind::Html {
        return None;
    }
    let charset = media_type.charset();
    let text = charset::decode(
        head,
        charset,
        charset::Declares::Html,
        response.url.host(),
        true,
    );
    html::refresh_target(&text, media_type.syntax())
}

/// The first lines of what an answer says, for an error about it; at most `most` characters.
pub(crate) fn beginning(response: &Response, most: usize) -> String {
    let media_type = MediaType::of(response);
    let kind = media_type.kind(response);
    let text = match kind {
        Kind::Binary(_) | Kind::Image(_) | Kind::Pdf => return String::new(),
        Kind::Html => html::visible_text(
            &source_of(response, &media_type, &kind).0,
            response.url.as_url(),
            media_type.syntax(),
        ),
        _ => source_of(response, &media_type, &kind).0,
    };
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let text = visible::escaped(&lines.join("\n"));
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// The text of a PDF document, as far as it came.
fn pdf(response: &Response) -> Result<Document, ToolError> {
    let url = response.url.to_string();
    let read = read_pdf(response.body.clone(), None, &|| false);
    let document = read.map_err(|error| match &response.missing {
        Some(_) => {
            let size = response.body.len();
            let message = format!(
                "Only {size} bytes of the PDF document `{url}` were received, too few to read it."
            );
            ToolError::new(ErrorCode::TooLarge, message)
                .with("url", url.clone())
                .then(download())
        }
        None => error.report(&url),
    })?;
    let text = visible::escaped(&document.text);
    Ok(Document {
        title: document.title.map(|title| visible::line(&title, 300)),
        media_type: "application/pdf".to_owned(),
        content: Content::Text {
            markdown: text.clone(),
            plain: text,
        },
        whole: response.missing.is_none() && document.left_out.is_none(),
        removed: Removed::default(),
    })
}

/// Images are passed on whole or not at all.
fn image(response: &Response, media_type: &str, mime_type: &str) -> Result<Document, ToolError> {
    if let Some(missing) = &response.missing {
        let why = match missing {
            Missing::Limit => format!("it is larger than {} bytes", response.body.len()),
            Missing::Lost(reason) => format!("it was not received in full ({reason})"),
            Missing::Unread => "it was not read".to_owned(),
        };
        let message = format!("The image `{}` cannot be shown: {why}.", response.url);
        return Err(
            ToolError::new(ErrorCode::TooLarge, message).with("url", response.url.to_string())
        );
    }
    Ok(Document {
        title: None,
        media_type: media_type.to_owned(),
        content: Content::Image {
            bytes: response.body.clone(),
            mime_type: mime_type.to_owned(),
        },
        whole: true,
        removed: Removed::default(),
    })
}

fn refused(response: &Response, name: &str) -> ToolError {
    let size = match response.header(reqwest::header::CONTENT_LENGTH) {
        Some("1") => " (1 byte)".to_owned(),
        Some(size) => format!(" ({size} bytes)"),
        None => String::new(),
    };
    // A bare type is code; the others are words.
    let shown = if name.contains(' ') || !name.contains('/') {
        name.to_owned()
    } else {
        format!("`{name}`")
    };
    let what = match name.starts_with("text/") {
        true => format!("is labelled {shown}{size}, but it is not text"),
        false => format!("is {shown}{size}, not text"),
    };
    let message = format!("The response of `{}` {what}.", response.url);
    ToolError::new(ErrorCode::BinaryFile, message)
        .with("url", response.url.to_string())
        .with("content_type", name)
        .then(download())
}

/// The way to what cannot be shown.
fn download() -> NextStep {
    NextStep::run_command("download it if you need it")
}

fn first_heading(markdown: &str) -> Option<String> {
    let heading = markdown
        .lines()
        .take(50)
        .find_map(|line| line.strip_prefix("# "))?;
    Some(heading.trim().to_owned())
}
