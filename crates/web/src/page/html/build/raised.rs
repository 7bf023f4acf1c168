//! Superscripts of a page.

use dom_query::NodeRef;
use tenon_document::superscript;

/// What stands before and behind a superscript; references to notes stay as they are.
pub(super) fn marks(node: &NodeRef<'_>) -> Option<(&'static str, &'static str)> {
    let is_reference = node.descendants_it().any(|node| node.has_name("a"));
    superscript::marks(&node.text()).filter(|_| !is_reference)
}
