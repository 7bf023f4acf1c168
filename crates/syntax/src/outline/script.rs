//! bash.

use tree_sitter::Node;

use super::symbol::{FoundSymbol, NodeContext, SymbolKind};

pub(super) fn find<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Vec<FoundSymbol<'t>> {
    let kind = match node.kind() {
        "function_definition" => SymbolKind::Function,
        "variable_assignment"
            if matches!(around.parent_kind(), "program" | "declaration_command") =>
        {
            let name = node
                .child_by_field_name("name")
                .map(|name| around.text(name));
            if around.inside.is_some() || name.is_none_or(|name| around.is_reported_already(name)) {
                return Vec::new();
            }
            SymbolKind::Variable
        }
        _ => return Vec::new(),
    };
    FoundSymbol::by_fields(kind, node, node)
        .into_iter()
        .collect()
}
