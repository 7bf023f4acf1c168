//! The form in which the library holds a row: lines of text that are read when its program is first asked for.
//!
//! A static with all that is known of a program would have an address for each of its words, and a loader fills all addresses in
//! when the library is loaded, of programs that nobody runs too. A text has none, and the words of a program are parts of it.
//!
//! A line is a key with fields behind it, with a tab before each. No word has blanks in it, so that lists have them between
//! words, and names of several words commas. What a row does not say has no line.
//!
//! ```text
//! program ⇥ names ⇥ source
//! options ⇥ X1:file n:outDir …          a list; others name it by its place
//! before  ⇥ programs ⇥ list
//! mode    ⇥ name ⇥ options that select it ⇥ list ⇥ operands ⇥ makes
//! command ⇥ name ⇥ aliases ⇥ alike ⇥ list ⇥ operands ⇥ verbs ⇥ traits
//! look    ⇥ subcommand ⇥ list ⇥ `*` where others may be given ⇥ needed ⇥ operands ⇥ with which ⇥ with which it asks
//! ```
//!
//! An option begins with the letter of its value, which is small where it stands behind one dash and behind two, and the number
//! of its effects.

use crate::command::{Before, Name, Subcommand};
use crate::effects::{CommandTraits, Effects, Traits};
use crate::looks::{ANY, operands_named};
use crate::mode::Mode;
use crate::program::{Behind, Look, Operands, Opt, Program, Runs, Value, Wrapper};
use crate::row::{read_below, read_links, read_operands};

/// The letters of values.
pub(crate) const VALUES: [(char, Value); 6] = [
    ('N', Value::None),
    ('X', Value::Next),
    ('A', Value::Attached),
    ('O', Value::Optional),
    ('G', Value::Glued),
    ('U', Value::Unknown),
];
/// What a wrapper can run.
pub(crate) const RUNS: [(&str, Runs); 8] = [
    ("command", Runs::Command),
    ("package", Runs::Package),
    ("applet", Runs::Applet),
    ("text", Runs::Text),
    ("texts", Runs::Texts),
    ("names", Runs::Names),
    ("marked", Runs::Marked),
    ("shell", Runs::Shell),
];
/// The line that a record begins with.
pub(crate) const PROGRAM: &str = "program";
/// A line behind a record: a command, and what it does.
pub(crate) const EXAMPLE: &str = "example";
/// Before operands where the program uses files beside those that are known.
pub(crate) const PARTLY: &str = "partly, ";

/// The names of a record, without reading the rest of it.
pub(crate) fn names(record: &'static str) -> impl Iterator<Item = &'static str> {
    let mut fields = record.lines().next().unwrap_or_default().split('\t');
    fields.nth(1).unwrap_or_default().split(' ')
}

/// The examples behind a record: commands, and what they do.
pub(crate) fn examples(record: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = record.lines().filter_map(|line| line.split_once('\t'));
    let examples = lines.filter(|(key, _)| *key == EXAMPLE);
    examples.filter_map(|(_, example)| example.split_once('\t'))
}

/// Reads what [`written`](crate::written_record::written) wrote.
pub(crate) fn read(record: &'static str) -> Program {
    let mut program = Program::default();
    let mut lists: Vec<&'static [Opt]> = Vec::new();
    let mut before = Vec::new();
    let mut commands = Vec::new();
    let mut modes = Vec::new();
    let mut looks = Vec::new();
    for line in record.lines() {
        let mut fields = line.split('\t');
        let key = fields.next().unwrap_or_default();
        let mut next = || fields.next().unwrap_or_default();
        match key {
            PROGRAM => {
                program.names = list(next());
                program.source = next();
            }
            "options" => lists.push(options(next())),
            "before" => before.push(Before {
                programs: list(next()),
                options: at(&lists, next()),
            }),
            "command" => commands.push(command(next, &lists)),
            "mode" => modes.push(Mode {
                name: next(),
                by: list(next()),
                options: at(&lists, next()),
                operands: operands(next()),
                makes: list(next()),
            }),
            "look" => looks.push(look(next, &lists)),
            "settings" => program.settings = list(next()),
            "wrapper" => program.wrapper = Some(wrapper(next())),
            "makes" => program.makes = list(next()),
            "finds" => program.finds = list(next()),
            "exec" => program.exec_words = list(next()),
            "patterns" => program.exec_patterns = list(next()),
            "operands" => program.operands = operands(next()),
            "traits" => {
                program.traits = Traits::of(u64::from_str_radix(next(), 16).unwrap_or_default());
            }
            "below" => program.below = read_below(next()).ok().flatten(),
            "links" => program.links = read_links(next()).unwrap_or_default(),
            "behind" => program.possible.commands = list(next()),
            "values" => program.possible.values = next(),
            _ => {}
        }
    }
    program.options = lists.first().copied().unwrap_or_default();
    program.before = Vec::leak(before);
    program.modes = Vec::leak(modes);
    program.looks = Vec::leak(looks);
    with_sums(program, Vec::leak(commands))
}

/// The subcommand of these fields.
fn command(mut next: impl FnMut() -> &'static str, lists: &[&'static [Opt]]) -> Subcommand {
    Subcommand {
        name: list(next()),
        aliases: command_names(next()),
        alike: command_names(next()),
        options: at(lists, next()),
        operands: operands(next()),
        verbs: list(next()),
        traits: CommandTraits::of(u32::from_str_radix(next(), 16).unwrap_or_default()),
        wrapper: Some(next()).filter(|text| !text.is_empty()).map(wrapper),
    }
}

/// The form of these fields.
fn look(mut next: impl FnMut() -> &'static str, lists: &[&'static [Opt]]) -> Look {
    Look {
        command: list(next()),
        options: at(lists, next()),
        are_excepted: next() == ANY,
        needs: list(next()),
        operands: operands_named(next()).unwrap_or_default(),
        with: list(next()),
        asks: list(next()),
    }
}

/// The program with its subcommands, and what follows from them and its options.
fn with_sums(program: Program, commands: &'static [Subcommand]) -> Program {
    let do_all = |options: &[Opt]| {
        let options = options.iter();
        options.fold(Effects::NONE, |all, option| all.with(option.effects))
    };
    let mut command_names: Vec<(Name, usize)> = commands
        .iter()
        .enumerate()
        .flat_map(|(place, command)| command.names().map(move |name| (name, place)))
        .collect();
    command_names.sort_unstable();
    Program {
        commands,
        options_do: do_all(program.options),
        commands_do: commands.iter().fold(Effects::NONE, |all, command| {
            all.with(do_all(command.options))
        }),
        commands_are: commands
            .iter()
            .fold(CommandTraits::NONE, |all, command| all.with(command.traits)),
        command_names: Vec::leak(command_names),
        has_synonyms: commands
            .iter()
            .any(|command| !command.aliases.is_empty() || !command.alike.is_empty()),
        ..program
    }
}

/// The list of options at this place.
fn at(lists: &[&'static [Opt]], place: &str) -> &'static [Opt] {
    let list = place.parse().ok().and_then(|place: usize| lists.get(place));
    list.copied().unwrap_or_default()
}

fn list(text: &'static str) -> &'static [&'static str] {
    if text.is_empty() {
        return &[];
    }
    Vec::leak(text.split(' ').collect())
}

fn command_names(text: &'static str) -> &'static [Name] {
    if text.is_empty() {
        return &[];
    }
    Vec::leak(text.split(',').map(list).collect())
}

fn options(text: &'static str) -> &'static [Opt] {
    if text.is_empty() {
        return &[];
    }
    Vec::leak(text.split(' ').map(option).collect())
}

fn option(text: &'static str) -> Opt {
    let (shape, name) = text.split_once(':').unwrap_or_default();
    let letter = shape.chars().next().unwrap_or_default();
    let value = VALUES
        .iter()
        .find(|(known, _)| *known == letter.to_ascii_uppercase());
    let effects = shape.get(1..).unwrap_or_default();
    Opt {
        name,
        any_dashes: letter.is_ascii_lowercase(),
        value: value.map_or(Value::Unknown, |(_, value)| *value),
        effects: Effects::of(u64::from_str_radix(effects, 16).unwrap_or_default()),
    }
}

fn operands(text: &str) -> Option<Operands> {
    let (text, partly) = match text.strip_prefix(PARTLY) {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    read_operands(text, partly).ok().flatten()
}

fn wrapper(text: &str) -> Wrapper {
    let mut words = text.split(' ');
    let runs = words.next().unwrap_or_default();
    let runs = RUNS.iter().find(|(name, _)| *name == runs);
    let operands = words.next().unwrap_or_default();
    let has = |name: &str| words.clone().any(|word| word == name);
    Wrapper {
        operands: operands.parse().unwrap_or_default(),
        assignments: has("assignments"),
        transparent: has("transparent"),
        starts_shell: has("starts-shell"),
        lone_dash: has("lone-dash"),
        forwards: has("forwards"),
        behind: match () {
            () if has("behind-dashes") => Behind::Dashes,
            () if has("behind-option") => Behind::Option,
            () => Behind::Operands,
        },
        runs: runs.map_or(Runs::Command, |(_, runs)| *runs),
    }
}
