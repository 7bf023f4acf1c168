//! Go.

use tree_sitter::Node;

use super::symbol::{FoundSymbol, NodeContext, SymbolKind, in_field, parts};

pub(super) fn find<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Vec<FoundSymbol<'t>> {
    match node.kind() {
        "function_declaration" => fields(SymbolKind::Function, node, node),
        "method_declaration" => FoundSymbol::by_fields(SymbolKind::Method, node, node)
            .map(|found| found.with_owner(receiver(node, around)))
            .into_iter()
            .collect(),
        "method_elem" => fields(SymbolKind::Method, node, node),
        "type_spec" | "type_alias" => {
            let value = node.child_by_field_name("type");
            let kind = match value.map(|value| value.kind()) {
                Some("struct_type") => SymbolKind::Struct,
                Some("interface_type") => SymbolKind::Interface,
                _ => SymbolKind::Type,
            };
            let whole = around.whole(node, wraps);
            FoundSymbol::by_fields(kind, node, whole)
                .map(|found| {
                    let body = value.filter(|_| kind != SymbolKind::Type);
                    found.with_body(body.and_then(|body| parts(body).last()))
                })
                .into_iter()
                .collect()
        }
        "const_spec" | "var_spec" if around.inside.is_none() => {
            let kind = if node.kind() == "const_spec" {
                SymbolKind::Constant
            } else {
                SymbolKind::Variable
            };
            names(kind, node, around)
        }
        "field_declaration" if around.inside == Some(SymbolKind::Struct) => {
            names(SymbolKind::Field, node, around)
        }
        _ => Vec::new(),
    }
}

fn fields<'t>(kind: SymbolKind, node: Node<'t>, whole: Node<'t>) -> Vec<FoundSymbol<'t>> {
    FoundSymbol::by_fields(kind, node, whole)
        .into_iter()
        .collect()
}

fn names<'t>(
    kind: SymbolKind,
    node: Node<'t>,
    around: &NodeContext<'_, 't>,
) -> Vec<FoundSymbol<'t>> {
    let whole = around.whole(node, wraps);
    let names = in_field(node, "name")
        .into_iter()
        .filter(|name| around.text(*name) != "_");
    names
        .map(|name| FoundSymbol::new(kind, name, whole))
        .collect()
}

/// A declaration without brackets is that of its only name.
fn wraps(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "type_declaration" | "const_declaration" | "var_declaration"
    ) && node
        .child(1)
        .is_some_and(|second| second.kind() != "(" && second.kind() != "var_spec_list")
}

/// `Server` of `func (s *Server[T]) …`.
fn receiver(node: Node<'_>, around: &NodeContext<'_, '_>) -> Option<String> {
    let list = node.child_by_field_name("receiver")?;
    let mut kind = parts(list).next()?.child_by_field_name("type")?;
    while kind.kind() != "type_identifier" {
        kind = match kind.kind() {
            "generic_type" => kind.child_by_field_name("type")?,
            _ => parts(kind).next()?,
        };
    }
    Some(around.text(kind).to_owned())
}
