//! Texts whose truth is known because they were built from it: every command has a name of its own, decoys have
//! others and stand where nothing is run.

use std::collections::{BTreeMap, BTreeSet};

use tenon_shell::ShellGrammar;

/// What a generated text is built from.
#[derive(Debug, Default, Clone)]
pub(crate) struct Truth {
    /// Name of each command and its arguments, `None` for one that depends on an expansion.
    pub(crate) commands: BTreeMap<String, Vec<Option<String>>>,
    /// Operator and target of every redirection to or from a file.
    pub(crate) files: BTreeSet<(String, String)>,
    /// Variables with literal values.
    pub(crate) assignments: BTreeSet<(String, String)>,
    /// Names of functions.
    pub(crate) functions: BTreeSet<String>,
}

/// A small generator of numbers (xorshift), so that a seed names a text for ever.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % limit as u64).unwrap_or(0)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Builds texts.
pub(crate) struct Generator {
    pub(crate) random: Random,
    pub(crate) truth: Truth,
    bash: bool,
    counter: usize,
    /// Bodies of here-documents that begin at the next line end.
    pending: Vec<String>,
    /// How many more constructs may be opened.
    budget: usize,
    /// Whether substitutions hold no here-documents but in the one simple form.
    careful: bool,
    /// How many here-documents were begun in the command substitution that is being built; `None` outside of one.
    /// After one of them bash 5.2 forgets a `;`, so line ends are built instead.
    documents: Option<usize>,
    /// Whether what is built will stand in the body of a here-document.
    in_document: bool,
}

impl Generator {
    /// Texts for the reading of bash have no here-document among several commands in a substitution: bash 5.2 runs
    /// something else than such a text says, and the reader refuses it.
    pub(crate) fn for_dialect(seed: u64, bash: bool, dialect: ShellGrammar) -> Self {
        Self {
            careful: dialect == ShellGrammar::Bash,
            ..Self::new(seed, bash)
        }
    }

    pub(crate) fn new(seed: u64, bash: bool) -> Self {
        Self {
            careful: bash,
            random: Random::new(seed),
            truth: Truth::default(),
            bash,
            counter: 0,
            pending: Vec::new(),
            budget: 14,
            documents: None,
            in_document: false,
        }
    }

    /// A whole text.
    pub(crate) fn text(&mut self) -> String {
        self.list(0)
    }

    fn unique(&mut self, letter: &str) -> String {
        self.counter += 1;
        format!("{letter}{}", self.counter)
    }

    fn deeper(&mut self, depth: usize) -> bool {
        if depth > 5 || self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        true
    }

    fn flush(&mut self) -> String {
        let mut text = String::from("\n");
        for body in std::mem::take(&mut self.pending) {
            text.push_str(&body);
        }
        text
    }

    /// Commands, ended by a separator.
    fn list(&mut self, depth: usize) -> String {
        let mut text = String::new();
        for _ in 0..=self.random.below(3) {
            text.push_str(&self.and_or(depth));
            let separator = match self.random.below(10) {
                0..3 => "; ".to_owned(),
                3 => " & ".to_owned(),
                4 => {
                    let decoy = self.unique("d");
                    // In the body of a here-document the backslash would join the comment with the next line.
                    let last = if self.in_document { "" } else { "\\" };
                    let end = self.flush();
                    format!(" # {decoy}; $({decoy}) `{decoy}` ' \" << {decoy} {last}{end}")
                }
                _ => self.flush(),
            };
            text.push_str(&separator);
        }
        if !self.pending.is_empty() {
            text.pop();
            let end = self.flush();
            text.push_str(&end);
        }
        text
    }

    /// A list in a place with line ends of its own, such as `$(…)`.
    fn enclosed(&mut self, depth: usize) -> String {
        let outer = std::mem::take(&mut self.pending);
        let outer_documents = self.documents.replace(0);
        let text = self.list(depth + 1);
        self.documents = outer_documents;
        self.pending = outer;
        // Two parentheses in a row would begin arithmetic.
        if text.starts_with('(') {
            format!(" {text}")
        } else {
            text
        }
    }

    fn and_or(&mut self, depth: usize) -> String {
        let mut text = self.pipeline(depth);
        while self.random.chance(25) {
            let operator = if self.random.chance(50) { "&&" } else { "||" };
            let gap = if self.random.chance(20) {
                self.flush()
            } else {
                " ".into()
            };
            text = format!("{text} {operator}{gap}{}", self.pipeline(depth));
        }
        text
    }

    fn pipeline(&mut self, depth: usize) -> String {
        let prefix = match self.random.below(12) {
            0 => "! ",
            1 if self.bash && self.documents.is_none() => "time ",
            2 if self.bash && self.documents.is_none() => "time -p ! ",
            _ => "",
        };
        let mut text = format!("{prefix}{}", self.command(depth));
        while self.random.chance(20) {
            let operator = if self.bash && self.random.chance(20) {
                "|&"
            } else {
                "|"
            };
            let gap = if self.random.chance(20) {
                self.flush()
            } else {
                " ".into()
            };
            text = format!("{text} {operator}{gap}{}", self.command(depth));
        }
        text
    }

    fn command(&mut self, depth: usize) -> String {
        if self.random.chance(55) || !self.deeper(depth) {
            return self.simple(depth);
        }
        let kinds = if self.bash { 15 } else { 9 };
        let depth = depth + 1;
        let text = match self.random.below(kinds) {
            0 => format!("{{ {}}}", self.list(depth)),
            1 => format!("({})", self.list(depth)),
            2 => {
                let condition = self.list(depth);
                let body = self.list(depth);
                let mut text = format!("if {condition}then {body}");
                if self.random.chance(40) {
                    let condition = self.list(depth);
                    text = format!("{text}elif {condition}then {}", self.list(depth));
                }
                if self.random.chance(50) {
                    text = format!("{text}else {}", self.list(depth));
                }
                format!("{text}fi")
            }
            3 => {
                let word = if self.random.chance(50) {
                    "while"
                } else {
                    "until"
                };
                let condition = self.list(depth);
                format!("{word} {condition}do {}done", self.list(depth))
            }
            4 => {
                let name = self.unique("v");
                let word = self.word(depth);
                let separator = if self.pending.is_empty() {
                    "; ".to_owned()
                } else {
                    self.flush()
                };
                format!(
                    "for {name} in {}{separator}do {}done",
                    word.0,
                    self.list(depth)
                )
            }
            5 => {
                let subject = self.word(depth).0;
                let pattern = self.word(depth).0;
                let gap = if self.random.chance(50) || !self.pending.is_empty() {
                    self.flush()
                } else {
                    " ".into()
                };
                let open = if self.random.chance(50) { "(" } else { "" };
                let first = self.list(depth);
                let decoy = self.unique("d");
                let second = self.list(depth);
                format!(
                    "case {subject} in{gap}{open}{pattern}) {first};; {decoy}|'{decoy}') {second}esac"
                )
            }
            6 => {
                let name = self.unique("f");
                self.truth.functions.insert(name.clone());
                format!("{name}() {{ {}}}", self.list(depth))
            }
            7 => {
                let name = self.unique("f");
                self.truth.functions.insert(name.clone());
                format!("{name} ( ) ({})", self.list(depth))
            }
            8 => format!("( ({}) )", self.list(depth)),
            9 => format!(
                "[[ -n {} && ( a == {} || ! b < {} ) ]]",
                self.word(depth).0,
                self.word(depth).0,
                self.word(depth).0
            ),
            10 => format!("(( 1 $({}) ))", self.enclosed(depth)),
            11 => format!("coproc {{ {}}}", self.list(depth)),
            12 => {
                let name = self.unique("f");
                self.truth.functions.insert(name.clone());
                format!("function {name} {{ {}}}", self.list(depth))
            }
            13 => {
                let body = self.list(depth);
                format!(
                    "for ((i=0$({}); i<1; i++)) do {body}done",
                    self.enclosed(depth)
                )
            }
            _ => {
                let name = self.unique("v");
                format!(
                    "select {name} in {}; do {}done",
                    self.plain_word(),
                    self.list(depth)
                )
            }
        };
        if self.random.chance(25) {
            let redirection = self.redirection(depth);
            return format!("{text} {redirection}");
        }
        text
    }

    fn simple(&mut self, depth: usize) -> String {
        let mut text = String::new();
        if self.random.chance(20) {
            let name = self.unique("v");
            let word = self.word(depth);
            if let Some(value) = word.1 {
                self.truth.assignments.insert((name.clone(), value));
            }
            text = format!("{name}={} ", word.0);
        }
        if self.bash && self.random.chance(7) {
            let name = self.unique("v");
            text = format!("{text}{name}[1$({})]=1 ", self.enclosed(depth + 1));
        }
        if self.bash && self.random.chance(7) {
            let name = self.unique("v");
            // In a substitution bash 5.2 loses backslashes of arrays.
            let plain = self.documents.is_some();
            let mut element = || {
                if plain {
                    self.plain_word()
                } else {
                    self.word(depth).0
                }
            };
            text = format!("{text}{name}=({} {}) ", element(), element());
        }
        if self.random.chance(10) {
            let redirection = self.redirection(depth);
            text = format!("{text}{redirection} ");
        }
        let name = self.unique("c");
        text.push_str(&self.spelled(&name));
        let mut arguments = Vec::new();
        for _ in 0..self.random.below(4) {
            let word = self.word(depth);
            text.push_str(if self.random.chance(10) {
                " \\\n "
            } else {
                " "
            });
            text.push_str(&word.0);
            arguments.push(word.1);
            if self.random.chance(12) {
                let redirection = self.redirection(depth);
                text = format!("{text} {redirection}");
            }
        }
        self.truth.commands.insert(name, arguments);
        text
    }

    /// The name of a command in one of its aliases.
    fn spelled(&mut self, name: &str) -> String {
        let (first, rest) = name.split_at(1);
        match self.random.below(12) {
            0 => format!("'{name}'"),
            1 => format!("\"{name}\""),
            2 => format!("\\{name}"),
            3 => format!("{first}''{rest}"),
            4 => format!("{first}\\\n{rest}"),
            5 if self.bash => format!("$'\\x63{rest}'"),
            _ => name.to_owned(),
        }
    }

    fn plain_word(&mut self) -> String {
        self.unique("a")
    }

    /// The source of a word and its value.
    fn word(&mut self, depth: usize) -> (String, Option<String>) {
        let decoy = self.unique("d");
        let kinds = if self.bash { 20 } else { 17 };
        match self.random.below(kinds) {
            0..4 => {
                let word = self.plain_word();
                (word.clone(), Some(word))
            }
            4 => (
                format!("'$({decoy}) `{decoy}`; {decoy} & #\n'"),
                Some(format!("$({decoy}) `{decoy}`; {decoy} & #\n")),
            ),
            5 => (
                format!("\"\\$({decoy}) \\`{decoy}\\`; \\\"{decoy}\\\" '\""),
                Some(format!("$({decoy}) `{decoy}`; \"{decoy}\" '")),
            ),
            6 => (
                format!("a\\;{decoy}\\ \\&\\$\\({decoy}\\)#x"),
                Some(format!("a;{decoy} &$({decoy})#x")),
            ),
            7 => (format!("-o={decoy}''"), Some(format!("-o={decoy}"))),
            8 => (
                format!("\"a\\\nb\"{decoy}\\\nc"),
                Some(format!("ab{decoy}c")),
            ),
            9 if self.random.chance(20) => {
                let name = self.unique("c");
                let end = self.unique("E");
                self.truth.commands.insert(name.clone(), Vec::new());
                (
                    format!("\"$({name} <<'{end}'\n$({decoy}) ' \" )\n{end}\n)\""),
                    None,
                )
            }
            9 if self.deeper(depth) => (format!("$({})", self.enclosed(depth)), None),
            10 if self.deeper(depth) => (format!("\"x$({})'\"", self.enclosed(depth)), None),
            11 if self.deeper(depth) => {
                let inner = self
                    .enclosed(depth)
                    .replace('\\', "\\\\")
                    .replace('`', "\\`");
                (format!("`{inner}`"), None)
            }
            12 if self.deeper(depth) => (format!("${{x:-$({})}}", self.enclosed(depth)), None),
            13 if self.deeper(depth) => (format!("\"${{x#$({})}}\"", self.enclosed(depth)), None),
            14 if self.deeper(depth) => (format!("$((1 $({})))", self.enclosed(depth)), None),
            15 => (format!("${{x-'{decoy}'}}\"$1\"'$({decoy})'"), None),
            16 if self.deeper(depth) => (format!("${{x:+\"$({})\"}}", self.enclosed(depth)), None),
            17 if self.deeper(depth) => (format!("<({})", self.enclosed(depth)), None),
            // In a substitution a quote mark in `$'…'` is refused.
            18 if self.documents.is_some() => (
                format!("$'{decoy}\\n\\t$({decoy})\\x41'"),
                Some(format!("{decoy}\n\t$({decoy})A")),
            ),
            18 => (
                format!("$'\\'{decoy}\\n\\t$({decoy})\\x41'"),
                Some(format!("'{decoy}\n\t$({decoy})A")),
            ),
            19 if self.deeper(depth) => (format!("$[ 1 $({}) ]", self.enclosed(depth)), None),
            _ => {
                let word = self.plain_word();
                (word.clone(), Some(word))
            }
        }
    }

    fn redirection(&mut self, depth: usize) -> String {
        let text = self.redirection_text(depth);
        if text.starts_with("<<") && !text.starts_with("<<<") {
            self.documents = self.documents.map(|documents| documents + 1);
        }
        text
    }

    fn redirection_text(&mut self, depth: usize) -> String {
        let file = self.unique("r");
        let careful = self.careful && self.documents.is_some();
        let descriptor = ["", "2", "1"]
            .into_iter()
            .nth(self.random.below(3))
            .unwrap_or_default();
        match self.random.below(10) {
            0 => {
                self.truth.files.insert(("Append".into(), file.clone()));
                format!("{descriptor}>> {file}")
            }
            1 => {
                self.truth.files.insert(("Read".into(), file.clone()));
                format!("<{file}")
            }
            2 => format!("{descriptor}>&2"),
            3 => {
                self.truth.files.insert(("Clobber".into(), file.clone()));
                format!("{descriptor}>|'{file}'")
            }
            4 if !careful => {
                let end = self.unique("E");
                let decoy = self.unique("d");
                let quoted = match self.random.below(3) {
                    0 => format!("'{end}'"),
                    1 => format!("\\{end}"),
                    _ => format!("\"{end}\""),
                };
                self.pending.push(format!(
                    "$({decoy}) `{decoy}` ' \"\n {end}\n{end} \n{end}\n"
                ));
                format!("<<{quoted}")
            }
            5 if !careful && self.deeper(depth) => {
                let end = self.unique("E");
                let decoy = self.unique("d");
                let outer = std::mem::replace(&mut self.in_document, true);
                let inner = self.enclosed(depth + 1);
                self.in_document = outer;
                self.pending
                    .push(format!("\\$({decoy}) ' $({inner})\na\\\n{end}\n{end}\n"));
                format!("<<{end}")
            }
            6 if !careful => {
                let end = self.unique("E");
                self.pending.push(format!("\t$x ${{x}}\n\t{end}\n"));
                format!("<<-{end}")
            }
            7 if self.bash => {
                self.truth.files.insert(("WriteBoth".into(), file.clone()));
                format!("&>{file}")
            }
            8 if self.bash => {
                let word = self.word(depth);
                format!("<<< {}", word.0)
            }
            _ => {
                self.truth.files.insert(("Write".into(), file.clone()));
                format!("{descriptor}>{file}")
            }
        }
    }
}
