//! Python.

use tree_sitter::Node;

use super::symbol::{FoundSymbol, NodeContext, SymbolKind};

pub(super) fn find<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Vec<FoundSymbol<'t>> {
    found(node, around).into_iter().collect()
}

fn found<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Option<FoundSymbol<'t>> {
    match node.kind() {
        "class_definition" => {
            FoundSymbol::by_fields(SymbolKind::Class, node, around.whole(node, wraps))
        }
        "function_definition" => {
            let name = node.child_by_field_name("name")?;
            let kind = match around.function_kind() {
                SymbolKind::Method if around.text(name) == "__init__" => SymbolKind::Constructor,
                kind => kind,
            };
            FoundSymbol::by_fields(kind, node, around.whole(node, wraps))
        }
        "assignment"
            if !around.is_in_callable() && around.parent_kind() == "expression_statement" =>
        {
            let name = node
                .child_by_field_name("left")
                .filter(|left| left.kind() == "identifier")?;
            let text = around.text(name);
            // Of several assignments the first one is the definition.
            if around.is_reported_already(text) {
                return None;
            }
            let kind = match around.inside {
                Some(SymbolKind::Class) => SymbolKind::Field,
                _ if text.chars().any(char::is_uppercase)
                    && !text.chars().any(char::is_lowercase) =>
                {
                    SymbolKind::Constant
                }
                _ => SymbolKind::Variable,
            };
            Some(FoundSymbol::new(kind, name, node))
        }
        "type_alias_statement" => {
            let name = node.child_by_field_name("left")?;
            Some(FoundSymbol::new(SymbolKind::Type, name, node))
        }
        _ => None,
    }
}

fn wraps(node: Node<'_>) -> bool {
    node.kind() == "decorated_definition"
}
