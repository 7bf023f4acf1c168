//! C and C++.

use tree_sitter::Node;

use super::symbol::{FoundSymbol, Name, NodeContext, SymbolKind, in_field};

pub(super) fn find<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Vec<FoundSymbol<'t>> {
    match node.kind() {
        "declaration" | "field_declaration" => declared(node, around),
        "type_definition" => defined_types(node, around),
        _ => found(node, around).into_iter().collect(),
    }
}

fn found<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Option<FoundSymbol<'t>> {
    let whole = || around.whole(node, wraps);
    match node.kind() {
        "function_definition" => {
            let found = named(node.child_by_field_name("declarator")?, whole(), around)?;
            Some(found.with_body(node.child_by_field_name("body")))
        }
        "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => {
            let body = node.child_by_field_name("body")?;
            if around.parent_kind() == "type_definition" {
                return None;
            }
            let name = node.child_by_field_name("name")?;
            Some(FoundSymbol::new(type_kind(node)?, name, whole()).with_body(Some(body)))
        }
        "enumerator" => FoundSymbol::by_fields(SymbolKind::EnumMember, node, node),
        "namespace_definition" => FoundSymbol::by_fields(SymbolKind::Module, node, node),
        "alias_declaration" => FoundSymbol::by_fields(SymbolKind::Type, node, whole()),
        "concept_definition" => FoundSymbol::by_fields(SymbolKind::Interface, node, whole()),
        "preproc_def" => {
            // The guard of a header is no name for anything.
            let is_guard = node.child_by_field_name("value").is_none();
            (!is_guard).then(|| FoundSymbol::by_fields(SymbolKind::Macro, node, node))?
        }
        "preproc_function_def" => FoundSymbol::by_fields(SymbolKind::Macro, node, node),
        _ => None,
    }
}

fn type_kind(node: Node<'_>) -> Option<SymbolKind> {
    Some(match node.kind() {
        "struct_specifier" | "union_specifier" => SymbolKind::Struct,
        "class_specifier" => SymbolKind::Class,
        "enum_specifier" => SymbolKind::Enum,
        _ => return None,
    })
}

/// Prototypes, members, and variables outside of functions.
fn declared<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Vec<FoundSymbol<'t>> {
    if around.is_in_callable() {
        return Vec::new();
    }
    let whole = around.whole(node, wraps);
    let declarators = in_field(node, "declarator");
    declarators
        .into_iter()
        .filter_map(|declarator| named(declarator, whole, around))
        .collect()
}

/// `typedef struct { … } Point;`
fn defined_types<'t>(node: Node<'t>, around: &NodeContext<'_, 't>) -> Vec<FoundSymbol<'t>> {
    let definition = node.child_by_field_name("type");
    let body = definition.and_then(|definition| definition.child_by_field_name("body"));
    let kind = definition
        .filter(|_| body.is_some())
        .and_then(type_kind)
        .unwrap_or(SymbolKind::Type);
    let declarators = in_field(node, "declarator");
    let names = declarators
        .into_iter()
        .filter_map(|declarator| named(declarator, node, around));
    names
        .map(|found| FoundSymbol { kind, ..found }.with_body(body))
        .collect()
}

/// What a declarator such as `*name(int)` declares.
fn named<'t>(
    declarator: Node<'t>,
    whole: Node<'t>,
    around: &NodeContext<'_, 't>,
) -> Option<FoundSymbol<'t>> {
    let mut node = declarator;
    let mut is_function = false;
    loop {
        is_function |= node.kind() == "function_declarator";
        // A pointer to a function is a variable.
        is_function &= node.kind() != "parenthesized_declarator";
        node = match node.child_by_field_name("declarator") {
            Some(inner) => inner,
            None if matches!(
                node.kind(),
                "reference_declarator" | "parenthesized_declarator" | "attributed_declarator"
            ) =>
            {
                super::symbol::parts(node).next()?
            }
            None => break,
        };
    }
    let mut owner: Option<String> = None;
    while node.kind() == "qualified_identifier" {
        let scope = node
            .child_by_field_name("scope")
            .map(|scope| around.text(scope))
            .unwrap_or_default();
        owner = Some(owner.map_or_else(|| scope.to_owned(), |outer| format!("{outer}::{scope}")));
        node = node.child_by_field_name("name")?;
    }
    let in_type = around.inside.is_some_and(SymbolKind::is_type);
    let kind = match (is_function, in_type || owner.is_some()) {
        (true, true) if is_constructor(node, owner.as_deref(), around) => SymbolKind::Constructor,
        (true, true) => SymbolKind::Method,
        (true, false) => SymbolKind::Function,
        (false, true) if in_type => SymbolKind::Field,
        (false, _) => SymbolKind::Variable,
    };
    let name = if node.kind() == "operator_cast" {
        Name::Said("operator".to_owned(), node)
    } else {
        Name::Of(node)
    };
    Some(FoundSymbol {
        kind,
        name,
        owner,
        whole,
        body: None,
    })
}

/// `Cart` in `class Cart`, and in `Cart::Cart`.
fn is_constructor(name: Node<'_>, owner: Option<&str>, around: &NodeContext<'_, '_>) -> bool {
    let name = around.text(name);
    let class = around
        .ancestors
        .iter()
        .rev()
        .find(|ancestor| type_kind(**ancestor).is_some());
    let class = class
        .and_then(|class| class.child_by_field_name("name"))
        .map(|name| around.text(name));
    let owner = owner.map(|owner| owner.rsplit("::").next().unwrap_or(owner));
    owner
        .or(class)
        .is_some_and(|class| class.split('<').next() == Some(name))
}

fn wraps(node: Node<'_>) -> bool {
    node.kind() == "template_declaration"
}
