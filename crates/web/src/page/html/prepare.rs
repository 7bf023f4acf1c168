//! Writes into the tree what the search for the article would take from it: boxes that are ticked, and styles.

use dom_query::{Document, NodeRef};
use html5ever::{LocalName, local_name};

use super::dom::{attribute, is_block, name, text};
use super::style::is_shown_as_block;

/// The attribute that keeps the state of a box at its item.
const TICKED: &str = "aria-checked";

/// Keeps what is seen of a page in names and attributes that stay.
pub(super) fn prepare(document: &Document) {
    for node in document.root().descendants() {
        let Some(name) = name(&node) else { continue };
        if name == local_name!("li") {
            if let Some(ticked) = first_box(&node) {
                node.set_attr(TICKED, if ticked { "true" } else { "false" });
            }
        } else if !is_block(&name) && has_style_of_block(&node) {
            if name == local_name!("span") {
                node.rename("div");
            } else if can_be_wrapped(&name) {
                node.wrap_node(&document.tree.new_element("div"));
            }
        }
    }
}

/// The state of the box that an item begins with.
pub(super) fn ticked(item: &NodeRef<'_>) -> Option<bool> {
    match attribute(item, LocalName::from(TICKED))?.as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// The state of the box before the first word of an item.
fn first_box(item: &NodeRef<'_>) -> Option<bool> {
    let first = item.descendants_it().find(|node| {
        name(node) == Some(local_name!("input"))
            || text(node).is_some_and(|text| !text.trim().is_empty())
            || name(node) == Some(local_name!("li"))
    })?;
    (name(&first) == Some(local_name!("input"))).then(|| first.has_attr("checked"))
}

fn has_style_of_block(node: &NodeRef<'_>) -> bool {
    attribute(node, local_name!("style")).is_some_and(|style| is_shown_as_block(&style))
}

/// Parts of tables and lists of choices have their place in another element.
fn can_be_wrapped(name: &LocalName) -> bool {
    !matches!(
        *name,
        local_name!("br")
            | local_name!("col")
            | local_name!("colgroup")
            | local_name!("head")
            | local_name!("input")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("option")
            | local_name!("rp")
            | local_name!("rt")
            | local_name!("slot")
            | local_name!("title")
            | local_name!("wbr")
    )
}
