//! Takes out of a page what its readers do not see. Instructions for models like to hide there.

use dom_query::{Document, Element, NodeId, NodeRef};
use html5ever::local_name;

use super::dom::{is_block, letters_below, name};
use super::style::{Hiding, Stylesheet, hiding, paints};

/// Removes scripts, styles and other things without text of their own, and hidden elements. What is only *probably*
/// hidden (transparent until a script fades it in, hidden by a class) stays when it is most of the page.
pub(super) fn remove(document: &Document) {
    let sheet = Stylesheet::read(document);
    remove_all(
        document,
        &find(document, |_, element| is_machinery(element)),
    );
    let certain = find(document, |node, element| {
        is_hidden(element) && !is_root(node) || is_declared(node, element, Hiding::Certain)
    });
    remove_all(document, &certain);
    let probable = find(document, |node, element| {
        (is_declared(node, element, Hiding::Probable) && !(is_white(element) && is_on_paint(node)))
            || (sheet.hides(element) && !is_root(node))
    });
    let gone: usize = probable
        .iter()
        .filter_map(|id| document.tree.get(id))
        .map(|node| letters_below(&node))
        .sum();
    let all = letters_below(&document.root());
    if gone * 2 <= all {
        remove_all(document, &probable);
    }
    remove_fallbacks(document);
}

/// The outermost elements that a question is answered yes for.
fn find(document: &Document, is_meant: impl Fn(&NodeRef<'_>, &Element) -> bool) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut next = document.root().first_child();
    while let Some(node) = next {
        let meant = node
            .element_ref()
            .is_some_and(|element| is_meant(&node, &element));
        if meant {
            found.push(node.id);
        }
        let inner = if meant { None } else { node.first_child() };
        next = inner.or_else(|| following(node));
    }
    found
}

/// The next node that is not below this one, in the order of the document.
fn following(node: NodeRef<'_>) -> Option<NodeRef<'_>> {
    let mut node = node;
    loop {
        if let Some(sibling) = node.next_sibling() {
            return Some(sibling);
        }
        node = node.parent()?;
    }
}

fn remove_all(document: &Document, ids: &[NodeId]) {
    for id in ids {
        if let Some(node) = document.tree.get(id) {
            node.remove_from_parent();
        }
    }
}

fn is_root(node: &NodeRef<'_>) -> bool {
    name(node).is_some_and(|name| matches!(name, local_name!("html") | local_name!("body")))
}

/// Elements whose text is for machines, or that have none.
fn is_machinery(element: &Element) -> bool {
    let is_widget = matches!(
        element.name.local,
        local_name!("script")
            | local_name!("style")
            // Read by then; the one who looks for the article would make links of any scheme with it.
            | local_name!("base")
            | local_name!("template")
            | local_name!("canvas")
            | local_name!("svg")
            | local_name!("iframe")
            | local_name!("frame")
            | local_name!("object")
            | local_name!("embed")
            | local_name!("applet")
            | local_name!("audio")
            | local_name!("video")
            | local_name!("map")
            | local_name!("select")
            | local_name!("datalist")
            | local_name!("textarea")
            | local_name!("progress")
            | local_name!("meter")
    );
    let is_field = element.name.local == local_name!("input")
        && !element
            .attr_ref(local_name!("type"))
            .is_some_and(|kind| kind.eq_ignore_ascii_case("checkbox"));
    // A button that opens something is its heading; others are called `Copy`.
    let is_button = element.name.local == local_name!("button")
        && ["aria-expanded", "aria-controls"]
            .iter()
            .all(|name| element.attr(name).is_none());
    is_widget || is_field || is_button
}

/// What the attributes of an element hide by themselves.
fn is_hidden(element: &Element) -> bool {
    let hidden = element
        .attr_ref(local_name!("hidden"))
        .is_some_and(|value| !value.eq_ignore_ascii_case("until-found"));
    let is_main = matches!(
        element.name.local,
        local_name!("main") | local_name!("article")
    );
    let unanswered = element
        .attr_ref(local_name!("aria-hidden"))
        .is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let closed = element.name.local == local_name!("dialog")
        && element.attr_ref(local_name!("open")).is_none();
    hidden || (unanswered && !is_main) || closed
}

fn is_declared(node: &NodeRef<'_>, element: &Element, how: Hiding) -> bool {
    element
        .attr_ref(local_name!("style"))
        .is_some_and(|style| hiding(style, !is_block(&element.name.local)) == Some(how))
        && !is_root(node)
}

/// Whether it is hidden for the colour of its letters alone.
fn is_white(element: &Element) -> bool {
    let style = element.attr_ref(local_name!("style")).unwrap_or_default();
    hiding(&format!("{style};background:black"), false) != Some(Hiding::Probable)
}

/// Whether something around it has a colour behind it, on which white letters are seen.
fn is_on_paint(node: &NodeRef<'_>) -> bool {
    node.ancestors_it(None).any(|around| {
        around.element_ref().is_some_and(|element| {
            element.attr_ref(local_name!("bgcolor")).is_some()
                || element.attr_ref(local_name!("background")).is_some()
                || element.attr_ref(local_name!("style")).is_some_and(paints)
        })
    })
}

/// What stands for scripts that do not run is noise beside a page, but all there is of an empty one.
fn remove_fallbacks(document: &Document) {
    let fallbacks = find(document, |_, element| {
        element.name.local == local_name!("noscript")
    });
    let in_fallbacks: usize = fallbacks
        .iter()
        .filter_map(|id| document.tree.get(id))
        .map(|node| letters_below(&node))
        .sum();
    let body = document.body().map_or(0, |body| letters_below(&body));
    if body.saturating_sub(in_fallbacks) > 200 {
        remove_all(document, &fallbacks);
    }
}
