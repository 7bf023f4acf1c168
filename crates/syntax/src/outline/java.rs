//! Java.

use tree_sitter::Node;

use super::symbol::{FoundSymbol, NodeContext, SymbolKind, in_field};

pub(super) fn find<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Vec<FoundSymbol<'t>> {
    let kind = match node.kind() {
        "class_declaration" => SymbolKind::Class,
        "interface_declaration" | "annotation_type_declaration" => SymbolKind::Interface,
        "enum_declaration" => SymbolKind::Enum,
        "record_declaration" => SymbolKind::Struct,
        "module_declaration" => SymbolKind::Module,
        "method_declaration" | "annotation_type_element_declaration" => SymbolKind::Method,
        "constructor_declaration" | "compact_constructor_declaration" => SymbolKind::Constructor,
        "enum_constant" => SymbolKind::EnumMember,
        "field_declaration" | "constant_declaration" if !around.is_in_callable() => {
            let kind = if is_constant(node, around) {
                SymbolKind::Constant
            } else {
                SymbolKind::Field
            };
            let names = in_field(node, "declarator");
            let names = names
                .into_iter()
                .filter_map(|one| one.child_by_field_name("name"));
            return names
                .map(|name| FoundSymbol::new(kind, name, node))
                .collect();
        }
        _ => return Vec::new(),
    };
    FoundSymbol::by_fields(kind, node, node)
        .into_iter()
        .collect()
}

fn is_constant(node: Node<'_>, around: &NodeContext<'_, '_>) -> bool {
    let modifiers = node.child(0).filter(|first| first.kind() == "modifiers");
    let has = |word| {
        modifiers.is_some_and(|modifiers| {
            around
                .text(modifiers)
                .split_whitespace()
                .any(|one| one == word)
        })
    };
    node.kind() == "constant_declaration" || (has("static") && has("final"))
}
