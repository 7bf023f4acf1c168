//! JSON and CSS.

use tree_sitter::Node;

use super::symbol::{FoundSymbol, NodeContext, SymbolKind, parts};

pub(super) fn find<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Vec<FoundSymbol<'t>> {
    found(node, around).into_iter().collect()
}

fn found<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Option<FoundSymbol<'t>> {
    match node.kind() {
        // Of objects in lists nobody knows which one they are.
        "pair"
            if !around
                .ancestors
                .iter()
                .any(|ancestor| ancestor.kind() == "array") =>
        {
            let key = node.child_by_field_name("key")?;
            let value = node
                .child_by_field_name("value")
                .filter(|value| value.kind() == "object");
            let name = around.text(key).trim_matches('"').to_owned();
            Some(
                FoundSymbol::new(SymbolKind::Property, key, node)
                    .with_body(value)
                    .named(name),
            )
        }
        "rule_set" => {
            let body = parts(node).find(|part| part.kind() == "block");
            let selectors = parts(node).find(|part| part.kind() == "selectors")?;
            Some(FoundSymbol::new(SymbolKind::Rule, selectors, node).with_body(body))
        }
        "media_statement"
        | "supports_statement"
        | "keyframes_statement"
        | "at_rule"
        | "scope_statement" => {
            let body =
                parts(node).find(|part| matches!(part.kind(), "block" | "keyframe_block_list"));
            let end = body.map_or(node.end_byte(), |body| body.start_byte());
            let head = around.text.get(node.start_byte()..end)?.trim().to_owned();
            Some(
                FoundSymbol::new(SymbolKind::Rule, node, node)
                    .with_body(body)
                    .named(head),
            )
        }
        _ => None,
    }
}
