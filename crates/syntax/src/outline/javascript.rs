//! JavaScript and TypeScript.

use tree_sitter::Node;

use super::symbol::{FoundSymbol, NodeContext, SymbolKind};

pub(super) fn find<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Vec<FoundSymbol<'t>> {
    found(node, around).into_iter().collect()
}

fn found<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Option<FoundSymbol<'t>> {
    let kind = match node.kind() {
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            SymbolKind::Function
        }
        "class_declaration" | "abstract_class_declaration" => SymbolKind::Class,
        "interface_declaration" => SymbolKind::Interface,
        "enum_declaration" => SymbolKind::Enum,
        "type_alias_declaration" => SymbolKind::Type,
        "internal_module" | "module" => SymbolKind::Module,
        "method_definition" | "method_signature" | "abstract_method_signature" => {
            let name = node.child_by_field_name("name")?;
            let is_constructor =
                around.inside == Some(SymbolKind::Class) && around.text(name) == "constructor";
            if is_constructor {
                SymbolKind::Constructor
            } else {
                SymbolKind::Method
            }
        }
        "property_signature" if around.inside == Some(SymbolKind::Interface) => SymbolKind::Field,
        "public_field_definition" | "field_definition" => return field(node, around),
        "enum_assignment" => SymbolKind::EnumMember,
        "property_identifier" if around.parent_kind() == "enum_body" => {
            return Some(FoundSymbol::new(SymbolKind::EnumMember, node, node));
        }
        "variable_declarator" => return variable(node, around),
        "assignment_expression" => return assignment(node, around),
        "pair" => return pair(node, around),
        _ => return None,
    };
    FoundSymbol::by_fields(kind, node, around.whole(node, wraps))
}

fn field<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Option<FoundSymbol<'t>> {
    let name = node
        .child_by_field_name("name")
        .or_else(|| node.child_by_field_name("property"))?;
    let value = node.child_by_field_name("value");
    let (kind, body) = match value.and_then(held) {
        Some((SymbolKind::Function, body)) => (SymbolKind::Method, body),
        Some(other) => other,
        None => (SymbolKind::Field, None),
    };
    Some(FoundSymbol::new(kind, name, around.whole(node, wraps)).with_body(body))
}

/// What a value makes of the name that it is given: a function or a class, and its body.
fn held(value: Node<'_>) -> Option<(SymbolKind, Option<Node<'_>>)> {
    let kind = match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" => SymbolKind::Function,
        "class" => SymbolKind::Class,
        _ => return None,
    };
    Some((kind, value.child_by_field_name("body")))
}

fn variable<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Option<FoundSymbol<'t>> {
    let name = node
        .child_by_field_name("name")
        .filter(|name| name.kind() == "identifier")?;
    let (kind, body) = match node.child_by_field_name("value").and_then(held) {
        Some(held) => held,
        None if around.inside.is_some_and(|kind| kind != SymbolKind::Module) => return None,
        None if !is_outside_of_blocks(around) => return None,
        None => {
            let keyword = around.parent()?.child(0)?.kind();
            let kind = if keyword == "const" {
                SymbolKind::Constant
            } else {
                SymbolKind::Variable
            };
            (kind, None)
        }
    };
    Some(FoundSymbol::new(kind, name, around.whole(node, wraps)).with_body(body))
}

/// What a block, a loop or a function without a name holds is no business of others.
fn is_outside_of_blocks(around: &NodeContext<'_, '_>) -> bool {
    around
        .ancestors
        .iter()
        .all(|ancestor| match ancestor.kind() {
            "program"
            | "export_statement"
            | "lexical_declaration"
            | "variable_declaration"
            | "ambient_declaration"
            | "internal_module"
            | "module"
            | "expression_statement" => true,
            "statement_block" => around.inside == Some(SymbolKind::Module),
            _ => false,
        })
}

/// `exports.run = function () {}` and `Cart.prototype.total = () => 0`.
fn assignment<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Option<FoundSymbol<'t>> {
    let left = node.child_by_field_name("left")?;
    let (kind, body) = node.child_by_field_name("right").and_then(held)?;
    let statement = around
        .parent()
        .filter(|parent| parent.kind() == "expression_statement")?;
    match left.kind() {
        "identifier" => Some(FoundSymbol::new(kind, left, statement).with_body(body)),
        "member_expression" => {
            let name = left.child_by_field_name("property")?;
            let owner = left
                .child_by_field_name("object")
                .map(|object| around.text(object).to_owned());
            Some(
                FoundSymbol::new(kind, name, statement)
                    .with_body(body)
                    .with_owner(owner),
            )
        }
        _ => None,
    }
}

/// A function in an object.
fn pair<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Option<FoundSymbol<'t>> {
    let key = node.child_by_field_name("key")?;
    let (kind, body) = node.child_by_field_name("value").and_then(held)?;
    let kind = if kind == SymbolKind::Function {
        SymbolKind::Method
    } else {
        kind
    };
    let name = around.text(key).trim_matches(['"', '\'']).to_owned();
    Some(
        FoundSymbol::new(kind, key, node)
            .with_body(body)
            .named(name),
    )
}

fn wraps(node: Node<'_>) -> bool {
    match node.kind() {
        "export_statement" | "ambient_declaration" => true,
        "lexical_declaration" | "variable_declaration" => node.named_child_count() == 1,
        // A namespace is an expression to the grammar.
        "expression_statement" => node
            .named_child(0)
            .is_some_and(|child| child.kind() == "internal_module"),
        _ => false,
    }
}
