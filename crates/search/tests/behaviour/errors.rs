//! What is said of bad input.

use tenon_contract::{Names, Operation, ToolError};
use tenon_search::{Control, FindRequest, Pattern, Scope, SearchError, file_types, find, grep};

use crate::tree::tree;

/// The names of the operation's own parameters, as `agent` has them.
struct OwnNames;

impl Names for OwnNames {
    fn tool(&self, _: Operation) -> Option<&str> {
        None
    }

    fn parameter<'n>(&'n self, field: &'n str) -> Option<&'n str> {
        Some(field)
    }
}

fn reported(pattern: Pattern) -> String {
    let tree = tree(&[]);
    let request = tenon_search::GrepRequest::new(tree.scope(), pattern);
    let error = grep(&request, &Control::default()).unwrap_err();
    ToolError::from(error).reported(&OwnNames).message
}

#[test]
fn a_bad_pattern_is_reported_with_its_place_and_the_next_step() {
    let said: Vec<String> = [
        "foo(",
        "[a",
        "a{2",
        "*",
        r"(?=x)",
        r"(a)\1",
        r"a\Kb",
        "(?>a)",
        r"a\Z",
        r"\p{Nope}",
        "日(",
        r"a\nb",
        "a\\",
    ]
    .map(|text| reported(Pattern::new(text)))
    .to_vec();
    assert_eq!(
        said,
        [
            r"`foo(` is not a valid regular expression: unclosed group (at character 4). To search for this text literally, set `literal: true` or write `foo\(`.",
            r"`[a` is not a valid regular expression: unclosed character class (at character 1). To search for this text literally, set `literal: true` or write `\[a`.",
            r"`a{2` is not a valid regular expression: unclosed counted repetition (at character 2). To search for this text literally, set `literal: true` or write `a\{2`.",
            r"`*` is not a valid regular expression: repetition operator missing expression (at character 1). To search for this text literally, set `literal: true` or write `\*`.",
            r"`(?=x)` is not a valid regular expression: look-around, including look-ahead and look-behind, is not supported (at character 1). Look-around (`(?=`, `(?!`, `(?<=`, `(?<!`) is not supported; search for the part that must be there and filter the matches.",
            r"`(a)\1` is not a valid regular expression: backreferences are not supported (at character 4). Back-references (`\1`) are not supported; search for the repeated part itself, or for a wider pattern and filter the matches.",
            r"`a\Kb` is not a valid regular expression: unrecognized escape sequence (at character 2). `\K` is not supported; match the whole and look at the part that is meant.",
            r"`(?>a)` is not a valid regular expression: unrecognized flag (at character 3). Atomic groups (`(?>`) are not supported and never needed here: matching takes linear time; write `(?:`.",
            r"`a\Z` is not a valid regular expression: unrecognized escape sequence (at character 2). Write `$` for the end of a line.",
            r"`\p{Nope}` is not a valid regular expression: Unicode property not found. To search for this text literally, set `literal: true` or write `\\p\{Nope\}`.",
            r"`日(` is not a valid regular expression: unclosed group (at character 2). To search for this text literally, set `literal: true` or write `日\(`.",
            r"`a\nb` is not a valid regular expression: it has a line break, but lines are searched one by one. To match across lines, set `multiline: true` or search for one of the lines.",
            r"`a\` is not a valid regular expression: incomplete escape sequence, reached end of pattern prematurely (at character 2). To search for this text literally, set `literal: true` or write `a\\`.",
        ]
    );
}

#[test]
fn a_pattern_too_large_to_compile_is_an_error() {
    let said = reported(Pattern::new(r"(\w{500}){500}"));
    assert!(said.contains("size limit"), "{said}");
}

#[test]
fn an_unknown_type_leads_to_those_that_are_like_it() {
    let tree = tree(&[]);
    let ask = |name: &str| {
        let mut request = tree.request("x");
        request.scope.types = vec![name.to_owned()];
        let error = grep(&request, &Control::default()).unwrap_err();
        ToolError::from(error).message
    };
    assert_eq!(
        ask("tsx"),
        "`tsx` is not a known file type. Did you mean `ts`, `typescript`?"
    );
    assert_eq!(
        ask("JavaScript"),
        "`JavaScript` is not a known file type. Did you mean `js`?"
    );
    assert_eq!(
        ask("qqq"),
        "`qqq` is not a known file type. Omit it, or filter by a glob such as `*.rs`."
    );
    assert!(file_types().iter().any(|known| known.name == "rust"));
}

#[test]
fn globs_that_do_not_parse_or_lead_out_are_refused() {
    let tree = tree(&[]);
    let ask = |pattern: &str| {
        let request = FindRequest::new(tree.scope(), pattern);
        find(&request, &Control::default()).unwrap_err().to_string()
    };
    let root = tree.root.display();
    assert_eq!(
        ["[a", "{a", "../x", "a/../../b", "*/../b", "", "./", "/etc/*.conf"].map(ask),
        [
            "`[a` cannot be used as a glob: a `[` is not closed.".to_owned(),
            "`{a` cannot be used as a glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?).".to_owned(),
            "`../x` cannot be used as a glob: `..` leads out of the searched directory; search that directory instead.".to_owned(),
            "`a/../../b` cannot be used as a glob: `..` leads out of the searched directory; search that directory instead.".to_owned(),
            "`*/../b` cannot be used as a glob: `..` cannot stand behind a pattern; omit both.".to_owned(),
            "`` cannot be used as a glob: it is empty.".to_owned(),
            "`./` cannot be used as a glob: it names the searched directory itself; use `**` for what is in it.".to_owned(),
            format!("`/etc/*.conf` cannot be used as a glob: it does not lie in `{root}`, which is searched; use a relative glob."),
        ]
    );
    let mut request = tree.request("x");
    request.scope.globs = vec!["*.{rs".to_owned()];
    let error = grep(&request, &Control::default()).unwrap_err();
    assert!(matches!(error, SearchError::Glob { glob, .. } if glob == "*.{rs"));
}

#[test]
fn a_root_that_cannot_be_searched_is_an_error_with_its_kind() {
    let tree = tree(&[("a.txt", "")]);
    let code = |root: &str| {
        let scope = Scope::new(&tree.root, tree.path(root));
        let error = find(&FindRequest::new(scope, "**"), &Control::default()).unwrap_err();
        ToolError::from(error).code.as_str()
    };
    assert_eq!(
        (code("gone"), code("a.txt")),
        ("not_found", "not_a_directory")
    );
}

#[cfg(unix)]
#[test]
fn a_root_that_is_a_link_or_a_fifo_is_refused() {
    let tree = tree(&[("real/a.txt", "x\n")]);
    crate::tree::link("real", tree.path("link"));
    let made = std::process::Command::new("mkfifo")
        .arg(tree.path("fifo"))
        .status()
        .unwrap();
    assert!(made.success());
    for root in ["link", "fifo"] {
        let mut request = tree.request("x");
        request.scope.root = tree.path(root);
        let error = grep(&request, &Control::default()).unwrap_err();
        assert!(matches!(error, SearchError::Root { .. }), "{root}");
    }
}
