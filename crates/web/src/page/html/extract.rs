//! Which part of a page is the page.
//!
//! Readability is right about articles and wrong about much of what coding agents read: reference
//! pages, forums, indexes. So its answer is checked against the page, and where too much is missing
//! the main part, or the whole body without its navigation, is taken instead. A page is never lost.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use dom_query::{Document, NodeRef};
use dom_smoothie::{Config, Readability};
use html5ever::{LocalName, local_name};
use tenon_contract::limits;

use super::dom::{attribute, letters, letters_below, name, text};
use super::parse::parse;

/// The least share of the letters of a page that an article must have, in percent.
const LEAST_SHARE_PERCENT: usize = 25;
/// The fewest letters of an article.
const FEWEST_LETTERS: usize = 250;

/// The tree that holds what is to be read.
pub(super) fn content(document: &Document) -> Document {
    let page = Content::measure(&document.root());
    let article = if page.work > limits::WEB_EXTRACT_MAX_WORK {
        None
    } else {
        article(document)
    };
    if let Some(article) = article {
        let kept = Content::measure(&article.root());
        if kept.is_enough_of(&page) && keeps_headings(&article, document) {
            return article;
        }
    }
    let rest = document.clone();
    remove_surroundings(&rest);
    match main_part(&rest) {
        Some(main) if Content::measure(&main).is_enough_of(&page) => main.to_fragment(),
        _ => rest,
    }
}

/// What Readability takes for the article. A panic in it is an article that was not found.
fn article(document: &Document) -> Option<Document> {
    let config = Config {
        keep_classes: true,
        disable_json_ld: true,
        ..Config::default()
    };
    let copy = document.clone();
    keep_parts_of_text(&copy);
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        let mut readability = Readability::with_document(copy, None, Some(config)).ok()?;
        readability.parse().ok()
    }));
    let article = parsed.ok().flatten()?;
    Some(parse(&article.content).document)
}

/// Words of classes of notes that stand beside a text and belong to it.
const NOTES: &[&str] = &[
    "admonition",
    "alert",
    "callout",
    "caution",
    "danger",
    "important",
    "info",
    "note",
    "notice",
    "tip",
    "warning",
];

/// Words of classes of what is no part of a text, whatever else it is called: `cookie-notice`, `site-alert`.
const AROUND: &[&str] = &[
    "ad",
    "ads",
    "banner",
    "consent",
    "cookie",
    "cookies",
    "gdpr",
    "newsletter",
    "popup",
    "promo",
    "related",
    "sidebar",
    "site",
    "sponsor",
    "subscribe",
];

/// Takes from headings and terms the names by which Readability strikes out elements (`comments`, `header`, `related`): there they
/// are anchors, `<h3 id="related">`. Notes become plain parts: it strikes out every `aside`.
fn keep_parts_of_text(document: &Document) {
    for node in document.root().descendants() {
        match name(&node) {
            Some(
                local_name!("h1")
                | local_name!("h2")
                | local_name!("h3")
                | local_name!("h4")
                | local_name!("h5")
                | local_name!("h6")
                | local_name!("dt")
                | local_name!("dd")
                | local_name!("summary"),
            ) => {
                node.remove_attr("id");
                node.remove_attr("class");
            }
            Some(local_name!("aside")) if is_note(&node) => {
                node.rename("div");
                node.remove_attr("id");
                node.remove_attr("class");
            }
            _ => {}
        }
    }
}

fn is_note(node: &NodeRef<'_>) -> bool {
    attribute(node, local_name!("class")).is_some_and(|classes| {
        let classes = classes.to_ascii_lowercase();
        let words = || classes.split(|letter: char| !letter.is_ascii_alphanumeric());
        words().any(|word| NOTES.contains(&word)) && !words().any(|word| AROUND.contains(&word))
    })
}

/// How much there is to read in a tree.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Content {
    letters: usize,
    /// Those of them that are in links.
    linked: usize,
    /// Blocks of code.
    code: usize,
    /// Letters times the depth they stand at: what it costs to weigh every element by its text.
    work: usize,
}

impl Content {
    /// Counts what stands below a node, outside of navigation and the like.
    fn measure(root: &NodeRef<'_>) -> Self {
        let mut content = Self::default();
        each_node(root, |node, depth, is_linked| {
            content.count(node, depth, is_linked)
        });
        content
    }

    fn count(&mut self, node: &NodeRef<'_>, depth: usize, is_linked: bool) {
        match name(node) {
            Some(local_name!("pre")) => self.code += 1,
            Some(_) => {}
            None => {
                let letters = letters(node);
                self.letters += letters;
                self.linked += if is_linked { letters } else { 0 };
                self.work += letters * depth;
            }
        }
    }

    /// Letters outside of links. Teasers and menus are mostly links, articles are not.
    fn prose(&self) -> usize {
        self.letters - self.linked
    }

    /// Whether not too much of the page is missing.
    fn is_enough_of(&self, page: &Self) -> bool {
        let share = |kept: usize, all: usize| kept * 100 >= all * LEAST_SHARE_PERCENT;
        // An index is made of links; everything else of prose.
        let is_index = page.prose() * 2 < page.letters && self.linked * 2 > self.letters;
        let enough_text = self.letters >= FEWEST_LETTERS.min(page.letters)
            && share(self.prose(), page.prose())
            && (!is_index || share(self.letters, page.letters));
        // Reference pages consist of headings and code, which Readability takes for decoration.
        let keeps_code = page.code < 3 || self.code * 2 >= page.code;
        enough_text && keeps_code
    }
}

/// The fewest letters of a text that is known by them.
const KNOWN_LETTERS: usize = 20;
/// The most headings that an article may lose however few it has: teasers stand between the parts of a text as well.
const MOST_LOST: usize = 4;

/// Whether an article has most of the headings that the page has between its first text and its last one: signatures of reference
/// pages, for one, which Readability takes for decoration. What stands before and behind it are teasers and comments.
fn keeps_headings(article: &Document, page: &Document) -> bool {
    let mut texts = HashSet::new();
    let mut kept = 0;
    for part in Part::all(&article.root()) {
        match part {
            Part::Heading => kept += 1,
            Part::Text(text) => drop(texts.insert(text)),
        }
    }
    let (mut headings, mut before, mut within) = (0, None, 0);
    for part in Part::all(&page.root()) {
        match part {
            Part::Heading => headings += 1,
            // A text that comes again is a teaser of the first.
            Part::Text(text) if texts.remove(&text) => {
                within = headings - *before.get_or_insert(headings);
            }
            Part::Text(_) => {}
        }
    }
    kept + MOST_LOST >= within || kept * 4 >= within * 3
}

/// What a text is known by.
enum Part {
    /// A heading of the second level or below.
    Heading,
    /// A text of some length.
    Text(String),
}

impl Part {
    /// In the order of the page, without what stands around its content.
    fn all(root: &NodeRef<'_>) -> Vec<Self> {
        let mut parts = Vec::new();
        each_node(root, |node, _, _| match name(node) {
            Some(name) if is_heading(&name) => parts.push(Self::Heading),
            Some(_) => {}
            None if letters(node) >= KNOWN_LETTERS => {
                parts.push(Self::Text(text(node).unwrap_or_default().trim().to_owned()));
            }
            None => {}
        });
        parts
    }
}

fn is_heading(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("h2") | local_name!("h3") | local_name!("h4") | local_name!("h5")
    )
}

/// Every node below this one in the order of the page, with its depth and whether it is in a link; without what stands around the
/// content of a page.
fn each_node<'a>(root: &NodeRef<'a>, mut take: impl FnMut(&NodeRef<'a>, usize, bool)) {
    let mut depth = 0_usize;
    // The depth of the link that is open.
    let mut link: Option<usize> = None;
    let mut next = root.first_child();
    while let Some(node) = next {
        let skipped = is_surrounding(&node);
        link = link.filter(|above| depth > *above);
        if link.is_none() && node.has_name("a") {
            link = Some(depth);
        }
        if !skipped {
            take(&node, depth, link.is_some());
        }
        let inner = if skipped { None } else { node.first_child() };
        next = match inner {
            Some(inner) => {
                depth += 1;
                Some(inner)
            }
            None => following(node, root, &mut depth),
        };
    }
}

/// The next node outside of this one and still below `root`.
fn following<'a>(node: NodeRef<'a>, root: &NodeRef<'a>, depth: &mut usize) -> Option<NodeRef<'a>> {
    let mut node = node;
    loop {
        if let Some(sibling) = node.next_sibling() {
            return Some(sibling);
        }
        node = node.parent().filter(|parent| parent.id != root.id)?;
        *depth = depth.saturating_sub(1);
    }
}

/// What stands around the content of a page on all its pages.
fn is_surrounding(node: &NodeRef<'_>) -> bool {
    let Some(name) = name(node) else { return false };
    match name {
        local_name!("nav") | local_name!("footer") | local_name!("head") => true,
        // Headers and asides inside of an article belong to it.
        local_name!("header") | local_name!("aside") => !node
            .ancestors_it(None)
            .any(|above| above.has_name("article") || above.has_name("main")),
        _ => attribute(node, local_name!("role")).is_some_and(|role| {
            matches!(
                role.as_str(),
                "navigation" | "banner" | "contentinfo" | "search" | "dialog" | "alertdialog"
            )
        }),
    }
}

fn remove_surroundings(document: &Document) {
    let all = document.root().descendants();
    let mut surroundings: Vec<NodeRef<'_>> = all.into_iter().filter(is_surrounding).collect();
    let page = letters_below(&document.root());
    let gone: usize = surroundings.iter().map(letters_below).sum();
    // Some pages are nothing but navigation.
    if gone * 10 > page * 9 {
        surroundings.retain(|node| node.has_name("head"));
    }
    for node in surroundings {
        node.remove_from_parent();
    }
}

/// The part that the page calls its main one.
fn main_part(document: &Document) -> Option<NodeRef<'_>> {
    document.root().descendants().into_iter().find(|node| {
        node.has_name("main")
            || attribute(node, local_name!("role")).is_some_and(|role| role == "main")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of what is left of a page, each run of blanks as one.
    fn left_of(html: &str) -> String {
        let text = content(&parse(html).document).root().text().to_string();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn headings_and_notes_of_a_text_stay_whatever_their_names_are() {
        let prose =
            "Enough words of prose so that it is an article, with commas, and more. ".repeat(4);
        let page = format!(
            "<title>T</title><nav>Menu</nav><main><h1>npmrc</h1><p>{prose}</p>\
             <h4 id='comments'>Comments</h4><p>{prose}</p>\
             <h3 id='auth-related-configuration'>Auth</h3><p>{prose}</p>\
             <h4 class='code-header'>fn next()</h4><p>{prose}</p>\
             <aside class='warning'>This deletes all data.</aside><p>{prose}</p>\
             <aside class='cookie-notice'>We use cookies.</aside></main>\
             <footer>Imprint</footer>"
        );
        let prose = prose.trim();
        assert_eq!(
            left_of(&page).replace(prose, "…"),
            "npmrc… Comments… Auth… fn next()… This deletes all data.…"
        );
    }

    #[test]
    fn teasers_with_headings_around_an_article_do_not_come_with_it() {
        let prose =
            "Enough words of prose so that it is an article, with commas, and more. ".repeat(4);
        let text = format!("<p>{prose}</p>").repeat(4);
        let teasers =
            "<div class='card'><h3>Teaser</h3><p>What one reads elsewhere.</p></div>".repeat(8);
        let page = format!(
            "<title>T</title><div class='top'>{teasers}</div><div class='story'><h1>Title</h1>{text}<h2>Part</h2>{text}</div>\
             <div class='more'>{teasers}</div>"
        );
        let left = left_of(&page);
        assert!(left.contains("Part") && !left.contains("Teaser"), "{left}");
    }
}
