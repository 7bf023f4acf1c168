//! What one command does, by its words alone: the third stage. Plain data, made once for everything that judges it.

use tenon_programs::{CommandTraits, Program, Role, Traits, parse};
use tenon_shell::{
    AccessScope, FileAccess, FileOperand, FileOperands, Invocation, Word, file_operands,
    knows_operands, named_files,
};

use crate::commands::words::git::{is_led_elsewhere, subcommand};
use crate::commands::words::listing::NameListing;
use crate::commands::words::recursion::Recursion;
use crate::commands::words::selection::WORK_TREE;
use crate::commands::words::{Selection, is_given};
use crate::program_names::name_of;

/// What one command does to files.
pub(crate) struct Effects<'i> {
    /// The name by which facts about the program are known; empty where it is not.
    pub(crate) base: &'i str,
    /// The row of the program, if there is one.
    pub(crate) program: Option<&'static Program>,
    /// The words as they are written.
    pub(crate) written: &'i [Word],
    /// The words without options before a subcommand.
    pub(crate) words: &'i [Word],
    /// The operands that name files.
    pub(crate) files: FileOperands<'i>,
    /// What it goes to below a directory.
    pub(crate) selection: Selection,
    /// How it lists what is below a directory.
    pub(crate) listing: Option<NameListing<'i>>,
    /// Whether it reads all that it chooses below the working directory.
    pub(crate) reads_here: bool,
    /// Whether it lists the names in the working directory.
    pub(crate) lists_here: bool,
    /// Whether it may write anything below the working directory, as a patch says.
    pub(crate) writes_here: bool,
    /// Whether it is for looking and writes a file only when an option says so.
    pub(crate) only_looks: bool,
    /// Whether it makes a whole tree in a directory that it is given.
    pub(crate) makes_trees: bool,
    /// Whether options of git name another repository or work tree than it finds.
    pub(crate) is_led_elsewhere: bool,
    /// Whether everything that names a file is known.
    pub(crate) is_known: bool,
    recursion: Recursion,
}

impl<'i> Effects<'i> {
    /// What this command does; `adds_names` says whether all that is added to it when it runs are names and no options.
    pub(crate) fn of(invocation: &'i Invocation, adds_names: impl Fn() -> bool) -> Self {
        let words = invocation.normalized_words();
        let base = invocation.base_name().unwrap_or_default();
        let program = invocation.program();
        let mut recursion = Recursion::of((base, program), words);
        if recursion.is_open() && adds_names() {
            recursion = recursion.without_options();
        }
        let files = named_files(invocation);
        let is_git = base == "git";
        let command = if is_git { subcommand(words) } else { None };
        let is = |traits| command.is_some_and(|command| command.is(traits));
        let writes = files.iter().any(|file| file.access == FileAccess::Write);
        let is_open = is_git
            || UPLOADING.contains(&base)
            || !program.is_some_and(knows_operands)
            || files.is_empty() && !filters_input(base, words);
        let mut effects = Self {
            base,
            program,
            written: &invocation.words,
            words,
            selection: selection((base, program), words, &recursion, &files),
            listing: NameListing::of(base, words),
            reads_here: recursion.from_here && !reads_operands(&files),
            lists_here: program.is_some_and(|program| program.is(Traits::LISTS_HERE))
                && !reads_operands(&files),
            writes_here: applies_patch(base, words) && !writes,
            only_looks: (base == "git" || looks(program)) && !is(CommandTraits::WORKS),
            makes_trees: is(CommandTraits::MAKES_TREES),
            is_led_elsewhere: is_git
                && files.iter().any(|file| file.reach.is_of_work_tree())
                && is_led_elsewhere(invocation),
            is_known: !is_open,
            files,
            recursion,
        };
        if effects.spares_git() {
            effects.selection = WORK_TREE.clone();
        }
        effects
    }

    /// The patch stands in the text, where the names in it are looked at.
    pub(crate) fn take_patch(&mut self) {
        let operands = self.program.and_then(|program| program.operands);
        let is_patch = operands.is_some_and(|operands| operands.role == Role::Patch);
        let reads = |file: &FileOperand<'_>| file.access == FileAccess::Read;
        if !is_patch || self.files.iter().any(reads) {
            return;
        }
        let before = self.files.len();
        let is_named = |file: &mut FileOperand<'_>| file.reach != AccessScope::Unpacked;
        self.files.retain(is_named);
        self.writes_here |= self.files.len() < before;
    }

    /// Whether what it makes and removes here is never in a `.git`: `git apply`, `git am`, `git clean` and `git stash` refuse it, but in
    /// another work tree, with `--unsafe-paths`, and in repositories inside of this one when `clean` is forced twice.
    pub(crate) fn spares_git(&self) -> bool {
        let is_forced = |word: &Word| {
            let text = word.prefix();
            word.is_opaque()
                || text.starts_with("--f")
                || text.starts_with('-') && text.contains('f')
        };
        let forced = self.words.iter().skip(2).filter(|word| is_forced(word));
        let leads = |word: &Word| {
            let text = word.prefix();
            ["--git-dir", "--work-tree", "-c", "--config", "--bare"]
                .iter()
                .any(|option| text.starts_with(option))
        };
        let twice = |word: &Word| word.prefix().matches('f').count() > 1;
        let verb = self.words.get(1).and_then(Word::literal);
        self.base == "git"
            && !self
                .written
                .iter()
                .take_while(|word| word.literal() != verb)
                .any(leads)
            && match verb {
                Some("apply" | "am") => {
                    let mut words = self.words.iter().skip(2);
                    words.all(|word| !word.prefix().starts_with("--uns") && !word.expansion.any())
                }
                Some("stash") => true,
                Some("clean") => {
                    let forced: Vec<&Word> = forced.collect();
                    forced.len() < 2 && !forced.iter().any(|word| twice(word) || word.is_opaque())
                }
                _ => false,
            }
    }

    /// Whether the catalogue says that the program is one of these.
    pub(crate) fn is(&self, traits: Traits) -> bool {
        self.program.is_some_and(|program| program.is(traits))
    }

    /// Whether this word is an operand of a program or subcommand of which all operands are known, and is only read. Behind an option
    /// that the row does not have it may be the value of that one.
    pub(crate) fn only_reads(&self, word: &Word) -> bool {
        let arguments = self.words.get(1..).unwrap_or_default();
        let Some(program) = self.program else {
            return false;
        };
        let command = program.command_of(arguments);
        let (options, are_known) = match command {
            Some((command, _)) => (command.options, command.operands.is_some()),
            None => (program.options, knows_operands(program)),
        };
        let mut uses = self.files.iter().filter(|file| file.word.span == word.span);
        let place = arguments.iter().position(|own| std::ptr::eq(own, word));
        let before = place.and_then(|place| arguments.get(place.checked_sub(1)?));
        let parsed = parse(options, arguments);
        let is_before = |given: &Word| before.is_some_and(|before| std::ptr::eq(given, before));
        are_known
            && uses.clone().next().is_some()
            && uses.all(|file| file.access == FileAccess::Read)
            && !parsed.unknown().any(|given| is_before(given.word))
    }

    /// The same with other words in place of those with lists in braces.
    pub(crate) fn with_words<'w>(&self, words: &'w [Word]) -> Effects<'w>
    where
        'i: 'w,
    {
        let row = (name_of(words).unwrap_or_default(), self.program);
        Effects {
            words,
            files: file_operands(self.program, words),
            selection: Selection::of(row, words),
            recursion: Recursion::of(row, words),
            listing: None,
            ..*self
        }
    }

    /// Whether it goes below a directory in any way.
    pub(crate) const fn goes_below(&self) -> bool {
        self.recursion.goes_below()
    }

    /// Whether what it writes lies below a directory that need not be there yet.
    pub(crate) const fn unpacks(&self) -> bool {
        self.recursion.unpacks
    }

    /// Whether this use of a file goes to what is chosen below it.
    pub(crate) fn reaches_below(&self, file: &FileOperand<'_>) -> bool {
        file.reach.goes_below() || self.recursion.reaches(file.access)
    }
}

/// Programs that are known and can send a file by options that are not.
const UPLOADING: &[&str] = &[
    "curl", "wget", "wget2", "rsync", "scp", "npm", "pnpm", "yarn", "pip",
];

/// Whether files are read beside those that hold patterns: a search that is given none goes through the directory.
fn reads_operands(files: &[FileOperand<'_>]) -> bool {
    files
        .iter()
        .any(|file| file.access == FileAccess::Read && file.reach != AccessScope::Patterns)
}

/// Whether `grep` is given nothing but a pattern, which is no file: `… | grep -v .git/`.
fn filters_input(base: &str, words: &[Word]) -> bool {
    let is_flag = |text: &str| {
        let letters = text.strip_prefix('-').unwrap_or_default();
        !letters.is_empty()
            && letters
                .bytes()
                .all(|letter| b"aciEFGHhilnoPqsvwxyz".contains(&letter))
    };
    let mut patterns = 0;
    let mut arguments = words.iter().skip(1).map(Word::literal);
    matches!(base, "grep" | "egrep" | "fgrep")
        && arguments.all(|text| {
            let is_pattern = text.is_some_and(|text| !text.starts_with('-'));
            patterns += usize::from(is_pattern);
            is_pattern || text.is_some_and(is_flag)
        })
        && patterns == 1
}

/// What the program goes to below a directory, where it goes below one.
fn selection(
    row: (&str, Option<&Program>),
    words: &[Word],
    recursion: &Recursion,
    files: &[FileOperand<'_>],
) -> Selection {
    if recursion.goes_below() || files.iter().any(|file| file.reach.goes_below()) {
        Selection::of(row, words)
    } else {
        Selection::default()
    }
}

/// Programs that write the files that a patch names.
fn applies_patch(base: &str, words: &[Word]) -> bool {
    let second = words.get(1).and_then(Word::literal);
    let looks = [
        "check", "dry-run", "stat", "numstat", "summary", "help", "version",
    ];
    (base == "patch" || (base == "git" && matches!(second, Some("apply" | "am"))))
        && (!is_given(words, &[], &looks) || is_given(words, &[], &["apply"]))
}

/// Whether a program is allowed for looking: what an option or operand has it write is no part of that, but for files in their place.
fn looks(program: Option<&Program>) -> bool {
    program.is_some_and(|program| {
        let is_quiet =
            program.is(Traits::QUIET) && !program.options_do.has(tenon_programs::Effects::IN_PLACE);
        is_quiet || program.is(Traits::LOOKS)
    })
}
