//! Pages in HTML: what a reader sees of them, as blocks.

mod build;
mod dom;
mod extract;
mod head;
mod hidden;
mod parse;
mod prepare;
mod shadow;
mod sink;
mod style;

use dom_query::Document;
use url::Url;

use super::model::Block;
pub(crate) use parse::Syntax;

/// What was read of a page.
#[derive(Debug)]
pub(crate) struct HtmlPage {
    pub(crate) title: Option<String>,
    pub(crate) blocks: Vec<Block>,
    /// Whether the page was read to its end.
    pub(crate) whole: bool,
}

/// Reads a page: hidden parts and surroundings gone, links absolute.
pub(crate) fn read(html: &str, url: &Url, syntax: Syntax) -> HtmlPage {
    let parsed = parse::parse_as(html, syntax);
    let title = head::title(&parsed.document);
    let base = head::base(&parsed.document, url);
    as_seen(&parsed.document);
    let content = extract::content(&parsed.document);
    HtmlPage {
        title,
        blocks: build::build(&content.root(), &base),
        whole: parsed.whole,
    }
}

/// A piece of HTML, such as the text of a feed.
pub(crate) fn fragment(html: &str, url: &Url) -> Vec<Block> {
    let parsed = parse::parse(html);
    as_seen(&parsed.document);
    build::build(&parsed.document.root(), url)
}

/// All the text of a page, surroundings too; for the beginning of an error page.
pub(crate) fn visible_text(html: &str, url: &Url, syntax: Syntax) -> String {
    let parsed = parse::parse_as(html, syntax);
    as_seen(&parsed.document);
    super::print::plain(&build::build(&parsed.document.root(), url))
}

/// Leaves of a page what its readers see.
fn as_seen(document: &Document) {
    shadow::compose(document);
    hidden::remove(document);
    prepare::prepare(document);
}

/// Where the head of a page leads on to at once.
pub(crate) fn refresh_target(html: &str, syntax: Syntax) -> Option<String> {
    head::refresh(&parse::parse_as(html, syntax).document)
}

#[cfg(test)]
mod tests;
