//! Sets of what an option does and of what a program is.

/// What an option does, beside switching something. The names are those of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Effects(u64);

/// What is known of a subcommand as a whole. The names are those of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct CommandTraits(u32);

/// What is known of a program as a whole. The names are those of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Traits(u64);

macro_rules! set {
    ($set:ident: $bits:ident { $($(#[$doc:meta])* $name:ident = $bit:literal, $text:literal;)* }) => {
        impl $set {
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)*

            /// Every member with its name in the catalogue.
            pub const NAMED: &'static [(&'static str, Self)] = &[$(($text, Self::$name)),*];

            /// The set of none.
            pub const NONE: Self = Self(0);

            /// The set of these bits.
            #[must_use]
            pub const fn of(bits: $bits) -> Self {
                Self(bits)
            }

            /// Its bits.
            #[must_use]
            pub const fn bits(self) -> $bits {
                self.0
            }

            /// Whether one of these is in it.
            #[must_use]
            #[inline]
            pub const fn has(self, other: Self) -> bool {
                self.0 & other.0 != 0
            }

            /// Whether none is in it.
            #[must_use]
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// This and the other.
            #[must_use]
            pub const fn with(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }

            /// Its members, one by one.
            pub fn each(self) -> impl Iterator<Item = Self> {
                let members = Self::NAMED.iter().map(|(_, member)| *member);
                members.filter(move |member| self.has(*member))
            }

            /// The names of its members, as the catalogue has them.
            pub fn names(self) -> impl Iterator<Item = &'static str> {
                let members = Self::NAMED.iter().filter(move |(_, member)| self.has(*member));
                members.map(|(name, _)| *name)
            }
        }
    };
}

set!(Effects: u64 {
    /// Its value is a file that is read.
    READ = 0, "read";
    /// Its value is a file that is written.
    WRITE = 1, "write";
    /// It runs something, or loads what does.
    EXEC = 2, "exec";
    /// Its value names code or settings with code, if it is not one that the program finds by itself.
    CODE = 3, "code";
    /// It names code whatever its value is.
    LOADS = 4, "loads";
    /// No abbreviation stands for it, where it names code.
    EXACT = 5, "exact";
    /// With it the operands are written as well.
    IN_PLACE = 6, "in_place";
    /// It takes the place of the operands in front that are no files.
    TEXT = 7, "text";
    /// Its value is the target of a copy, so that every operand is a source, or of what the program `makes` by itself.
    TARGET = 8, "target";
    /// With it what is copied is removed.
    DELETES_SOURCES = 9, "deletes_sources";
    /// With it files of the target are removed.
    DELETES_TARGET = 10, "deletes_target";
    /// With it the operands are directories to make.
    DIRECTORIES = 11, "directories";
    /// With it the program goes below the directories that operands name.
    BELOW = 12, "below";
    /// With it the program goes where a link leads to a directory.
    FOLLOWS = 13, "follows";
    /// With it the program does not go where a link leads to a directory.
    STAYS = 14, "stays";
    /// With it the names of further files are in the input or in a file.
    NAMES = 15, "names";
    /// Its value is a directory into which the program changes; in a mode, for the operands behind it.
    CWD = 16, "cwd";
    /// It gives settings that can name a program to run, or a file or directory of them.
    CONFIG = 17, "config";
    /// Its value is a directory or file whose code or settings the program works with, without changing into it.
    PROJECT = 18, "project";
    /// Its value gives a directory of this machine to a container.
    MOUNT = 19, "mount";
    /// Its value is read, with everything below it.
    READ_BELOW = 20, "read_below";
    /// Something is written below its value, instead of below the working directory.
    WRITE_BELOW = 21, "write_below";
    /// With it a wrapper runs no command.
    NO_COMMAND = 22, "no_command";
    /// With it a wrapper starts a shell where it is given no command.
    STARTS_SHELL = 23, "starts_shell";
    /// The value is a text for a shell, in place of a command behind the options of a wrapper.
    SHELL_TEXT = 24, "shell_text";
    /// With it what stands behind the options of a wrapper is the command itself, and no text for a shell or name of a user.
    AS_COMMAND = 25, "as_command";
    /// With it a rule that allows the command behind a transparent wrapper does not cover the wrapper.
    OWN_RULE = 26, "own_rule";
    /// The value is the mark in whose place a wrapper puts names.
    MARK = 27, "mark";
    /// The value is words that come in the place of the option, as of `env -S`.
    SPLITS = 28, "splits";
    /// Its value is a setting that can run something, if it is none of the harmless ones, or a shell to reach another machine.
    SETTING = 29, "setting";
    /// Its value is put behind the names of operands, or of what is made of them, for further files: backups, pieces.
    SUFFIX = 30, "suffix";
    /// Names of files that are written begin with its value.
    PREFIX = 31, "prefix";
    /// With it files are written whose names stand in what is read, or come from elsewhere.
    UNPACKS = 32, "unpacks";
    /// With it code is only checked, and not run.
    CHECKS = 33, "checks";
    /// With it a formatter only shows what it would change, unless its value says no, and what unpacks writes nothing.
    SHOWS = 34, "shows";
    /// With it what is unpacked may lie anywhere, because names in the archive count as they are.
    ANYWHERE = 35, "anywhere";
    /// With it what is unpacked stays below one directory; without it the program takes names in an archive as they are.
    CONFINED = 36, "confined";
    /// It stands for what is copied, so that one operand is the target.
    SOURCE = 37, "source";
    /// With it the first operand is a directory that a container works in, in place of an image.
    DIRECTORY_AS_IMAGE = 38, "directory_as_image";
    /// With it, or with one of its values, what runs in a container comes to every file of the machine.
    MACHINE = 39, "machine";
    /// Its value is a directory that the program empties before it writes there, or removes.
    EMPTIES = 40, "empties";
    /// With it commits or tags go to another repository, as by `git push`.
    PUSHES = 41, "pushes";
});

set!(Traits: u64 {
    /// Files that options name say what is looked for: what is searched are the operands.
    SEARCHES = 0, "searches";
    /// It takes further arguments from a file: `@arguments`.
    RESPONSE_FILES = 1, "response_files";
    /// Its arguments are those of what it runs, or texts: an option among them need not be its own.
    PASSES_ON = 2, "passes_on";
    /// An argument that cannot be determined can be one of its options that run something.
    MAY_RUN = 3, "may_run";
    /// An argument acts that is no option, so that `--` before it changes nothing.
    OPERANDS_ACT = 4, "operands_act";
    /// No word of its output begins with a dash.
    PLAIN_OUTPUT = 5, "plain_output";
    /// What is typed into it, it runs, or can be made to.
    TAKES_COMMANDS = 6, "takes_commands";
    /// Its arguments are never a command, however much they look like one.
    ARGUMENTS_ARE_DATA = 7, "arguments_are_data";
    /// Its own commands have the names of other programs: `docker rm`.
    MANAGES = 8, "manages";
    /// Some of its own commands run another program: `npm exec`.
    RUNS_BY_COMMAND = 9, "runs_by_command";
    /// It can make links.
    MAKES_LINKS = 10, "makes_links";
    /// Its operands are read by code of its own, and all are known.
    OWN_OPERANDS = 11, "own_operands";
    /// A shell.
    SHELL = 12, "shell";
    /// It runs code of a language, from a file, its arguments or its input.
    LANGUAGE = 13, "language";
    /// It runs code that is an argument or its input, and is there for more than that.
    INTERPRETER = 14, "interpreter";
    /// To allow it is to allow any code, though it is no shell and no language.
    OPEN_ENDED = 15, "open_ended";
    /// All long options of its manual are known.
    COMPLETE = 16, "complete";
    /// It takes whole directories in, or brings them, and is given files by addresses, too: `file://path`, `path#label`.
    TRANSFERS = 17, "transfers";
    /// It runs code of the project by itself, its settings or its tests: a rule on it covers code of the workspace that an option names.
    RUNS_PROJECT = 18, "runs_project";
    /// A subcommand that is not in its row is a program of another name: `kubectl-x`.
    PLUGINS = 19, "plugins";
    /// It runs what its arguments say, in ways that are not followed.
    RUNS_ARGUMENTS = 20, "runs_arguments";
    /// It is there to run the code of a project, or to work on it: a variable may point it at what lies in the workspace.
    PROJECT_TOOL = 21, "project_tool";
    /// It finds no settings by variables.
    NO_SETTINGS = 22, "no_settings";
    /// It runs Python code of the project.
    PYTHON_CODE = 23, "python_code";
    /// It only reads what it is given, whatever is not known of its options.
    ONLY_READS = 24, "only_reads";
    /// It only reads unless an option says that it corrects something.
    LINTER = 25, "linter";
    /// It gives files new names by a pattern.
    RENAMES = 26, "renames";
    /// Its arguments are texts, or names of what is there to be seen.
    SAYS_NOTHING = 27, "says_nothing";
    /// Its arguments are code or queries, which name files between quotes and signs, though it is no language.
    TAKES_QUERIES = 28, "takes_queries";
    /// Its operands are addresses even without a scheme.
    CLIENT = 29, "client";
    /// It gives what stands in files or databases.
    DUMPS = 30, "dumps";
    /// It changes no file, but for options that are looked at by themselves.
    QUIET = 31, "quiet";
    /// It talks to hosts that its arguments name, among other things.
    TALKS = 32, "talks";
    /// It takes a long option behind one dash, and behind more than two.
    ANY_DASHES = 33, "any_dashes";
    /// Its operands may be names on another machine: `host:path`.
    REMOTE_NAMES = 34, "remote_names";
    /// Its first word is letters of options, also without a dash: `tar cfC a.tar directory`. Their values follow one after the other.
    LETTERS_FIRST = 35, "letters_first";
    /// It takes an option behind a slash as well, in letters of any case, with its value behind a colon: `/out:x`.
    SLASH_OPTIONS = 36, "slash_options";
    /// What it reads can name files that it reads as well, and gives out: `.so`, `#+INCLUDE`, entities.
    INCLUDES = 37, "includes";
    /// It puts the home directory for `~` and `$HOME` itself, wherever the shell leaves them.
    EXPANDS_HOME = 38, "expands_home";
    /// It reads `.env` of its directory by itself and shows it, or gives it to what it runs, unless an option `read` names another file.
    LOADS_ENV = 39, "loads_env";
    /// Its operands may name images in files of this machine: `dir:path`, `oci-archive:path`.
    IMAGE_PLACES = 40, "image_places";
    /// It only looks, whatever it is given, but for what is known of its options and operands.
    LOOKS = 41, "looks";
    /// Where no operand names another one, it lists the names in its directory.
    LISTS_HERE = 42, "lists_here";
    /// Its operands may be a project, a directory or a file, whose code or settings it works with.
    PROJECTS = 43, "projects";
    /// The same of its first operand alone: `just ../recipe`.
    PROJECT_FIRST = 44, "project_first";
    /// Commits or tags go to another repository by it, as by `git push`.
    PUSHES = 45, "pushes";
    /// It runs commands that it is given behind a plus sign: `+command`, but for lines (`+10`), searches and ends of the file.
    PLUS_COMMANDS = 46, "plus_commands";
    /// It publishes packages, as `npm publish` does.
    PUBLISHES = 47, "publishes";
});

set!(CommandTraits: u32 {
    /// It is given the address of a repository, or keeps one, which can name a helper to run.
    ADDRESSES = 0, "addresses";
    /// Its operands never name a file within a revision, though they may have colons.
    NO_OBJECTS = 1, "no_objects";
    /// It has commands of its own; its options stand before them.
    OWN_COMMANDS = 2, "own_commands";
    /// All its options are known: another one may run something.
    COMPLETE = 3, "complete";
    /// The word behind it is a verb: no option stands before that.
    NO_OPTIONS_FIRST = 4, "no_options_first";
    /// It runs the command behind its options, which are all that it has.
    WRAPPER = 5, "wrapper";
    /// It only shows something, whatever its arguments are.
    SHOWS = 6, "shows";
    /// It is there to change the working tree: a rule that allows it means that it writes.
    WORKS = 7, "works";
    /// It makes whole trees in a directory that it is given, which need not be in the workspace.
    MAKES_TREES = 8, "makes_trees";
    /// It adds no name to the index.
    KEEPS_INDEX = 9, "keeps_index";
    /// No word of its output begins with a dash, unless an option gives it a format.
    PLAIN_OUTPUT = 10, "plain_output";
    /// Its first operand is a repository, which may be one of another machine.
    REPOSITORY = 11, "repository";
    /// Any operand may be such a repository.
    REPOSITORIES = 12, "repositories";
    /// What it reads can name files that it reads as well: `env_file: .env`.
    INCLUDES = 13, "includes";
    /// It reads `.env` of its directory by itself and shows it, or gives it to what it runs, unless an option `read` names another file.
    LOADS_ENV = 14, "loads_env";
    /// It changes no file that its operands name, but for what is known of its options.
    KEEPS_FILES = 15, "keeps_files";
    /// None of its operands names a file.
    NO_PATHS = 16, "no_paths";
    /// It runs nothing but what is known of it, unless a word ends in `;`, behind which stands another command of the program, or has
    /// a `#(` in it.
    IN_SEQUENCE = 17, "in_sequence";
    /// Its operands may be a project, a directory or a file, whose code or settings it works with.
    PROJECTS = 18, "projects";
    /// It runs what its arguments say, or sets what is run later.
    RUNS = 19, "runs";
    /// Commits or tags go to another repository by it, as by `git push`.
    PUSHES = 20, "pushes";
    /// The files that git tracks become what a revision holds.
    CHECKS_OUT = 21, "checks_out";
    /// It publishes packages, as `npm publish` does.
    PUBLISHES = 22, "publishes";
    /// It changes infrastructure, as `terraform apply` does.
    APPLIES = 23, "applies";
    /// It removes what the program keeps, wherever variables say that it does.
    CLEARS = 24, "clears";
    /// Its first operand is a name that is no file: of a script, of a task.
    NAME_FIRST = 25, "name_first";
    /// Its first operand is a repository, which may be of this machine: what that holds gets other names.
    BRINGS = 26, "brings";
    /// What is tracked here gets other names by it, or is given out.
    GIVES_OUT = 27, "gives_out";
});
