//! Operands of programs that name files (docs/policy.md, "Commands"). The programs that are known are read exactly; what others are given is
//! compared with the names that rules protect.

pub(crate) mod copies;
mod emptied;
pub(crate) mod guarded;
mod own_reads;

use std::borrow::Cow;
use std::path::Path;

use smallvec::SmallVec;
use tenon_programs::{CommandTraits, Program, Traits, parse};
use tenon_shell::{AccessScope, FileOperand, HOME, Invocation, Part, Word, path_of_file_url};

use crate::commands::judge::visited_texts::VisitedTexts;
use crate::commands::judge::{CommandJudge, Extent, RequiredCheck, Usage, file_kind, part_kind};
use crate::commands::resolve::{DirId, Inside, ResolvedText, Site};
use crate::commands::words::addresses::behind_letter;
use crate::commands::words::git::keeps_files;
use crate::commands::words::selection::EVERYTHING;
use crate::commands::words::texts::{TEXTS, splits};
use crate::commands::words::{Effects, git_is, in_braces, lists_of_braces, takes_code};
use crate::protected::{protected_among, protected_made};
use crate::rule::{Kind, Rule};

impl<'e> CommandJudge<'e, '_> {
    /// The files that one command uses.
    pub(crate) fn operands<'i>(
        &mut self,
        effects: &Effects<'i>,
        at: Site<'_>,
        reading: &ResolvedText,
        seen: &mut VisitedTexts<'i>,
    ) {
        for file in &effects.files {
            if file.reach.is_of_work_tree() {
                self.tracked(file, effects, at, reading);
            } else if !self.is_elsewhere(file, effects, at) {
                self.operand(file, effects, at);
            }
        }
        let everything = match effects.selection.spares_git {
            true => &effects.selection,
            false => &EVERYTHING,
        };
        let all_of = |kind| Usage::strict(kind).to(Extent::Below(everything));
        self.operands_in_braces(effects, at);
        if effects.reads_here {
            let usage = Usage::strict(Kind::Read).to(Extent::Below(&effects.selection));
            self.path(usage, ".", at);
        }
        // Where it runs may be anywhere: no more is known than of the change of the directory.
        if effects.lists_here && self.path_table.candidates(at.dirs).is_some() {
            self.path(Usage::strict(Kind::Read), ".", at);
        }
        if effects.writes_here {
            self.path(all_of(Kind::Write), ".", at);
        }
        self.listed(effects, at);
        self.copies_into_directory(effects, at);
        if at.makes_links() {
            self.targets_of_links(at);
        }
        self.guarded(effects, at);
        let says_nothing = effects.is(Traits::SAYS_NOTHING);
        if self.open || says_nothing || seen.holds(effects.words, at.dirs) {
            return;
        }
        // Of programs that are not known not everything that names a file is.
        let all = !effects.is_known;
        self.mentions(effects, at, all);
        if all {
            self.protected_outputs(effects.words, at);
            seen.note(effects.words, at.dirs);
        }
    }

    /// One operand that names a file by its path.
    fn operand(&mut self, file: &FileOperand<'_>, effects: &Effects<'_>, at: Site<'_>) {
        let kind = file_kind(file.access);
        let at = match file.reach {
            AccessScope::BelowFromTop => {
                at.in_dirs(self.path_table.tops(at.dirs, &self.engine.root))
            }
            _ => at,
        };
        if file.reach == AccessScope::Made {
            return self.made(kind, &file.word, at);
        }
        // Who allows a program for looking means that it looks; what it writes is decided like a redirection.
        let duty = match kind {
            Kind::Write if effects.only_looks => RequiredCheck::Full,
            Kind::Write | Kind::Delete if effects.makes_trees => RequiredCheck::Within,
            // Who allows containers has not said that they are given what is outside, even for reading: it can be a socket.
            _ if file.reach == AccessScope::Mounted => RequiredCheck::Known,
            Kind::Write | Kind::Delete if effects.base != "ln" => RequiredCheck::Known,
            _ => RequiredCheck::Strict,
        };
        if file.reach == AccessScope::Emptied {
            self.emptied(&file.word, at);
        }
        let extent = match effects.reaches_below(file) {
            true if file.reach == AccessScope::Emptied => Extent::Below(&EVERYTHING),
            true => Extent::Below(&effects.selection),
            false => Extent::Itself,
        };
        let usage = Usage::new(kind, duty).to(extent);
        let usage = usage.of_entry(file.reach == AccessScope::Entry);
        self.file(usage, &file.word, at);
        // To what a symbolic link leads nothing is written yet; its own name is, and by a hard link the file itself can be.
        if effects.base == "ln" && (kind == Kind::Write || !makes_symbolic_links(effects.words)) {
            let usage = Usage::new(Kind::Write, RequiredCheck::Known);
            self.surely_outside(usage, std::slice::from_ref(&*file.word), at);
        }
        let unpacks = effects.unpacks()
            || matches!(
                file.reach,
                AccessScope::Below | AccessScope::Mounted | AccessScope::Unpacked
            );
        if unpacks && kind == Kind::Write {
            self.unpacked(&file.word, at);
        }
    }

    /// Patterns of git, with the signs in front that it knows.
    fn path_pattern(&mut self, word: &Word, text: &str, at: Site<'_>) {
        let text = text
            .strip_prefix(":(")
            .and_then(|text| text.split_once(')'))
            .map_or(text, |(_, text)| text);
        let mut pattern = Word::synthetic("", word.span);
        pattern.parts.clear();
        pattern.parts.push(Part::text(text, false));
        let why = "git matches files by this pattern";
        self.perhaps_of_form(Usage::strict(Kind::Read), text, &pattern, why, at);
    }

    /// A name that a program makes up in part.
    fn made(&mut self, kind: Kind, word: &Word, at: Site<'_>) {
        let Some(pattern) = word.pattern() else {
            return;
        };
        if self.open {
            return;
        }
        if let Some(name) = protected_made(&pattern) {
            let reason = format!("A name that is made of `{pattern}` can be protected (`{name}`).");
            self.guard(&pattern, reason);
        }
        let why = "the program chooses a part of the name";
        self.perhaps_of_form(Usage::strict(kind), &pattern, word, why, at);
    }

    /// What is unpacked writes below a directory that need not be there yet.
    fn unpacked(&mut self, word: &Word, at: Site<'_>) {
        let Some(path) = word.literal() else { return };
        for directory in self.path_table.candidates(at.dirs).into_iter().flatten() {
            let name = self.path_table.follow(directory, path);
            if let Some(inside) = name.inside().filter(|inside| !inside.is_directory) {
                let places = inside.places(&self.engine.compared_root);
                self.below(Kind::Write, inside.name, &places);
            }
        }
    }

    /// Programs that are not known: an argument that names a file which rules protect is at least asked.
    fn mentions(&mut self, effects: &Effects<'_>, at: Site<'_>, all: bool) {
        if !self.bounds().files {
            return;
        }
        let names = names_no_file(effects);
        for word in effects.words.iter().skip(1) {
            if names.iter().any(|name| std::ptr::eq(*name, word)) {
                continue;
            }
            if let Some(text) = word.literal() {
                self.mentions_of(text, word, effects, at, all);
                continue;
            }
            if let Some(values) = self.known_texts(word, at) {
                for text in &values {
                    self.mentions_of(text, word, effects, at, all);
                }
            } else if all && word.expansion.globs && !word.prefix().starts_with('-') {
                self.file(Usage::strict(Kind::Read), word, at);
                self.file(Usage::strict(Kind::Write), word, at);
            } else {
                for text in self.texts_in_part(word, at) {
                    self.mentions_of(&text, word, effects, at, all);
                }
            }
        }
    }

    /// Texts that a word can be of which only a part is written there: with values that the text gives somewhere, and what stands behind
    /// an expansion and a slash, as if it named the working directory (`$PWD/.env`). All behind the sign of an option, too.
    fn texts_in_part(&self, word: &Word, at: Site<'_>) -> Vec<String> {
        let (option, behind) = match word.parts.as_slice() {
            [Part::Text { value, .. }, behind @ ..] if value.starts_with('-') => {
                let parts = behind.iter().cloned().collect();
                let behind = Word::of_parts(parts, word.expansion, word.span);
                (value.as_str(), Cow::Owned(behind))
            }
            _ => ("", Cow::Borrowed(word)),
        };
        let values = at.facts.beginnings(at.place.0, &behind);
        let values = values.iter().filter_map(Word::literal).map(str::to_owned);
        values
            .chain(behind_expansion(&behind))
            .chain(self.texts_with_home(&behind))
            .map(|text| format!("{option}{text}"))
            .collect()
    }

    /// The texts of a word with the home directory wherever the shell may put it, and nothing for what else is not known: a denied
    /// file that it may name so counts, even where `HOME` may be another one.
    fn texts_with_home(&self, word: &Word) -> Vec<String> {
        let home = self.engine.directories.home();
        let mut text = String::new();
        for part in &word.parts {
            match part {
                Part::Text { value, .. } => text.push_str(value),
                Part::Parameter { name, .. } if name == HOME => {
                    text.push_str(home.unwrap_or_default());
                }
                Part::Parameter { name, .. } if name == "PWD" => text.push('.'),
                _ => {}
            }
        }
        if let Some(home) = home.filter(|_| word.expansion.tilde) {
            for sign in ['=', ':'] {
                text = text.replace(&format!("{sign}~/"), &format!("{sign}{home}/"));
            }
        }
        lists_of_braces(&text).unwrap_or_else(|| vec![text])
    }

    /// The texts that a word can be, which is not written as it is: lists in braces, the values of a loop, also behind
    /// the sign of an option.
    pub(crate) fn known_texts(&self, word: &Word, at: Site<'_>) -> Option<Vec<String>> {
        let known = |words: Vec<Word>| -> Option<Vec<String>> {
            let texts = words.iter().map(|word| word.literal().map(str::to_owned));
            texts.collect()
        };
        if let Some(words) = in_braces(word).or_else(|| self.loop_values(word, at)) {
            return known(words);
        }
        // The working directory.
        let tilde = word.pattern().filter(|_| word.expansion.tilde);
        if let Some(path) = tilde.as_deref().and_then(|text| text.strip_prefix("~+/")) {
            return Some(vec![path.to_owned()]);
        }
        let [Part::Text { value, .. }, behind @ ..] = word.parts.as_slice() else {
            return None;
        };
        let value = value
            .strip_suffix('=')
            .filter(|name| name.starts_with('-'))?;
        let behind = Word::of_parts(behind.iter().cloned().collect(), word.expansion, word.span);
        let texts = known(self.loop_values(&behind, at)?)?;
        let whole = texts.into_iter().map(|text| format!("{value}={text}"));
        Some(whole.collect())
    }

    /// What one argument names, whole and in its pieces.
    fn mentions_of(
        &mut self,
        text: &str,
        word: &Word,
        effects: &Effects<'_>,
        at: Site<'_>,
        all: bool,
    ) {
        let (name, words) = (effects.base, effects.words);
        // Who only looks writes nothing.
        let looks = |judge: &Self| match name {
            "git" => keeps_files(words),
            _ => effects.only_reads(word) || judge.is_on_another_machine(word, effects),
        };
        let code = takes_code(effects.program);
        let splits = |sign| splits(sign, code);
        let is_path = name == "git" && !git_is(words, CommandTraits::NO_PATHS);
        if is_path && text.contains(['*', '?', '[', '(']) && !text.starts_with('-') {
            self.path_pattern(word, text, at);
        }
        // An address is no file.
        if text.starts_with("http://") || text.starts_with("https://") {
            return;
        }
        for path in file_urls(text) {
            self.mention(name, &path, looks, at);
        }
        if effects.is(Traits::EXPANDS_HOME) {
            self.mentions_with_home(name, text, at);
        }
        if let Some(path) = path_behind_letter(text, effects.program.filter(|_| !(all || code))) {
            self.mention(name, path, looks, at);
        }
        // Of a program that is known only its long options can be others.
        let is_other = || text.starts_with("--") && !TEXTS.iter().any(|name| text.contains(name));
        if !(all || code || is_other()) {
            return;
        }
        let whole = !text.chars().any(splits);
        let pieces = text.split(splits);
        let pieces = pieces.filter(|piece| piece.len() < text.len());
        // A sentence that is given to a known program is no new file: `git commit -m "update yarn.lock"`.
        let is_prose = effects.program.is_some()
            && !code
            && text.contains(' ')
            && !self.may_be_there(text, at);
        for path in std::iter::once(text).chain(pieces.take(if whole { 0 } else { usize::MAX })) {
            if !path.is_empty() && !path.starts_with('-') {
                let is_text = is_prose && path.len() == text.len();
                self.mention(name, path, |judge| is_text || looks(judge), at);
            }
        }
    }

    /// Whether something may stand at a name where the command may run.
    fn may_be_there(&self, name: &str, at: Site<'_>) -> bool {
        let is_free = |inside: Option<Inside<'_>>| inside.is_some_and(|inside| !inside.exists);
        self.all_places(name, at, is_free) != Some(true)
    }

    /// A program that is not known is given a name.
    fn mention(&mut self, name: &str, path: &str, looks: impl Fn(&Self) -> bool, at: Site<'_>) {
        for (kind, rule) in self.strict_hits(path, at) {
            if kind == Kind::Write && looks(self) {
                continue;
            }
            let program = match name {
                "" => "A command whose name is not known".to_owned(),
                name => format!("`{name}`"),
            };
            let reason = format!(
                "{program} may touch `{path}`, which the rule `{}` protects.",
                rule.text.rule
            );
            self.ask_by_rule((part_kind(kind), path), rule, reason);
        }
    }

    /// A variable for other programs whose value is a file that a rule keeps from being read: `TZ=:.env date`, `MAGIC=a:.env`.
    pub(crate) fn named_in_variable(&mut self, name: &str, value: &Word, at: Site<'_>) {
        if self.open || !self.bounds().files {
            return;
        }
        let texts = match value.literal() {
            Some(text) => vec![text.to_owned()],
            None => self.texts_in_part(value, at),
        };
        let pieces = texts.iter().flat_map(|text| text.split([':', ',', '=']));
        for path in pieces.filter(|path| !path.is_empty()) {
            let hits = self.strict_hits(path, at);
            let Some((kind, rule)) = hits.into_iter().find(|(kind, _)| *kind == Kind::Read) else {
                continue;
            };
            let reason = format!(
                "A program may read `{path}` by the variable `{name}`, and the rule `{}` protects it.",
                rule.text.rule
            );
            self.ask_by_rule((part_kind(kind), path), rule, reason);
        }
    }

    fn linked_ways(&self, directory: DirId, path: &str, at: Site<'_>) -> Vec<String> {
        if at.makes_links() {
            self.ways(directory, path, at).paths
        } else {
            Vec::new()
        }
    }

    fn strict_hits(&self, path: &str, at: Site<'_>) -> SmallVec<[(Kind, &'e Rule); 2]> {
        let rules = &self.engine.rules;
        let mut hits = SmallVec::new();
        for directory in self.path_table.candidates(at.dirs).into_iter().flatten() {
            let name = self.path_table.follow(directory, path);
            let found = self.path_table.strict(&name, || {
                self.at(directory, path, |places| {
                    [Kind::Read, Kind::Write].map(|kind| {
                        let place = rules.strict_place(places, |rule| {
                            rule.names_files() && rule.binds_file(kind, places, self.user())
                        });
                        place.and_then(|place| u32::try_from(place).ok())
                    })
                })
            });
            if let Some(identity) = name.inside().and_then(|inside| inside.shared) {
                for kind in [Kind::Read, Kind::Write] {
                    let rule = self.binding_identity(kind, identity);
                    hits.extend(rule.map(|rule| (kind, rule)));
                }
            }
            for (kind, place) in [Kind::Read, Kind::Write].into_iter().zip(found) {
                let rule = place.and_then(|place| rules.rules.get(place as usize));
                hits.extend(rule.map(|rule| (kind, rule)));
            }
            if at.makes_links() && !self.budget.has_ways() {
                // It can be any file.
                for kind in [Kind::Read, Kind::Write] {
                    let mut rules = rules.strict_on_files();
                    let rule = rules.find(|rule| rule.names_files() && rule.binds(kind));
                    hits.extend(rule.map(|rule| (kind, rule)));
                }
            }
            for way in self.linked_ways(directory, path, at) {
                let root = self.path_table.directory(Path::new("/"));
                for kind in [Kind::Read, Kind::Write] {
                    let rule = self.at(root, &way, |places| {
                        rules.strict_on(places).find(|rule| {
                            rule.names_files() && rule.binds_file(kind, places, self.user())
                        })
                    });
                    hits.extend(rule.map(|rule| (kind, rule)));
                }
            }
        }
        hits
    }
}

/// What stands behind the first slash behind the last expansion of a word.
fn behind_expansion(word: &Word) -> Option<String> {
    let is_written = |part: &Part| matches!(part, Part::Text { .. });
    let last = word.parts.iter().rposition(|part| !is_written(part))?;
    let mut tail = String::new();
    for part in word.parts.iter().skip(last + 1) {
        if let Part::Text { value, .. } = part {
            tail.push_str(value);
        }
    }
    let (_, behind) = tail.split_once('/')?;
    Some(behind.to_owned())
}

/// Whether `ln` is given `-s`.
fn makes_symbolic_links(words: &[Word]) -> bool {
    words.iter().skip(1).any(|word| {
        let text = word.prefix();
        match text.strip_prefix("--") {
            Some(long) => long.starts_with("sy") && "symbolic".starts_with(long),
            None => text.starts_with('-') && text.contains('s'),
        }
    })
}

/// How long a name in code may be.
const MOST_OF_NAME: usize = 512;

impl<'e> CommandJudge<'e, '_> {
    /// Code or queries that a program reads from its input: names of files stand there in quotes.
    pub(crate) fn fed_code(&mut self, name: &str, text: &str, at: Site<'_>) {
        if self.open || !self.bounds().files {
            return;
        }
        let no_name = |sign: char| sign.is_whitespace() || "(){}<>|;,".contains(sign);
        for piece in text.split(['"', '\'', '`']) {
            let is_name = piece.len() <= MOST_OF_NAME && !piece.contains(no_name);
            if !piece.is_empty() && is_name && !self.is_word_and_directory(piece, at) {
                self.mention(name, piece, |_| false, at);
            }
        }
    }

    /// A text from the input of a program that reads what is named in it: names of files stand there between any signs.
    pub(crate) fn fed_includes(&mut self, program: &Invocation, text: &str, at: Site<'_>) {
        if self.open || !self.bounds().files {
            return;
        }
        let name = program.base_name().unwrap_or_default();
        if program.is(Traits::EXPANDS_HOME) {
            self.mentions_with_home(name, text, at);
        }
        let between = |sign: char| sign.is_whitespace() || "\"'`<>=[](){},;".contains(sign);
        for piece in text.split(between) {
            for path in file_urls(piece) {
                self.mention(name, &path, |_| false, at);
            }
            let parts = piece
                .split([':', '\\'])
                .filter(|part| part.len() < piece.len());
            let named = std::iter::once(piece).chain(parts);
            for path in named.filter(|path| path.len() <= MOST_OF_NAME && path.contains(['.', '/']))
            {
                self.mention(name, path, |_| false, at);
            }
        }
    }

    /// Whether a word in quotes only happens to be the name of a directory.
    fn is_word_and_directory(&self, piece: &str, at: Site<'_>) -> bool {
        let is_directory = |inside: Option<Inside<'_>>| inside.is_some_and(|it| it.is_directory);
        !piece.contains(['/', '.']) && self.all_places(piece, at, is_directory) != Some(false)
    }
}

/// How many words are looked at; the lists are judged as they stand besides.
const MOST_WORDS: usize = 1_000;

impl<'e> CommandJudge<'e, '_> {
    /// The operands that name files once lists in braces are put in.
    pub(crate) fn operands_in_braces(&mut self, effects: &Effects<'_>, at: Site<'_>) {
        let words = effects.words;
        if !words.iter().any(|word| word.expansion.braces) || words.len() > MOST_WORDS {
            return;
        }
        let mut put_in: Vec<Word> = Vec::new();
        for word in words {
            match in_braces(word) {
                Some(values) => put_in.extend(values),
                None => put_in.push(word.clone()),
            }
        }
        put_in.truncate(MOST_WORDS);
        let effects = effects.with_words(&put_in);
        let named =
            |file: &&FileOperand<'_>| !file.reach.is_of_work_tree() && !file.word.is_opaque();
        for file in effects.files.iter().filter(named) {
            self.operand(file, &effects, at);
        }
    }
}

/// What is in the names of such options.
const WRITING: &[&str] = &[
    "out", "dest", "save", "log", "write", "export", "dump", "report", "record", "target",
    "to-file",
];

/// Whether an option says that its value is a file that is written.
fn writes(option: &str) -> bool {
    match option.strip_prefix("--") {
        Some(name) => WRITING.iter().any(|mark| name.contains(mark)),
        None => matches!(option, "-o" | "-O" | "-out" | "-output" | "-outfile"),
    }
}

/// The arguments that are no files, however a file is called: the names of the subcommand, and the operands of one that takes none. Only
/// words without a sign of a path count, which no option that may be unknown stands in front of.
fn names_no_file<'w>(effects: &Effects<'w>) -> SmallVec<[&'w Word; 4]> {
    // What git is given is known by code of its own.
    let program = effects.program.filter(|_| effects.base != "git");
    let arguments = effects.words.get(1..).unwrap_or_default();
    let Some(program) = program else {
        return SmallVec::new();
    };
    let operands = parse(program.options, arguments).operands;
    let Some((command, names)) = program.command(operands.iter().map(|word| word.literal())) else {
        return SmallVec::new();
    };
    let names = match command.is(CommandTraits::NO_PATHS) {
        true => operands.len(),
        false => names.saturating_add(command.is(CommandTraits::NAME_FIRST).into()),
    };
    let is_name = |word: &Word| {
        word.literal()
            .is_some_and(|text| !text.contains(['/', '.', '\\']))
    };
    let behind_option = |word: &Word| {
        let mut pairs = arguments.iter().zip(effects.words.iter());
        let pair = pairs.find(|(argument, _)| std::ptr::eq(*argument, word));
        pair.is_some_and(|(_, before)| before.prefix().starts_with('-'))
    };
    let operands = operands.into_iter().take(names);
    operands
        .filter(|word| is_name(word) && !behind_option(word))
        .collect()
}

/// The paths that addresses of files in an argument name, wherever they stand in it.
fn file_urls(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let starts = text.match_indices(':').map(|(at, _)| at);
    let starts = starts.filter_map(|at| at.checked_sub("file".len()));
    starts.filter_map(|start| {
        let (before, address) = (text.get(..start)?, text.get(start..)?);
        let address = address.split(['?', '#', ',', ';']).next()?;
        // `--profile:x` is none.
        let begins = !before.ends_with(|letter: char| letter.is_alphanumeric());
        path_of_file_url(address).filter(|_| begins)
    })
}

/// The path that stands behind the letter of an option in the same word (`-f.env`), unless the letter is known of the program.
fn path_behind_letter<'t>(text: &'t str, program: Option<&Program>) -> Option<&'t str> {
    let value = behind_letter(text)?;
    let name = text.get(1..text.len() - value.len())?;
    let is_known = program.is_some_and(|program| program.option(name).is_some());
    (!is_known && value.contains(['.', '/'])).then_some(value)
}

impl<'e> CommandJudge<'e, '_> {
    /// Protected names that the options of an unknown program name as its output.
    pub(crate) fn protected_outputs(&mut self, words: &[Word], at: Site<'_>) {
        let arguments = words
            .iter()
            .skip(1)
            .zip(words.iter().skip(2).map(Some).chain([None]));
        for (word, next) in arguments {
            let Some(text) = word.literal().filter(|text| text.starts_with('-')) else {
                continue;
            };
            let (option, value) = match text.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (text, next.and_then(Word::literal)),
            };
            if let Some(path) = value.filter(|_| writes(option))
                && protected_among(path).is_some()
            {
                self.path(Usage::strict(Kind::Write), path, at);
            }
        }
    }
}
