use super::Reader;
use crate::command::Command;
use crate::script::MarkKind;
use crate::span::Span;
use crate::word::Word;

/// Options of `set` that leave the reading of later lines as it is.
const HARMLESS_SET_OPTIONS: &[&str] = &[
    "allexport",
    "errexit",
    "errtrace",
    "functrace",
    "hashall",
    "interactive-comments",
    "monitor",
    "noclobber",
    "noexec",
    "noglob",
    "nolog",
    "notify",
    "nounset",
    "onecmd",
    "physical",
    "pipefail",
    "privileged",
    "verbose",
    "xtrace",
    "emacs",
    "vi",
    "ignoreeof",
];

/// Options of `shopt` that leave the reading of later lines as it is. `extglob` is one: the reader always knows
/// extended patterns.
const HARMLESS_SHELL_OPTIONS: &[&str] = &[
    "autocd",
    "cdspell",
    "checkhash",
    "checkjobs",
    "checkwinsize",
    "cmdhist",
    "direxpand",
    "dirspell",
    "dotglob",
    "execfail",
    "extglob",
    "failglob",
    "globstar",
    "gnu_errfmt",
    "histappend",
    "histreedit",
    "histverify",
    "hostcomplete",
    "huponexit",
    "inherit_errexit",
    "lithist",
    "localvar_inherit",
    "localvar_unset",
    "login_shell",
    "mailwarn",
    "nocaseglob",
    "nocasematch",
    "nullglob",
    "progcomp",
    "progcomp_alias",
    "shift_verbose",
    "xpg_echo",
    "no_empty_cmd_completion",
    "force_fignore",
    "globasciiranges",
    "globskipdots",
];

impl Reader<'_, '_> {
    /// What the command changes about the reading of what comes after it. Names of commands are compared by their
    /// value, so quoting does not hide them.
    pub(super) fn marks_of(
        &mut self,
        command: &Command,
        mut words: &[Word],
    ) -> Vec<(MarkKind, Span)> {
        let mut marks = Vec::new();
        for assignment in &command.assignments {
            if changes_reading(&assignment.name, assignment.values.first()) {
                marks.push((MarkKind::Variable(assignment.name.clone()), assignment.span));
            }
        }
        while let [first, rest @ ..] = words
            && matches!(first.literal(), Some("command" | "builtin"))
        {
            words = rest;
        }
        let [name, arguments @ ..] = words else {
            return marks;
        };
        match name.literal() {
            Some("alias") => marks.extend(aliases(arguments)),
            Some("set") => marks.extend(set_options(arguments)),
            Some("shopt") => {
                if arguments
                    .iter()
                    .any(|word| word.literal() == Some("extglob"))
                {
                    self.state.extended_patterns = true;
                }
                marks.extend(shell_options(arguments));
            }
            Some(name) if self.evaluates() && evaluates_arguments(name, arguments) => {
                self.state.evaluates_values = true;
            }
            _ => {}
        }
        marks
    }
}

/// Whether bash evaluates arguments of this built-in as arithmetic or as names with subscripts.
fn evaluates_arguments(name: &str, arguments: &[Word]) -> bool {
    let has = |option: &str| {
        arguments
            .iter()
            .any(|word| word.literal().is_none_or(|text| text.starts_with(option)))
    };
    match name {
        "let" | "declare" | "typeset" | "local" | "read" | "mapfile" | "readarray" | "unset"
        | "getopts" => true,
        "printf" | "test" | "[" => has("-v"),
        "wait" => has("-p"),
        _ => false,
    }
}

/// Variables that change how bash reads the text from then on.
fn changes_reading(name: &str, value: Option<&Word>) -> bool {
    match name {
        "POSIXLY_CORRECT" | "BASH_ALIASES" | "BASHOPTS" | "SHELLOPTS" | "histchars" => true,
        "LC_ALL" | "LC_CTYPE" | "LANG" => {
            let Some(value) = value.and_then(Word::literal) else {
                return true;
            };
            let value = value.to_ascii_lowercase();
            !(value.is_empty()
                || value == "c"
                || value == "posix"
                || value.ends_with(".utf-8")
                || value.ends_with(".utf8"))
        }
        _ => false,
    }
}

fn aliases(arguments: &[Word]) -> Vec<(MarkKind, Span)> {
    arguments
        .iter()
        .filter_map(|word| {
            let text = word.prefix();
            match text.split_once('=') {
                Some((name, _)) => Some((MarkKind::Alias(Some(name.to_owned())), word.span)),
                None if word.is_opaque() => Some((MarkKind::Alias(None), word.span)),
                None => None,
            }
        })
        .collect()
}

fn set_options(arguments: &[Word]) -> Vec<(MarkKind, Span)> {
    let mut marks = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else {
            let harmless = word
                .prefix()
                .starts_with(|first| first != '-' && first != '+');
            if !harmless {
                marks.push((MarkKind::Option(None), word.span));
            }
            break;
        };
        let Some(letters) = text.strip_prefix(['-', '+']) else {
            break;
        };
        if text == "--" || text == "-" {
            break;
        }
        for letter in letters.chars() {
            if letter == 'o' {
                let option = words.next().map(Word::literal);
                match option {
                    Some(Some(option)) if HARMLESS_SET_OPTIONS.contains(&option) => {}
                    Some(option) => {
                        marks.push((MarkKind::Option(option.map(str::to_owned)), word.span))
                    }
                    None => {}
                }
            } else if !"abefhmnptuvxBCET".contains(letter) {
                marks.push((MarkKind::Option(Some(letter.to_string())), word.span));
            }
        }
    }
    marks
}

fn shell_options(arguments: &[Word]) -> Vec<(MarkKind, Span)> {
    let changes = arguments.iter().any(|word| {
        word.literal()
            .is_none_or(|text| text.starts_with('-') && text.contains(['s', 'u']))
    });
    if !changes {
        return Vec::new();
    }
    arguments
        .iter()
        .filter_map(|word| match word.literal() {
            None => Some((MarkKind::Option(None), word.span)),
            Some(text) if text.starts_with('-') || HARMLESS_SHELL_OPTIONS.contains(&text) => None,
            Some(text) if text == "pipefail" || HARMLESS_SET_OPTIONS.contains(&text) => None,
            Some(text) => Some((MarkKind::Option(Some(text.to_owned())), word.span)),
        })
        .collect()
}
