//! What a page says about itself: its title, what its links are relative to, where it refreshes to.

use dom_query::Document;
use html5ever::local_name;
use url::Url;

use super::dom::{attribute, name};

/// The title: of the page, else as it is shared, else its first heading.
pub(super) fn title(document: &Document) -> Option<String> {
    let mut shared = None;
    let mut heading = None;
    for node in document.root().descendants_it() {
        let Some(name) = name(&node) else { continue };
        match name {
            // Images have titles too; that of the page is in its head.
            local_name!("title") => {
                let in_image = node.ancestors_it(None).any(|node| node.has_name("svg"));
                let text = one_line(&node.text());
                if !in_image && !text.is_empty() {
                    return Some(text);
                }
            }
            local_name!("meta") if shared.is_none() => {
                let is_title = attribute(&node, local_name!("property"))
                    .or_else(|| attribute(&node, local_name!("name")))
                    .is_some_and(|name| matches!(name.as_str(), "og:title" | "twitter:title"));
                shared = attribute(&node, local_name!("content"))
                    .filter(|_| is_title)
                    .map(|title| one_line(&title));
            }
            local_name!("h1") if heading.is_none() => heading = Some(one_line(&node.text())),
            _ => {}
        }
    }
    shared
        .filter(|title| !title.is_empty())
        .or(heading.filter(|title| !title.is_empty()))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What relative links of the page are relative to.
pub(super) fn base(document: &Document, url: &Url) -> Url {
    let declared = document.root().descendants_it().find_map(|node| {
        (name(&node)? == local_name!("base"))
            .then(|| attribute(&node, local_name!("href")))
            .flatten()
    });
    let base = declared.and_then(|href| url.join(href.trim()).ok());
    base.filter(|base| matches!(base.scheme(), "http" | "https"))
        .unwrap_or_else(|| url.clone())
}

/// The address of a `<meta http-equiv="refresh">` that leads on at once (at most a few seconds) to another page.
pub(super) fn refresh(document: &Document) -> Option<String> {
    document.root().descendants_it().find_map(|node| {
        if name(&node)? != local_name!("meta") {
            return None;
        }
        let is_refresh = attribute(&node, local_name!("http-equiv"))?
            .trim()
            .eq_ignore_ascii_case("refresh");
        is_refresh
            .then(|| attribute(&node, local_name!("content")))
            .flatten()
            .and_then(|content| refresh_of(&content))
    })
}

/// Seconds after which a refresh counts as a redirect.
const AT_ONCE_SECONDS: f64 = 5.0;

/// The `content` of a refresh: `0; url=next.html`, with or without quotes.
fn refresh_of(content: &str) -> Option<String> {
    let content = content.trim();
    let end = content
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(content.len());
    let (seconds, rest) = content.split_at(end);
    if seconds.parse::<f64>().ok()? > AT_ONCE_SECONDS {
        return None;
    }
    let rest = rest.trim_start_matches([';', ',', ' ', '\t', '\n', '\r']);
    let rest = match rest.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("url") => {
            let after = rest.get(3..)?.trim_start();
            after.strip_prefix('=').map_or(rest, str::trim_start)
        }
        _ => rest,
    };
    let target = match rest.chars().next()? {
        quote @ ('"' | '\'') => rest.get(1..)?.split(quote).next()?,
        _ => rest,
    };
    let target = target.trim();
    (!target.is_empty()).then(|| target.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_is_read_as_browsers_read_it() {
        let table = [
            ("0; url=/next", Some("/next")),
            (
                "0;URL='https://example.com/a b'",
                Some("https://example.com/a b"),
            ),
            ("  3 , url = \"x\" y", Some("x")),
            ("0 /plain", Some("/plain")),
            ("0;url", Some("url")),
            ("5;url=x", Some("x")),
            ("30;url=x", None),
            ("0", None),
            ("0;url=", None),
            ("now;url=x", None),
            ("", None),
        ];
        for (content, expected) in table {
            assert_eq!(refresh_of(content).as_deref(), expected, "{content}");
        }
    }
}
