//! Feeds: RSS 0.9 to 2.0, RDF and Atom, as a list of what is new.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use url::Url;

use super::html;
use super::model::{Block, Inline};

/// Most entries of a feed that are read.
const MOST_ENTRIES: usize = 500;

/// What a feed says.
pub(super) struct Feed {
    pub(super) title: Option<String>,
    pub(super) blocks: Vec<Block>,
}

/// One entry, or the feed itself.
#[derive(Debug, Default)]
struct Entry {
    title: String,
    link: String,
    date: String,
    summary: String,
    content: String,
}

/// Whether what is called HTML may be a feed, as some servers call theirs.
pub(super) fn may_be_one(text: &str) -> bool {
    let text = text.trim_start();
    ["<?xml", "<rss", "<feed", "<rdf:"].iter().any(|start| {
        text.get(..start.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(start))
    })
}

/// Reads a feed; `None` for XML that is not one. Damage ends the feed where it is.
pub(super) fn read(text: &str, url: &Url) -> Option<Feed> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut path: Vec<String> = Vec::new();
    let mut is_feed = false;
    let mut channel = Entry::default();
    let mut entries: Vec<Entry> = Vec::new();
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(start) => {
                let name = local_name(&start);
                if path.is_empty() {
                    is_feed = matches!(name.as_str(), "rss" | "rdf" | "feed");
                }
                if !is_feed || path.len() > 64 {
                    break;
                }
                if matches!(name.as_str(), "item" | "entry") {
                    if entries.len() == MOST_ENTRIES {
                        break;
                    }
                    entries.push(Entry::default());
                }
                link(
                    &start,
                    &name,
                    current(&path, &name, &mut channel, &mut entries),
                );
                path.push(name);
            }
            Event::Empty(start) => {
                let name = local_name(&start);
                if is_feed {
                    link(
                        &start,
                        &name,
                        current(&path, &name, &mut channel, &mut entries),
                    );
                }
            }
            Event::End(_) => drop(path.pop()),
            Event::Text(text) => {
                add(&path, &text, &mut channel, &mut entries);
            }
            Event::CData(text) => {
                add(&path, &text, &mut channel, &mut entries);
            }
            Event::GeneralRef(name) => {
                add(&path, &reference(&name), &mut channel, &mut entries);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    is_feed.then(|| whole(&channel, &entries, url))
}

/// The feed and its entries as blocks.
fn whole(channel: &Entry, entries: &[Entry], url: &Url) -> Feed {
    let title = Some(one_line(&channel.title)).filter(|title| !title.is_empty());
    let mut blocks = Vec::new();
    if let Some(title) = &title {
        blocks.push(Block::Heading(1, vec![Inline::Text(title.clone())]));
    }
    blocks.extend(html::fragment(&channel.summary, url));
    for entry in entries {
        blocks.extend(reported(entry, url));
    }
    Feed { title, blocks }
}

fn local_name(start: &BytesStart<'_>) -> String {
    start.local_name().as_ref().to_ascii_lowercase()
}

/// The entry that an element belongs to, given what surrounds it.
fn current<'e>(
    path: &[String],
    name: &str,
    channel: &'e mut Entry,
    entries: &'e mut [Entry],
) -> Option<&'e mut Entry> {
    let in_entry = path
        .iter()
        .any(|name| matches!(name.as_str(), "item" | "entry"))
        || matches!(name, "item" | "entry");
    let in_image = path
        .iter()
        .any(|name| matches!(name.as_str(), "image" | "textinput" | "author" | "source"));
    match (in_entry, in_image) {
        (_, true) => None,
        (true, false) => entries.last_mut(),
        (false, false) => Some(channel),
    }
}

/// Atom: `<link href="…" rel="alternate">`.
fn link(start: &BytesStart<'_>, name: &str, entry: Option<&mut Entry>) {
    let (Some(entry), true) = (entry, name == "link") else {
        return;
    };
    let value = |wanted: &str| {
        let attribute = start.try_get_attribute(wanted).ok().flatten()?;
        Some(unescaped(&attribute.value))
    };
    let is_page = value("rel").is_none_or(|rel| rel == "alternate");
    if let Some(href) = value("href").filter(|_| is_page && entry.link.is_empty()) {
        entry.link = href;
    }
}

/// Text at this place.
fn add(path: &[String], text: &str, channel: &mut Entry, entries: &mut [Entry]) {
    let Some(entry) = current(path, "", channel, entries) else {
        return;
    };
    // The innermost element whose text is wanted; inside of XHTML content that is not the last one.
    let field = path.iter().rev().find_map(|name| match name.as_str() {
        "title" => Some(0),
        "link" | "guid" | "id" => Some(1),
        "pubdate" | "date" | "published" | "updated" => Some(2),
        "description" | "summary" | "subtitle" => Some(3),
        "encoded" | "content" => Some(4),
        _ => None,
    });
    let is_name_only = path
        .last()
        .is_some_and(|name| matches!(name.as_str(), "guid" | "id"));
    match field {
        Some(0) => entry.title.push_str(text),
        Some(1) if !is_name_only => entry.link.push_str(text),
        Some(1) if entry.link.is_empty() && text.starts_with("http") => entry.link.push_str(text),
        Some(2) if entry.date.is_empty() => entry.date.push_str(text.trim()),
        Some(3) => entry.summary.push_str(text),
        Some(4) => entry.content.push_str(text),
        _ => {}
    }
}

/// The letter of a predefined or numbered reference. Others are not expanded: that is how feeds explode.
fn reference(name: &str) -> String {
    let number = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => number.parse().ok(),
        },
        None => None,
    };
    match (name, number.and_then(char::from_u32)) {
        (_, Some(letter)) => letter.to_string(),
        ("lt", _) => "<".to_owned(),
        ("gt", _) => ">".to_owned(),
        ("amp", _) => "&".to_owned(),
        ("apos", _) => "'".to_owned(),
        ("quot", _) => "\"".to_owned(),
        _ => format!("&{name};"),
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        match after.split_once(';').filter(|(name, _)| name.len() <= 10) {
            Some((name, after)) => {
                out.push_str(&reference(name));
                rest = after;
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn reported(entry: &Entry, url: &Url) -> Vec<Block> {
    let title = one_line(&html_text(&entry.title, url));
    let title = if title.is_empty() {
        "Untitled".to_owned()
    } else {
        title
    };
    let link = url
        .join(entry.link.trim())
        .ok()
        .filter(|_| !entry.link.trim().is_empty());
    let heading = match link.filter(|link| matches!(link.scheme(), "http" | "https")) {
        Some(link) => Inline::Link(link.to_string(), vec![Inline::Text(title)]),
        None => Inline::Text(title),
    };
    let mut blocks = vec![Block::Heading(2, vec![heading])];
    let date = one_line(&entry.date);
    if !date.is_empty() {
        blocks.push(Block::Paragraph(vec![Inline::Emphasis(vec![
            Inline::Text(date),
        ])]));
    }
    let text = if entry.content.trim().is_empty() {
        &entry.summary
    } else {
        &entry.content
    };
    blocks.extend(html::fragment(text, url));
    blocks
}

/// Titles of feeds are HTML at times.
fn html_text(text: &str, url: &Url) -> String {
    if !text.contains(['<', '&']) {
        return text.to_owned();
    }
    super::print::plain(&html::fragment(text, url))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
