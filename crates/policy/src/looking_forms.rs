//! The forms of commands that only look, of programs that can do more than that: `git branch -a`, but not `git branch x`.
//!
//! What is not in a row is not known to only look. Rules of the engine and the files that a command uses count besides.

use tenon_shell::{Invocation, Word};

use crate::commands::words::name_set::NameSet;

/// What a command may be given besides its options.
#[derive(Debug, Clone, Copy)]
enum Operands {
    None,
    Any,
    /// At most one.
    One,
    /// Texts that begin with `+`: `date +%F`.
    Format,
    /// Any where one of these is given, which makes it list; else none.
    With(&'static str),
}

/// Words with which a command only looks.
#[derive(Debug)]
struct Form {
    /// The program, and its subcommand.
    command: &'static str,
    /// Short options without a value, which may stand together. Digits are the number of one.
    letters: &'static str,
    /// Other options; those that end with `=` have a value.
    options: &'static str,
    operands: Operands,
    /// One of these must be given.
    needs: &'static str,
}

const fn form(
    command: &'static str,
    letters: &'static str,
    options: &'static str,
    operands: Operands,
) -> Form {
    Form {
        command,
        letters,
        options,
        operands,
        needs: "",
    }
}

const FORMS: &[Form] = &[
    form(
        "base64",
        "di",
        "--decode --ignore-garbage -w= --wrap=",
        Operands::Any,
    ),
    form(
        "date",
        "uR",
        "-d= --date= -r= --reference= --utc --universal --rfc-email -I -Idate -Iseconds -Iminutes -Ihours -Ins --iso-8601 --iso-8601= --rfc-3339=",
        Operands::Format,
    ),
    form("env", "0", "--null", Operands::None),
    form("go version", "", "", Operands::None),
    form(
        "git branch",
        "avri",
        "-vv --all --remotes --list --show-current --merged --merged= --no-merged --no-merged= --contains --contains= --no-contains --no-contains= --points-at --points-at= --sort= --format= --verbose --column --no-column --color --no-color --ignore-case",
        Operands::With(
            "-a -r --all --remotes --list --merged --no-merged --contains --no-contains --points-at",
        ),
    ),
    Form {
        command: "git config",
        letters: "lz",
        options: "--get --get-all --get-regexp --list --show-origin --show-scope --name-only --global --local --system --worktree --null",
        operands: Operands::Any,
        needs: "--get --get-all --get-regexp --list -l",
    },
    form(
        "git config get",
        "z",
        "--all --show-origin --show-scope --global --local --system --worktree --null",
        Operands::Any,
    ),
    form(
        "git config list",
        "z",
        "--show-origin --show-scope --name-only --global --local --system --worktree --null",
        Operands::None,
    ),
    form("git reflog", "", "", Operands::None),
    form(
        "git reflog show",
        "n0123456789",
        "-n= --oneline --date= --all",
        Operands::One,
    ),
    form("git remote", "v", "--verbose", Operands::None),
    form("git remote get-url", "", "--all --push", Operands::One),
    form(
        "git stash show",
        "p",
        "--stat --patch --name-only --name-status --include-untracked --only-untracked",
        Operands::One,
    ),
    form("git symbolic-ref", "q", "--short --quiet", Operands::One),
    form(
        "git tag",
        "ln0123456789i",
        "--list --sort= --format= --merged --merged= --no-merged --no-merged= --contains --contains= --no-contains --no-contains= --points-at --points-at= --column --no-column --color --ignore-case",
        Operands::With("-l --list --merged --no-merged --contains --no-contains --points-at"),
    ),
    form(
        "git worktree list",
        "vz",
        "--porcelain --verbose",
        Operands::None,
    ),
    form("hostname", "fsiId", "--fqdn --short", Operands::None),
    form(
        "nm",
        "aACDgnpuvSr",
        "--demangle --defined-only --undefined-only --dynamic --extern-only --size-sort",
        Operands::Any,
    ),
    form(
        "npm ls",
        "agl",
        "--all --depth= --json --long --global --prod --omit= --include= --parseable",
        Operands::Any,
    ),
    form(
        "npm list",
        "agl",
        "--all --depth= --json --long --global --prod --omit= --include= --parseable",
        Operands::Any,
    ),
    form(
        "objdump",
        "adDfhlprRsStTwxC",
        "--disassemble --demangle --all-headers --syms --section-headers -j= -M=",
        Operands::Any,
    ),
    form(
        "pip list",
        "l",
        "--format= --local --user --not-required --exclude-editable --editable",
        Operands::None,
    ),
    form("pip freeze", "l", "--all --local --user", Operands::None),
    form("pip show", "f", "--files --verbose", Operands::Any),
    form(
        "readelf",
        "aAcdehIlnrsStuVW",
        "--all --headers --wide --symbols --dynamic --sections --segments -p= -x=",
        Operands::Any,
    ),
    Form {
        command: "tar",
        letters: "tvzjJfa",
        options: "--list --verbose --gzip --bzip2 --xz --zstd --file= --auto-compress",
        operands: Operands::Any,
        needs: "-t --list",
    },
    Form {
        command: "unzip",
        letters: "lvqtp",
        options: "",
        operands: Operands::Any,
        needs: "-l -v -t -p",
    },
    form(
        "xxd",
        "abBeEipruv",
        "-l= -s= -c= -g= -o= -len= -cols= -seek= -ps -bits -postscript -plain -revert -u",
        Operands::One,
    ),
];

/// The programs of these commands, which every command is compared with.
static PROGRAMS: NameSet = NameSet::new(|| {
    commands()
        .filter_map(|name| name.split(' ').next())
        .collect()
});

/// The commands that have a form in which they only look.
pub(crate) fn commands() -> impl Iterator<Item = &'static str> {
    FORMS.iter().map(|form| form.command)
}

/// Whether a command only looks as it is given, or is not one of those that have forms.
pub(crate) fn keeps_to_a_form(command: &Invocation) -> bool {
    let words = &command.words;
    let Some(name) = words.first().and_then(Word::literal) else {
        return true;
    };
    if !PROGRAMS.contains(name) {
        return true;
    }
    // The longest counts: `git config get` is no form of `git config`.
    let known = FORMS
        .iter()
        .filter_map(|form| Some((form, form.rest(words)?)));
    match known.max_by_key(|(form, _)| form.command.len()) {
        Some((form, rest)) => form.takes(rest),
        None => !FORMS.iter().any(|form| form.command == name),
    }
}

impl Form {
    /// The words behind the command, if it is this one.
    fn rest<'w>(&self, words: &'w [Word]) -> Option<&'w [Word]> {
        let mut rest = words;
        for own in self.command.split(' ') {
            let (first, behind) = rest.split_first()?;
            if first.literal() != Some(own) {
                return None;
            }
            rest = behind;
        }
        Some(rest)
    }

    fn takes(&self, words: &[Word]) -> bool {
        let mut given: Vec<String> = Vec::new();
        let mut operands: Vec<&Word> = Vec::new();
        let mut words = words.iter();
        let mut only_operands = false;
        let mut first = true;
        while let Some(word) = words.next() {
            let letters_first = first && self.command == "tar";
            first = false;
            let Some(text) = word.literal() else {
                let prefix = word.prefix();
                if prefix.is_empty() || prefix.starts_with('-') || letters_first {
                    return false;
                }
                operands.push(word);
                continue;
            };
            if only_operands || !(text.starts_with('-') && text != "-" || letters_first) {
                operands.push(word);
            } else if text == "--" {
                only_operands = true;
            } else if let Some((option, needs_value)) = self.option(text) {
                given.push(option);
                if needs_value && words.next().and_then(Word::literal).is_none() {
                    return false;
                }
            } else {
                let letters = text.strip_prefix('-').unwrap_or(text);
                let known = |letter: char| self.letters.contains(letter);
                if letters.is_empty() || !letters.chars().all(known) {
                    return false;
                }
                given.extend(letters.chars().map(|letter| format!("-{letter}")));
            }
        }
        let has = |list: &str| {
            list.split(' ')
                .any(|one| given.iter().any(|own| own == one))
        };
        (self.needs.is_empty() || has(self.needs)) && self.permits(&operands, has)
    }

    fn permits(&self, operands: &[&Word], has: impl Fn(&str) -> bool) -> bool {
        match self.operands {
            Operands::None => operands.is_empty(),
            // An archive on another machine is brought by a program.
            Operands::Any => {
                self.command != "tar" || !operands.iter().any(|word| word.prefix().contains(':'))
            }
            Operands::One => {
                operands.len() <= 1 && operands.iter().all(|word| word.literal().is_some())
            }
            Operands::Format => operands.iter().all(|word| {
                let text = word.literal();
                text.is_some_and(|text| text.starts_with('+'))
            }),
            Operands::With(list) => operands.is_empty() || has(list),
        }
    }

    /// The option of this word without its value, and whether that is the next word.
    fn option(&self, text: &str) -> Option<(String, bool)> {
        let mut options = self.options.split(' ').filter(|option| !option.is_empty());
        options.find_map(|option| match option.strip_suffix('=') {
            None => (option == text).then(|| (text.to_owned(), false)),
            // A long one with an optional value has it in the same word only.
            Some(name) if self.options.split(' ').any(|other| other == name) => text
                .strip_prefix(name)?
                .starts_with('=')
                .then(|| (name.to_owned(), false)),
            Some(name) if name == text => Some((name.to_owned(), true)),
            Some(name) if name.starts_with("--") => text
                .strip_prefix(name)?
                .starts_with('=')
                .then(|| (name.to_owned(), false)),
            Some(name) if name.len() == 2 => {
                text.starts_with(name).then(|| (name.to_owned(), false))
            }
            Some(_) => None,
        })
    }
}
