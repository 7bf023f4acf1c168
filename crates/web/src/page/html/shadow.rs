//! Shadow roots that a page declares: browsers show them in the place of the children of their host.
//!
//! The tree builder would keep a `template` out of the tree. So the parser gives such a template the name of an element that
//! may stand anywhere and is ended by its own end tag alone, as a template is; here it is put together with its host.

use std::collections::{HashMap, HashSet};

use dom_query::{Document, NodeId, NodeRef};
use html5ever::tokenizer::Tag;
use html5ever::{LocalName, local_name};

use super::dom::{attribute, name};

/// The name that a template has in the tree when it is a shadow root.
pub(super) const ROOT: LocalName = local_name!("marquee");
/// The attribute that makes a template a shadow root, open or closed.
const MODE: &str = "shadowrootmode";

/// Whether a start tag of a template declares a shadow root.
pub(super) fn is_declared(tag: &Tag) -> bool {
    tag.attrs
        .iter()
        .any(|attribute| *attribute.name.local == *MODE && is_mode(&attribute.value))
}

fn is_mode(value: &str) -> bool {
    value.eq_ignore_ascii_case("open") || value.eq_ignore_ascii_case("closed")
}

fn is_root(node: &NodeRef<'_>) -> bool {
    name(node) == Some(ROOT)
        && attribute(node, LocalName::from(MODE)).is_some_and(|mode| is_mode(&mode))
}

/// Puts every shadow root in the place of the children of its host, and those into its slots.
pub(super) fn compose(document: &Document) {
    let mut roots = Vec::new();
    let mut hosts = HashSet::new();
    // The first slot of each name of each root. Styles hold for their root alone, and there is no place for that here.
    let mut slots: HashMap<(NodeId, String), NodeId> = HashMap::new();
    for node in document.root().descendants() {
        let Some(name) = name(&node) else { continue };
        if is_root(&node) {
            // The first one of a host counts.
            let is_first = node.parent().is_some_and(|host| hosts.insert(host.id));
            roots.push((node, is_first));
        } else if matches!(name, local_name!("slot") | local_name!("style")) {
            let Some(root) = node.ancestors_it(None).find(is_root) else {
                continue;
            };
            if name == local_name!("style") {
                node.remove_from_parent();
                continue;
            }
            let called = attribute(&node, local_name!("name")).unwrap_or_default();
            slots.entry((root.id, called)).or_insert(node.id);
        }
    }
    // Inner ones first: what they are given may be a slot of an outer one.
    for (root, is_first) in roots.into_iter().rev() {
        match root.parent().filter(|host| is_first && can_host(host)) {
            Some(host) => fill(document, &host, &root, &slots),
            None => root.remove_from_parent(),
        }
    }
}

/// Whether an element is of a kind that can have a shadow root.
fn can_host(host: &NodeRef<'_>) -> bool {
    name(host).is_some_and(|name| {
        name.contains('-')
            || matches!(
                name,
                local_name!("article")
                    | local_name!("aside")
                    | local_name!("blockquote")
                    | local_name!("body")
                    | local_name!("div")
                    | local_name!("footer")
                    | local_name!("h1")
                    | local_name!("h2")
                    | local_name!("h3")
                    | local_name!("h4")
                    | local_name!("h5")
                    | local_name!("h6")
                    | local_name!("header")
                    | local_name!("main")
                    | local_name!("nav")
                    | local_name!("p")
                    | local_name!("section")
                    | local_name!("span")
            )
    })
}

fn fill(
    document: &Document,
    host: &NodeRef<'_>,
    root: &NodeRef<'_>,
    slots: &HashMap<(NodeId, String), NodeId>,
) {
    let mut filled = HashSet::new();
    for child in host.children() {
        if child.id == root.id {
            continue;
        }
        let wanted = child.attr("slot").unwrap_or_default().to_string();
        child.remove_from_parent();
        let slot = slots.get(&(root.id, wanted));
        let Some(slot) = slot.and_then(|slot| document.tree.get(slot)) else {
            continue;
        };
        // What is in a slot is shown when nothing is given to it.
        if filled.insert(slot.id) {
            slot.remove_children();
        }
        slot.append_child(&child);
    }
    for child in root.children() {
        root.insert_before(&child);
    }
    root.remove_from_parent();
}
