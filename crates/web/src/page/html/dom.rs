//! Small questions to a tree.

use dom_query::{NodeData, NodeRef};
use html5ever::{LocalName, local_name};

/// The name of an element.
pub(super) fn name(node: &NodeRef<'_>) -> Option<LocalName> {
    Some(node.element_ref()?.name.local.clone())
}

/// The text of a text node.
pub(super) fn text(node: &NodeRef<'_>) -> Option<String> {
    node.query(|node| match &node.data {
        NodeData::Text { contents } => Some(contents.to_string()),
        _ => None,
    })
    .flatten()
}

/// Letters of a text node that are no white space.
pub(super) fn letters(node: &NodeRef<'_>) -> usize {
    let count = |text: &str| {
        text.chars()
            .filter(|letter| !letter.is_whitespace())
            .count()
    };
    node.query(|node| match &node.data {
        NodeData::Text { contents } => count(contents),
        _ => 0,
    })
    .unwrap_or(0)
}

/// Letters below a node.
pub(super) fn letters_below(node: &NodeRef<'_>) -> usize {
    letters(node)
        + node
            .descendants_it()
            .map(|node| letters(&node))
            .sum::<usize>()
}

/// An attribute of an element.
pub(super) fn attribute(node: &NodeRef<'_>, name: LocalName) -> Option<String> {
    Some(node.element_ref()?.attr_ref(name)?.to_owned())
}

/// Whether an element has its own paragraph.
pub(super) fn is_block(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("address")
            | local_name!("article")
            | local_name!("aside")
            | local_name!("blockquote")
            | local_name!("body")
            | local_name!("caption")
            | local_name!("center")
            | local_name!("dd")
            | local_name!("details")
            | local_name!("dialog")
            | local_name!("dir")
            | local_name!("div")
            | local_name!("dl")
            | local_name!("dt")
            | local_name!("fieldset")
            | local_name!("figcaption")
            | local_name!("figure")
            | local_name!("footer")
            | local_name!("form")
            | local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
            | local_name!("header")
            | local_name!("hgroup")
            | local_name!("hr")
            | local_name!("html")
            | local_name!("legend")
            | local_name!("li")
            | local_name!("listing")
            | local_name!("main")
            | local_name!("menu")
            | local_name!("nav")
            | local_name!("ol")
            | local_name!("optgroup")
            | local_name!("p")
            | local_name!("plaintext")
            | local_name!("pre")
            | local_name!("search")
            | local_name!("section")
            | local_name!("summary")
            | local_name!("table")
            | local_name!("tbody")
            | local_name!("td")
            | local_name!("tfoot")
            | local_name!("th")
            | local_name!("thead")
            | local_name!("tr")
            | local_name!("ul")
            | local_name!("xmp")
    )
}
