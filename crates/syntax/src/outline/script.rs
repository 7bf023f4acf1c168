//! bash.

use tree_sitter::Node;

use super::{Around, Found, SymbolKind};

pub(super) fn find<'t>(node: Node<'t>, around: &Around<'_, 't>) -> Vec<Found<'t>> {
    let kind = match node.kind() {
        "function_definition" => SymbolKind::Function,
        "variable_assignment"
            if matches!(around.parent_kind(), "program" | "declaration_command") =>
        {
            let name = node
                .child_by_field_name("name")
                .map(|name| around.text(name));
            if around.inside.is_some() || name.is_none_or(|name| around.is_told_already(name)) {
                return Vec::new();
            }
            SymbolKind::Variable
        }
        _ => return Vec::new(),
    };
    Found::by_fields(kind, node, node).into_iter().collect()
}
