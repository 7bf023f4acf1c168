//! Which entries below a directory a program goes to, as far as its options show: never fewer than it does.

pub(crate) mod excluding;
pub(crate) mod finding;
pub(crate) mod images;
pub(crate) mod options;
pub(crate) mod searching;

use std::sync::LazyLock;

use tenon_programs::{Effects, Links, Program};
use tenon_shell::Word;

use crate::commands::words::options::gives;
use crate::commands::words::selection::finding::Finding;
pub(crate) use crate::commands::words::selection::options::alternatives as lists_of_braces;
use crate::commands::words::tracked_files::git_listing;
use crate::glob::{Token, class, tokens_match};
use crate::program_names::name_of;

/// The form of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Form(Vec<Token>);

impl Form {
    /// A pattern of the programs, in which a star takes a dot at the start, too; `None` when it is more than one name.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            rest = rest.get(letter.len_utf8()..)?;
            tokens.push(match letter {
                // A zero stands for what cannot be determined.
                '/' | '\0' => return None,
                '*' => Token::AnyRun,
                '?' => Token::AnyOne,
                '[' => {
                    let (class, bytes) = class(rest)?;
                    rest = rest.get(bytes..)?;
                    class
                }
                '\\' => {
                    let escaped = rest.chars().next()?;
                    rest = rest.get(escaped.len_utf8()..)?;
                    Token::Character(escaped)
                }
                _ => Token::Character(letter),
            });
        }
        Some(Self(tokens))
    }

    /// The same ignoring case; `None` for a pattern where the meaning of that cannot be determined.
    fn in_any_case(text: &str) -> Option<Self> {
        let mut form = Self::new(text)?;
        for token in &mut form.0 {
            match token {
                Token::Character(letter) if letter.is_ascii_alphabetic() => {
                    let (lower, upper) = (letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
                    // So are the sign of Kelvin and the long s.
                    let other = match lower {
                        'k' => '\u{212a}',
                        's' => '\u{17f}',
                        _ => lower,
                    };
                    *token = Token::Class {
                        negated: false,
                        ranges: vec![(lower, lower), (upper, upper), (other, other)],
                    };
                }
                Token::Character(letter) if !letter.is_ascii() => return None,
                Token::Class { .. } => return None,
                _ => {}
            }
        }
        Some(form)
    }

    pub(crate) fn fits(&self, name: &str) -> bool {
        tokens_match(&self.0, name)
    }
}

/// The form of a directory that a shell's pattern goes through.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    /// Nothing where any name may have it.
    form: Option<Form>,
    /// Whether a dot may begin the name: a sign of a pattern takes none there.
    takes_dot: bool,
}

impl Step {
    fn new(part: &str) -> Self {
        Self {
            form: Form::new(part),
            takes_dot: !part.starts_with(['*', '?', '[']),
        }
    }

    fn fits(&self, name: &str) -> bool {
        let form = self.form.as_ref();
        (self.takes_dot || !name.starts_with('.')) && form.is_none_or(|form| form.fits(name))
    }
}

/// What a program leaves out of one directory, and not of those in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Top {
    /// Forms of the names of files.
    pub(crate) not: Vec<Form>,
    /// Forms of the names of directories into which it does not go.
    pub(crate) closed: Vec<Form>,
}

impl Top {
    const NOTHING: Self = Self {
        not: Vec::new(),
        closed: Vec::new(),
    };
}

/// What a program goes to below a directory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Selection {
    /// Whether names that begin with a dot are left out, but for exceptions in files such as `.gitignore`.
    pub(crate) passes_hidden: bool,
    /// Whether what git ignores is left out, but for what is named.
    pub(crate) passes_ignored: bool,
    /// Forms of which the name of a file must have one.
    only: Option<Vec<Form>>,
    /// Forms that the name of a file must not have.
    not: Vec<Form>,
    /// Forms of the names of directories into which the program does not go.
    closed: Vec<Form>,
    /// Of a shell's pattern the directories that it goes through, one for each level above that of its last name.
    steps: Vec<Step>,
    /// What is left out of the directory itself from which it goes.
    top: Top,
    /// Whether it comes to no directory and to no link by its own name.
    pub(crate) only_files: bool,
    /// Whether it follows links to directories.
    pub(crate) follows: bool,
    /// How many directories deep, if there is a limit.
    pub(crate) depth: Option<usize>,
    /// How a user of the program leaves something out.
    pub(crate) way_out: Option<WayOut>,
    /// Whether nothing in a `.git` is among what it goes to, wherever it begins.
    pub(crate) spares_git: bool,
    /// Whether it goes to directories alone, and to nothing that lies in them.
    pub(crate) directories_only: bool,
    /// Files in the directory that say what stays out of an image, by their names from there.
    pub(crate) ignore_files: Vec<String>,
}

/// The option by which a program leaves out a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WayOut {
    /// `--exclude=NAME` and `--exclude-dir=NAME`.
    Grep,
    /// `-g '!NAME'`.
    Globs,
    /// `--exclude=NAME`.
    Exclude,
    /// `-x '*NAME'`.
    Zip,
    /// `-not -name NAME`.
    Find,
}

impl WayOut {
    fn of(program: &str) -> Option<Self> {
        Some(match program {
            "grep" | "egrep" | "fgrep" | "rgrep" | "zgrep" | "zegrep" | "zfgrep" => Self::Grep,
            "rg" => Self::Globs,
            "tar" | "bsdtar" | "rsync" => Self::Exclude,
            "zip" => Self::Zip,
            "find" => Self::Find,
            _ => return None,
        })
    }

    /// The option that leaves out a file or a directory of this name.
    pub(crate) fn option(self, name: &str, is_directory: bool) -> Option<String> {
        Some(match (self, is_directory) {
            (Self::Grep, false) | (Self::Exclude, _) => format!("--exclude={name}"),
            (Self::Grep, true) => format!("--exclude-dir={name}"),
            (Self::Globs, _) => format!("-g '!{name}'"),
            (Self::Zip, false) => format!("-x '*{name}'"),
            (Self::Zip, true) => return None,
            (Self::Find, false) => format!("-not -name {name}"),
            (Self::Find, true) => format!("-not -path '*/{name}/*'"),
        })
    }
}

/// Everything below, links not followed.
pub(crate) static EVERYTHING: Selection = Selection {
    passes_hidden: false,
    passes_ignored: false,
    only: None,
    not: Vec::new(),
    closed: Vec::new(),
    steps: Vec::new(),
    top: Top::NOTHING,
    only_files: false,
    follows: false,
    depth: None,
    way_out: None,
    spares_git: false,
    directories_only: false,
    ignore_files: Vec::new(),
};

/// What git itself makes and removes in a work tree: it refuses names with a `.git` in them.
pub(crate) static WORK_TREE: LazyLock<Selection> = LazyLock::new(|| Selection {
    not: Form::in_any_case(".git").into_iter().collect(),
    closed: Form::in_any_case(".git").into_iter().collect(),
    spares_git: true,
    ..Selection::default()
});

impl Selection {
    /// What a program that tenon knows goes to, where only the words are available.
    pub(crate) fn by_name(words: &[Word]) -> Self {
        let name = name_of(words).unwrap_or_default();
        Self::of((name, tenon_programs::find(name)), words)
    }

    /// What the program with these words goes to.
    pub(crate) fn of((name, program): (&str, Option<&Program>), words: &[Word]) -> Self {
        let arguments = words.get(1..).unwrap_or_default();
        let mut selection = Self::by_program((name, program), words, arguments);
        let excluded = excluding::excluded(name, arguments);
        selection.closed.extend_from_slice(&excluded);
        selection.not.extend(excluded);
        if name == "zip" {
            selection.top = excluding::by_zip_from_top(arguments);
        }
        selection.way_out = WayOut::of(name);
        selection.ignore_files = program
            .and_then(|program| images::ignore_files(program, arguments))
            .unwrap_or_default();
        selection
    }

    fn by_program(
        (name, program): (&str, Option<&Program>),
        words: &[Word],
        arguments: &[Word],
    ) -> Self {
        let following = |follows| Self {
            follows,
            ..Self::default()
        };
        match name {
            "grep" | "egrep" | "fgrep" | "rgrep" | "zgrep" | "zegrep" | "zfgrep" => {
                searching::grep(arguments).unwrap_or(following(true))
            }
            "rg" => searching::rg(arguments).unwrap_or(following(true)),
            "fd" => searching::fd(arguments).unwrap_or(following(true)),
            "ag" => searching::ag(arguments).unwrap_or(following(true)),
            "find" => Finding::new(arguments).selection,
            // Letters of `tar` may stand in front without a dash.
            "tar" | "bsdtar" => following(
                follows(program, words)
                    || arguments.first().is_some_and(|word| {
                        !word.prefix().starts_with('-') && word.prefix().contains('h')
                    }),
            ),
            _ => following(follows(program, words)),
        }
    }

    /// What names of files that fit the parts of a shell's pattern can be.
    pub(crate) fn of_pattern(parts: &[String]) -> Self {
        let deep = parts.iter().any(|part| part.contains("**"));
        let (last, above) = match parts.split_last() {
            Some((last, above)) => (last.as_str(), above),
            None => ("", parts),
        };
        let above = above.iter().filter(|_| !deep);
        Self {
            only: Form::new(last).map(|form| vec![form]),
            steps: above.map(|part| Step::new(part)).collect(),
            // A sign at the start takes no dot.
            not: Some(".*")
                .filter(|_| last.starts_with(['*', '?', '[']))
                .and_then(Form::new)
                .into_iter()
                .collect(),
            // A pattern goes through links to directories.
            follows: parts.len() > 1,
            depth: (!deep).then_some(parts.len()),
            ..Self::default()
        }
    }

    /// Whether the program goes to everything, so that it does not matter which one it is.
    pub(crate) fn is_whole(&self) -> bool {
        self.omits_nothing() && !self.follows
    }

    /// Whether it goes to everything below, through links or not.
    pub(crate) fn omits_nothing(&self) -> bool {
        let Self {
            passes_hidden,
            passes_ignored,
            only,
            not,
            closed,
            steps,
            top,
            only_files,
            follows: _,
            depth,
            way_out: _,
            spares_git: _,
            directories_only,
            ignore_files,
        } = self;
        let passes = *passes_hidden || *passes_ignored || !ignore_files.is_empty();
        let limits = *directories_only || *only_files || depth.is_some();
        let chooses = passes || limits || only.is_some();
        let excepts = !not.is_empty() || !closed.is_empty() || *top != Top::NOTHING;
        !chooses && !excepts && steps.is_empty()
    }

    /// Whether a file of this name is among what it goes to.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.only
            .as_ref()
            .is_none_or(|only| only.iter().any(|form| form.fits(name)))
            && !self.not.iter().any(|form| form.fits(name))
    }

    /// At a level above that of the last name of a pattern: whether the pattern goes through a directory of this name.
    pub(crate) fn goes_through(&self, depth: usize, name: &str) -> Option<bool> {
        let step = self.steps.get(depth.checked_sub(1)?)?;
        Some(step.fits(name))
    }

    /// Whether a file at this level is left out where one of this name further down is not.
    pub(crate) fn passes_file(&self, depth: usize, name: &str) -> bool {
        depth == 1 && self.top.not.iter().any(|form| form.fits(name))
    }

    /// Whether it goes into a directory of this name at this level.
    pub(crate) fn enters_at(&self, depth: usize, name: &str) -> bool {
        self.enters(name) && !(depth == 1 && self.top.closed.iter().any(|form| form.fits(name)))
    }

    /// Whether every name is among what it goes to.
    pub(crate) const fn takes_all(&self) -> bool {
        self.only.is_none()
    }

    /// Whether it goes into a directory of this name.
    pub(crate) fn enters(&self, name: &str) -> bool {
        !self.closed.iter().any(|form| form.fits(name))
    }
}

/// Whether a program goes where links lead to directories.
fn follows(program: Option<&Program>, words: &[Word]) -> bool {
    let Some(program) = program else {
        return true;
    };
    match program.links {
        Links::Unknown => true,
        Links::ByOption => gives(program, words, Effects::FOLLOWS),
        Links::UnlessOption => !gives(program, words, Effects::STAYS),
    }
}

/// Whether a word is one operand, or several that are none of them an option.
fn is_surely_operand(word: &Word) -> bool {
    let plain = |first: char| !matches!(first, '-' | '{' | '*' | '?' | '[' | '+' | '@' | '!' | '~');
    // Whatever the home directory is, a slash stands behind it.
    let is_in_home = word.prefix().starts_with("~/") && word.expansion.tilde;
    let begins = is_in_home || word.prefix().starts_with(plain);
    word.literal().is_some() || (begins && !word.expansion.splits)
}

/// Whether a program that finds names ends each with a byte that no name holds.
pub(crate) fn ends_names_by_zero(words: &[Word]) -> bool {
    let arguments = words.get(1..).unwrap_or_default();
    let has = |texts: &[&str]| {
        let mut literals = arguments.iter().filter_map(Word::literal);
        literals.any(|text| texts.contains(&text))
    };
    match name_of(words).unwrap_or_default() {
        "find" => has(&["-print0"]),
        "rg" | "fd" => has(&["-0", "--null", "--print0"]),
        "git" => has(&["-z"]),
        _ => arguments.iter().filter_map(Word::literal).any(|text| {
            text == "--null"
                || (text.starts_with('-') && !text.starts_with("--") && text.contains('Z'))
        }),
    }
}

/// Whether a program prints nothing but names of files, one in each line: those that it was given and what lies below.
pub(crate) fn lists_names(words: &[Word]) -> bool {
    let arguments = words.get(1..).unwrap_or_default();
    match name_of(words).unwrap_or_default() {
        "find" => Finding::new(arguments).lists_names,
        "fd" => searching::fd_lists_names(arguments),
        "rg" => searching::rg_lists_names(arguments),
        "git" => git_listing(words).is_some(),
        "grep" | "egrep" | "fgrep" => searching::grep_lists_names(arguments),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::words::table::each_row;

    fn yes_or_no(yes: bool) -> String {
        if yes { "yes" } else { "no" }.to_owned()
    }

    #[test]
    fn what_archivers_leave_out_is_no_more_than_they_do() {
        each_row("What is left out by its name", |words| {
            yes_or_no(Selection::by_name(words).takes(".env"))
        });
    }

    #[test]
    fn options_that_choose_files_are_read_as_the_programs_read_them() {
        each_row("What is taken", |words| {
            let selection = Selection::by_name(words);
            let passes = |name: &&str| selection.passes_hidden && name.starts_with('.');
            let mut taken = vec![".env", "a.ts", "x.py", ".a.ts"];
            taken.retain(|name| selection.takes(name) && !passes(name));
            taken.extend(Some("node_modules/").filter(|_| selection.enters("node_modules")));
            taken.extend(Some("links").filter(|_| selection.follows));
            taken.join(" ")
        });
    }

    #[test]
    fn what_is_left_out_of_the_directory_itself_is_no_more_than_that() {
        each_row("What is left out of the directory itself", |words| {
            let selection = Selection::by_name(words);
            let left_out = |depth| match (
                selection.passes_file(depth, ".env"),
                !selection.enters_at(depth, ".env"),
            ) {
                (false, false) => "none",
                (true, false) => "file",
                (false, true) => "directory",
                (true, true) => "file directory",
            };
            assert_eq!(left_out(2), "none");
            left_out(1).to_owned()
        });
    }

    #[test]
    fn a_search_for_files_comes_to_no_directory() {
        each_row("Whether only files are found", |words| {
            yes_or_no(Selection::by_name(words).only_files)
        });
    }

    #[test]
    fn a_pattern_goes_through_the_directories_that_it_names() {
        let selection = |text: &str| {
            let parts: Vec<String> = text.split('/').map(str::to_owned).collect();
            Selection::of_pattern(&parts)
        };
        for (pattern, name, expected) in [
            ("*.bak/*", "a.bak", Some(true)),
            ("*.bak/*", ".git", Some(false)),
            ("*.bak/*", "src", Some(false)),
            ("*/*", ".git", Some(false)),
            (".g*/*", ".git", Some(true)),
            ("*", ".git", None),
            ("**/*", ".git", None),
        ] {
            let found = selection(pattern).goes_through(1, name);
            assert_eq!(found, expected, "{pattern}");
        }
    }

    #[test]
    fn programs_list_names_only_when_nothing_else_comes_out() {
        each_row("Whether only names are printed", |words| {
            yes_or_no(lists_names(words))
        });
    }
}
