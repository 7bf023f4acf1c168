//! Files that a change of others may break: those that name them.
//!
//! Servers do not say who imports a file, and most of them only look at files that were opened. So files are looked for
//! that the same servers handle and that mention the changed file by its name, as imports and includes of all languages
//! do. Too many cost a little time, one too few is found by the one who asks for its diagnostics.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tenon_contract::{PathClaim, Visibility, limits};
use tenon_lsp::{LanguageServers, Role, ServerSpec};
use tenon_search::{Control, GrepMode, GrepRequest, Pattern, Scope, grep};

/// Names of files that are imported by the name of their directory.
const OF_DIRECTORY: &[&str] = &["index", "mod", "__init__"];
/// Names of files that nobody imports by name.
const OF_NOBODY: &[&str] = &["main", "lib", "__main__"];

/// The word by which other files name this one: `shape` of `src/shape.ts`, `shapes` of `shapes/index.ts`; of Go and its
/// like, where a directory is what is imported, that of the directory.
pub(super) fn word_of(file: &Path) -> Option<String> {
    let stem = file.file_stem()?.to_str()?;
    // `a.d.ts`, `a.module.css`.
    let stem = stem.split('.').next()?;
    let is_of_directory =
        OF_DIRECTORY.contains(&stem) || file.extension().is_some_and(|end| end == "go");
    let word = if is_of_directory {
        file.parent()?.file_name()?.to_str()?
    } else {
        stem
    };
    let is_name = word.chars().any(char::is_alphabetic);
    (is_name && !OF_NOBODY.contains(&word)).then(|| word.to_owned())
}

/// The files that name one of these, nearest first.
pub(super) async fn dependents(
    servers: &LanguageServers,
    changed: &[PathClaim],
    visibility: Option<Arc<dyn Visibility>>,
) -> Vec<PathClaim> {
    let root = servers.workspace().root().to_owned();
    let of_root = |claim: &&PathClaim| claim.target.starts_with(&root);
    let words: Vec<String> = changed
        .iter()
        .filter(of_root)
        .filter_map(|claim| word_of(&claim.target))
        .collect();
    if words.is_empty() {
        return Vec::new();
    }
    let specs = asked(servers, changed);
    let work = tenon_tools::in_any_case(move || naming(&root, &words));
    let found = work.await.unwrap_or_default();
    let is_handled = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or_default();
        specs.iter().any(|spec| spec.handles(name))
    };
    let located = found.iter().filter(is_handled).filter_map(|name| {
        let located = servers.workspace().locate(name).ok()?;
        Some(located.claim().clone())
    });
    let is_other = |claim: &PathClaim| changed.iter().all(|own| own.target != claim.target);
    let is_shown = |claim: &PathClaim| {
        let rules = visibility.as_deref();
        rules.is_none_or(|rules| !rules.hides(claim))
    };
    let mut dependents: Vec<PathClaim> = located
        .filter(|claim| is_other(claim) && is_shown(claim))
        .collect();
    dependents.sort_by_cached_key(|claim| (distance(claim, changed), claim.name.clone()));
    dependents.truncate(limits::LSP_AFTER_EDIT_DEPENDENTS_MAX);
    dependents
}

/// The servers that are asked about the changed files.
fn asked(servers: &LanguageServers, changed: &[PathClaim]) -> Vec<Arc<ServerSpec>> {
    let of = |claim: &PathClaim| {
        let name = claim.target.file_name().unwrap_or_default();
        servers.servers_for(&name.to_string_lossy())
    };
    let specs = changed.iter().flat_map(of);
    specs.filter(|spec| spec.role == Role::Full).collect()
}

/// The files that name one of the words. A single letter is a variable nearly everywhere, so it counts only where an
/// import names a file: behind a slash, a quote or the word that imports.
fn naming(root: &Path, words: &[String]) -> Vec<String> {
    let (letters, names): (Vec<&str>, Vec<&str>) = words
        .iter()
        .map(String::as_str)
        .partition(|word| word.chars().count() == 1);
    let mut texts = Vec::new();
    if !names.is_empty() {
        texts.push(format!(r"\b{}\b", Pattern::any_of(names).text));
    }
    if !letters.is_empty() {
        let letters = Pattern::any_of(letters).text;
        texts.push(format!(
            r#"(?:[/"'`<]|\b(?:import|from|use|mod|require|include)\s+\.?){letters}\b"#
        ));
    }
    let pattern = Pattern::new(texts.join("|"));
    let mut request = GrepRequest::new(Scope::new(root, root), pattern);
    request.mode = GrepMode::Files;
    let control = Control {
        deadline: Some(Instant::now() + limits::LSP_AFTER_EDIT_SEARCH),
        ..Control::default()
    };
    let found = grep(&request, &control).map(|output| output.files);
    let files = found.unwrap_or_default().into_iter();
    files.map(|file| file.path).collect()
}

/// How many directories lie between a file and the nearest of the changed ones.
fn distance(claim: &PathClaim, changed: &[PathClaim]) -> usize {
    let parts = |path: &Path| -> Vec<String> {
        let directory = path.parent().map(Path::components);
        let parts = directory.into_iter().flatten();
        parts
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect()
    };
    let own = parts(&claim.target);
    let from = |other: &PathClaim| {
        let other = parts(&other.target);
        let common = own.iter().zip(&other).take_while(|(one, two)| one == two);
        let common = common.count();
        (own.len() - common) + (other.len() - common)
    };
    changed.iter().map(from).min().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_one_letter_counts_only_where_a_file_is_named() {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("one.ts", "import { x } from './a'\n"),
            ("two.py", "from .a import x\n"),
            ("three.c", "#include \"a.h\"\n"),
            ("four.ts", "const a = 1\nuse(a, b.a)\n"),
            ("five.ts", "import { y } from './shape'\n"),
            ("six.ts", "reshape(y)\n"),
        ] {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        let words = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let mut found = naming(directory.path(), &words);
            found.sort();
            found
        };
        assert_eq!(words(&["a"]), ["one.ts", "three.c", "two.py"]);
        assert_eq!(words(&["shape"]), ["five.ts"]);
        assert_eq!(words(&["a", "shape"]).len(), 4);
    }

    #[test]
    fn a_file_is_named_by_its_stem_or_by_its_directory() {
        for (file, word) in [
            ("/w/src/shape.ts", Some("shape")),
            ("/w/src/shape.d.ts", Some("shape")),
            ("/w/shapes/index.ts", Some("shapes")),
            ("/w/shapes/mod.rs", Some("shapes")),
            ("/w/shapes/__init__.py", Some("shapes")),
            ("/w/sum/add.go", Some("sum")),
            ("/w/include/größe.h", Some("größe")),
            ("/w/src/main.rs", None),
            ("/w/src/lib.rs", None),
            ("/w/a.ts", Some("a")),
            ("/w/12.ts", None),
        ] {
            assert_eq!(word_of(Path::new(file)).as_deref(), word, "{file}");
        }
    }
}
