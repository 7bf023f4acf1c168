//! The row of a program.

use crate::command::{Before, Name, Subcommand};
use crate::effects::{CommandTraits, Effects, Traits};
use crate::mode::Mode;

/// What is known about one program, or several that differ in nothing that is known.
#[derive(Debug, Default)]
pub struct Program {
    /// Its names; each is a program of its own to rules, other names of the same one are known to [`facts_name`].
    ///
    /// [`facts_name`]: crate::facts_name
    pub names: &'static [&'static str],
    /// Where the facts are from.
    pub source: &'static str,
    /// Its options, each once; where it has subcommands, those of all of them. Letters stand before names.
    pub options: &'static [Opt],
    /// What they do.
    pub options_do: Effects,
    /// The options between its name and a subcommand, by the programs that have them; the first are those of all others.
    pub before: &'static [Before],
    /// Settings that an option [`Effects::CONFIG`] can give without running anything; `color.` and `log_` are all that begin so, `core.pager=cat`
    /// one for a single call with this value.
    pub settings: &'static [&'static str],
    /// Its modes.
    pub modes: &'static [Mode],
    /// The forms in which it only looks.
    pub looks: &'static [Look],
    /// Its subcommands.
    pub commands: &'static [Subcommand],
    /// What any of the subcommands is.
    pub commands_are: CommandTraits,
    /// What options of them do, those of the row included.
    pub commands_do: Effects,
    /// All names of the subcommands in order, with their places among the subcommands.
    pub command_names: &'static [(Name, usize)],
    /// Whether one of them has another name, or does what another one does.
    pub has_synonyms: bool,
    /// How it runs the command behind its own arguments, if it is there for that. Its options are those of [`Self::before`].
    pub wrapper: Option<Wrapper>,
    /// Words that run something and are no plain option: `-K*` is every word that begins so, `-latex=` counts with a value only.
    pub exec_words: &'static [&'static str],
    /// Patterns of words that make it run something, wherever they stand, but for words like those behind `not:`: a star is any text. No word that cannot be determined may be one.
    pub exec_patterns: &'static [&'static str],
    /// Files that it makes in its working directory where no operand is written and no option `target` or `prefix` is given: `{}` stands
    /// for the name of an operand, `{.}` for the same without its ending, `{path}` for all of the operand, so that the file is beside it.
    pub makes: &'static [&'static str],
    /// Patterns of the names of files for which a formatter looks below its directory; every file where there are none.
    pub finds: &'static [&'static str],
    /// What its operands are; `None` where nothing is known of them.
    pub operands: Option<Operands>,
    /// What it is.
    pub traits: Traits,
    /// What it does below a directory that an operand names.
    pub below: Option<Below>,
    /// Whether it goes where links lead to directories.
    pub links: Links,
    /// Which words that cannot be determined may be options that run something.
    pub possible: Possible,
}

/// A command and what it does, which a test compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// The first name of the row.
    pub program: &'static str,
    /// The command line.
    pub command: &'static str,
    /// Its effects: `write a.tgz, read b`.
    pub effects: &'static str,
}

/// An option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opt {
    /// Its name without dashes.
    pub name: &'static str,
    /// Whether it stands behind one dash and behind two: a name of several letters behind one, a letter behind two.
    pub any_dashes: bool,
    /// Its value.
    pub value: Value,
    /// What it does.
    pub effects: Effects,
}

/// Where the value of an option stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// It has none.
    None,
    /// `-f x`, `-fx`, `--file x`, `--file=x`.
    Next,
    /// `-ix`, `--color=x`: only in the same word, and there may be none.
    Attached,
    /// In the same word, or the next one if that does not begin with a dash; there may be none: `--json file`.
    Optional,
    /// Like [`Value::Next`], and without a sign behind a name of several letters: `-MFfile`.
    Glued,
    /// Whether it has one is not known: what is behind it counts as an operand, too.
    Unknown,
}

impl Value {
    /// Whether an option of this shape may be given so.
    pub(crate) const fn is_right(self, with_value: bool) -> bool {
        match self {
            Self::None => !with_value,
            Self::Next | Self::Glued => with_value,
            Self::Attached | Self::Optional => true,
            Self::Unknown => false,
        }
    }
}

/// What the operands are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operands {
    /// What is done to them.
    pub role: Role,
    /// How many in front are no files.
    pub texts: usize,
    /// Whether the program uses files beside those that are known here.
    pub partly: bool,
}

/// What is done to the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Read.
    Read,
    /// Written.
    Write,
    /// Deleted.
    Delete,
    /// Written; of what is there in a directory all else is removed.
    Empty,
    /// Read and written.
    ReadWrite,
    /// Read, replaced by another file and deleted (`gzip`).
    Replace,
    /// Read, and written with an option `in_place`.
    InPlace,
    /// Written with an option `in_place`, or always where there is none but for what only checks; a directory with
    /// everything that git tracks below it.
    Format,
    /// The same, but always below the working directory as well: the program looks for its files itself, and what it is given
    /// need not be a path (`cargo fix`).
    FormatHere,
    /// The first is read, the others are written (`uniq in out`).
    ReadThenWrite,
    /// The first is written, the others are read (`zip out in`).
    WriteThenRead,
    /// All but the last are read, the last is written.
    Copy,
    /// The same, and what is read is deleted.
    Move,
    /// Read, with everything below.
    ReadBelow,
    /// The same; the working directory where there are none.
    ReadBelowOrHere,
    /// Like [`Role::Copy`] with everything below, but for addresses: `s3://bucket/x`.
    CopyAddress,
    /// The same, and for names of things elsewhere: `container:/x`.
    CopyName,
    /// The same as [`Role::CopyAddress`], and what is read is deleted.
    MoveAddress,
    /// The same as [`Role::CopyName`], and what is read is deleted.
    MoveName,
    /// No files: something is written below the working directory, or below the value of an option `write_below`.
    WriteHere,
    /// The directory that goes into an image.
    ImageContext,
    /// The first is read, and files are written whose names stand in it: below the others, or below the value of an
    /// option `write_below`, else below the working directory. Where options `unpacks` are known, only with one.
    Unpack,
    /// Files of an archive that an option names: they are written. Where there are none, or an option `unpacks` is given,
    /// files are written whose names stand in the archive: below the value of an option `write_below`, else below the working
    /// directory.
    Members,
    /// The same of the archive that is the first operand, which is read.
    ArchiveMembers,
    /// The first is read and written, the second is a patch that is read; where there are none, the files that a patch names are written.
    Patch,
    /// The first is read, and with the others begin the names of its pieces (`split in prefix`).
    Pieces,
    /// The first is the address of a repository, the second the directory that a copy of it is put into; without it that has the
    /// last name of the address.
    Clone,
}

impl Role {
    /// Whether it is known only of programs [`Traits::TRANSFERS`].
    #[must_use]
    pub const fn transfers(self) -> bool {
        matches!(
            self,
            Self::ReadBelow
                | Self::ReadBelowOrHere
                | Self::CopyAddress
                | Self::CopyName
                | Self::MoveAddress
                | Self::MoveName
                | Self::WriteHere
                | Self::ImageContext
        )
    }
}

/// A form in which a program only looks.
#[derive(Debug)]
pub struct Look {
    /// The words of the subcommand, as patterns; none for the program without one.
    pub command: &'static [&'static str],
    /// Its options, or those that it may not have.
    pub options: &'static [Opt],
    /// Whether its options are all but these.
    pub are_excepted: bool,
    /// Options of which one must be given, without dashes.
    pub needs: &'static [&'static str],
    /// What may stand besides.
    pub operands: LookOperands,
    /// Options of which one must be given where there are operands, without dashes.
    pub with: &'static [&'static str],
    /// Options with which it asks a host or a service, without dashes; `*` where it always does.
    pub asks: &'static [&'static str],
}

/// What a form may be given besides its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LookOperands {
    /// Nothing.
    #[default]
    None,
    /// Anything.
    Any,
    /// At most one.
    One,
    /// One, which has a dot in it: `git config user.name`.
    Key,
    /// Texts that begin with `+`: `date +%F`.
    Format,
}

/// How a program runs the command behind its own arguments.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ProgramWrapper")]
pub struct Wrapper {
    /// How many operands stand before the command (`timeout 5 …`).
    pub operands: usize,
    /// Whether assignments may stand before the command (`sudo A=1 …`).
    pub assignments: bool,
    /// Whether a rule that allows the inner command covers the wrapper.
    pub transparent: bool,
    /// Whether a shell is started when no command is given.
    pub starts_shell: bool,
    /// Whether a lone dash among the operands is an option.
    pub lone_dash: bool,
    /// Whether a rule that allows it covers what it runs, because it runs programs of a project (`conda run`).
    #[schemars(skip)]
    pub forwards: bool,
    /// The word behind which the command begins, where that is not the first operand.
    #[schemars(skip)]
    pub behind: Behind,
    /// What stands behind the options and operands.
    pub runs: Runs,
}

/// Where the command of a wrapper begins.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ProgramWrapperBehind")]
pub enum Behind {
    /// Behind its options and as many operands as are known.
    #[default]
    Operands,
    /// Behind `--`, where there is one, whatever operands stand before it (`mise exec node@20 -- x`).
    Dashes,
    /// Behind `-c` or `--command` (`nix develop -c x`); without it there is none.
    Option,
}

impl Behind {
    /// The words behind which the command begins.
    #[must_use]
    pub const fn marks(self) -> &'static [&'static str] {
        match self {
            Self::Operands => &[],
            Self::Dashes => &["--"],
            Self::Option => &["-c", "--command"],
        }
    }
}

/// What stands behind the options of a wrapper.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ProgramWrapperRuns")]
pub enum Runs {
    /// A command.
    #[default]
    Command,
    /// A command of a package, perhaps with a version behind its name; before it may stand options that are not known.
    Package,
    /// A command of the system of small programs that it is: its shell reads as dash does.
    Applet,
    /// Words that are joined to a text for a shell (`watch`).
    Text,
    /// Texts for shells, one in each operand (`hyperfine`).
    Texts,
    /// A command to which names are added that it reads (`xargs`).
    Names,
    /// A text for a shell, with marks for what it reads (`parallel`).
    Marked,
    /// Nothing: a shell is started, which is given its text by an option or reads it (`su`). No more operands than that are there.
    Shell,
}

/// What a program does below a directory that an operand names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Below {
    /// It reads the files.
    pub reads: bool,
    /// It writes them.
    pub writes: bool,
    /// It deletes them.
    pub deletes: bool,
    /// Without an operand it starts in the working directory.
    pub here: bool,
    /// Only with one of the options `below`.
    pub by_option: bool,
}

/// Whether a program goes where links lead to directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Links {
    /// Nothing is known, so it may.
    #[default]
    Unknown,
    /// Only with an option `follows`.
    ByOption,
    /// But for an option `stays`.
    UnlessOption,
}

/// Which words that cannot be determined may be options that run something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Possible {
    /// Only those of these subcommands, where there are some.
    pub commands: &'static [&'static str],
    /// Letters of options behind which the word is a value.
    pub values: &'static str,
}

/// A row is kept once: two of them are the same one or differ.
impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Program {}

impl Program {
    /// The option of this name, without dashes.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&'static Opt> {
        self.options.iter().find(|option| option.name == name)
    }

    /// The options that have one of these effects.
    pub fn options_that(&self, effects: Effects) -> impl Iterator<Item = &'static Opt> {
        let options = match self.options_do.has(effects) {
            true => self.options.iter(),
            false => [].iter(),
        };
        options.filter(move |option| option.effects.has(effects))
    }

    /// Whether the option of this name has one of these effects.
    #[must_use]
    pub fn does(&self, name: &str, effects: Effects) -> bool {
        self.option(name)
            .is_some_and(|option| option.effects.has(effects))
    }

    /// Whether it is one of these.
    #[must_use]
    pub const fn is(&self, traits: Traits) -> bool {
        self.traits.has(traits)
    }
}
