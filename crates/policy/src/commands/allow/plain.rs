//! Options that stand between the name of a program and its sub-command without changing what a rule is about.

use tenon_contract::variables::is_rust_toolchain;
use tenon_shell::{Invocation, Word};

/// Options before a sub-command that change neither what it does nor to what, and those with a folder, which is judged
/// by itself.
fn says_how(program: &str, option: &str) -> Option<usize> {
    let (alone, with_value): (&[&str], &[&str]) = match program {
        "git" => (
            &[
                "--no-pager",
                "-P",
                "--no-optional-locks",
                "--no-advice",
                "--literal-pathspecs",
            ],
            &["-C", "-c"],
        ),
        "cargo" => (
            &[
                "-q",
                "--quiet",
                "-v",
                "--verbose",
                "--offline",
                "--locked",
                "--frozen",
            ],
            &["--color"],
        ),
        "npm" | "pnpm" => (
            &[
                "-s",
                "--silent",
                "-r",
                "--recursive",
                "-ws",
                "--workspaces",
                "--if-present",
            ],
            &[
                "--prefix",
                "-C",
                "--dir",
                "-w",
                "--workspace",
                "--filter",
                "-F",
            ],
        ),
        "kubectl" | "oc" => (&[], &["-n", "--namespace"]),
        _ => return None,
    };
    let long = with_value
        .iter()
        .any(|name| name.starts_with("--") && option.starts_with(&format!("{name}=")));
    if alone.contains(&option) || long {
        return Some(1);
    }
    if with_value.contains(&option) {
        return Some(2);
    }
    let toolchain = option.strip_prefix('+').filter(|_| program == "cargo");
    toolchain.filter(|name| is_rust_toolchain(name)).map(|_| 1)
}

/// The words without the options before the sub-command, if all of these only say how it works: `git -C src status`.
pub(super) fn same_without_options(invocation: &Invocation) -> Option<&[Word]> {
    let (words, plain) = (&invocation.words, invocation.plain_words());
    let (name, command) = (words.first()?.literal()?, plain.get(1)?);
    let mut place = 1;
    while let Some(word) = words.get(place) {
        if word.span == command.span {
            let same = place > 1 && word.literal().is_some() && word.literal() == command.literal();
            return same.then_some(plain);
        }
        place += says_how(name, word.literal()?)?;
    }
    None
}
