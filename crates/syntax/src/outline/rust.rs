//! Rust.

use tree_sitter::Node;

use super::symbol::{FoundSymbol, NodeContext, SymbolKind};

pub(super) fn find<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Vec<FoundSymbol<'t>> {
    found(node, around).into_iter().collect()
}

fn found<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Option<FoundSymbol<'t>> {
    let kind = match node.kind() {
        "function_item" | "function_signature_item" => around.function_kind(),
        "struct_item" | "union_item" => SymbolKind::Struct,
        "enum_item" => SymbolKind::Enum,
        "enum_variant" => SymbolKind::EnumMember,
        "trait_item" => SymbolKind::Interface,
        "mod_item" => SymbolKind::Module,
        "macro_definition" => SymbolKind::Macro,
        "type_item" | "associated_type" => SymbolKind::Type,
        "const_item" if !around.is_in_callable() => SymbolKind::Constant,
        "static_item" if !around.is_in_callable() => SymbolKind::Variable,
        "field_declaration" => SymbolKind::Field,
        "impl_item" => return implementation(node, around),
        _ => return None,
    };
    FoundSymbol::by_fields(kind, node, node)
}

/// `Display for Point`, or `Point`.
fn implementation<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Option<FoundSymbol<'t>> {
    let subject = node.child_by_field_name("type")?;
    let name = match node.child_by_field_name("trait") {
        Some(kind) => format!("{} for {}", around.text(kind), around.text(subject)),
        None => around.text(subject).to_owned(),
    };
    let found = FoundSymbol::new(SymbolKind::Implementation, subject, node).named(name);
    Some(found.with_body(node.child_by_field_name("body")))
}
