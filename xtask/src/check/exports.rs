//! What the binding exports to JavaScript catches panics: one in a plain function would end Node.

use super::Violation;
use super::project::Project;
use super::source::{Source, closing};

pub(crate) fn check(project: &Project) -> Vec<Violation> {
    let binding = project
        .sources
        .iter()
        .filter(|source| source.path.starts_with("src/"));
    binding.flat_map(check_source).collect()
}

fn check_source(source: &Source) -> Vec<Violation> {
    let attributes = source.code.match_indices("#[").filter_map(|(at, _)| {
        let rest = source.code.get(at..)?;
        let end = closing(rest)?;
        let attribute = rest.get(2..end - 1)?;
        let path = attribute.split('(').next().unwrap_or_default().trim();
        let is_export = path == "napi" || path.ends_with("::napi");
        let name = function_name(rest.get(end..)?)?;
        (is_export && !attribute.contains("catch_unwind")).then_some((at, name))
    });
    let violations = attributes.map(|(at, name)| {
        let rule = format!("`{name}` is exported without `#[napi(catch_unwind)]`: a panic in it would end the process");
        Violation::new(&source.path, source.line(at), rule)
    });
    violations.collect()
}

/// The name of the function that the text begins with, behind further attributes and qualifiers.
fn function_name(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    while rest.starts_with("#[") {
        rest = rest.get(closing(rest)?..)?.trim_start();
    }
    if let Some(scope) = rest.strip_prefix("pub(") {
        rest = scope.split_once(')')?.1.trim_start();
    }
    let mut words = rest.split_whitespace();
    loop {
        match words.next()? {
            "fn" => break,
            "pub" | "async" | "unsafe" | "const" | "extern" => {}
            quoted if quoted.starts_with('"') => {}
            _ => return None,
        }
    }
    words.next()?.split(['(', '<']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_without_a_net_is_named() {
        let text = "\
#[napi]
pub struct A;
#[napi]
impl A {
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {}
    #[napi(constructor)]
    pub fn other() -> Self {}
    /// Docs.
    #[napi(catch_unwind, ts_return_type = \"a\")]
    #[allow(x)]
    pub fn good(#[napi(ts_arg_type = \"b\")] b: u8) {}
    #[napi]
    #[allow(x)]
    pub(crate) async fn bad<'a>() {}
}
#[napi_derive::napi]
fn plain() {}
";
        let project = Project::of(&[("src/a.rs", text), ("crates/a/src/b.rs", text)]);
        let reported: Vec<String> = check(&project).iter().map(ToString::to_string).collect();
        let rule =
            "is exported without `#[napi(catch_unwind)]`: a panic in it would end the process";
        assert_eq!(
            reported,
            [
                format!("src/a.rs:7: `other` {rule}"),
                format!("src/a.rs:13: `bad` {rule}"),
                format!("src/a.rs:17: `plain` {rule}"),
            ]
        );
    }
}
