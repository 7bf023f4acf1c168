//! The expression of `find`.

use tenon_programs::Value;
use tenon_shell::{Word, find_option};

use crate::commands::words::selection::{Top, is_surely_operand};
use crate::commands::words::{Form, Selection};

/// What a `find` comes to, and whether it prints names and nothing else.
pub(crate) struct Finding {
    pub(crate) selection: Selection,
    pub(crate) lists_names: bool,
}

/// What an expression lets through: names of one of these forms, or any.
type Names = Option<Vec<Form>>;

#[derive(Default)]
struct Parser<'w> {
    words: &'w [Word],
    place: usize,
    /// Forms of the names of directories below which nothing is listed.
    closed: Vec<Form>,
    /// Forms of names that are not listed.
    not: Vec<Form>,
    /// The same of directories in the only one from which it goes.
    top: Top,
    /// Whether that is the working directory.
    from_here: bool,
    only_files: bool,
    depth: Option<usize>,
    follows: bool,
    /// Whether it prints something other than names.
    otherwise: bool,
    /// Whether an action says what is printed.
    acts: bool,
    /// Whether it deletes, and does nothing else.
    deletes: Option<bool>,
}

/// The names that part of an expression lets through, whether it acts, and whether it lets through directories alone.
#[derive(Default)]
struct Part {
    names: Names,
    acts: bool,
    directories: bool,
}

impl Finding {
    pub(crate) fn new(arguments: &[Word]) -> Self {
        let mut parser = Parser {
            words: arguments,
            ..Parser::default()
        };
        parser.roots();
        // What the shell makes of an argument can be several.
        let tests = arguments.get(parser.place..).unwrap_or_default();
        let is_known = !tests.iter().any(|word| word.expansion.any());
        let found = Some(()).filter(|()| is_known && !tests.is_empty());
        let found = match found {
            Some(()) => parser.list().filter(|_| parser.place == arguments.len()),
            None if is_known => Some(Vec::new()),
            None => None,
        };
        match found {
            // Where actions say what is printed, the rest of the expression prints nothing.
            Some(parts) => {
                let (acts, all) = (parser.acts, parts.is_empty());
                let printing = parts.into_iter().filter(|part| part.acts || !acts);
                let printing: Vec<Part> = printing.collect();
                // What is deleted without anything else has nothing below it.
                let directories_only = parser.deletes == Some(true)
                    && !parser.follows
                    && printing.iter().all(|part| part.directories);
                let printing = printing.into_iter();
                Self {
                    selection: Selection {
                        directories_only,
                        only: any(printing.map(|part| part.names)).filter(|_| !all),
                        closed: parser.closed,
                        not: parser.not,
                        // By a link there can be another way there.
                        top: match parser.follows {
                            true => Top::default(),
                            false => parser.top,
                        },
                        only_files: parser.only_files && !parser.follows,
                        follows: parser.follows,
                        depth: parser.depth,
                        ..Selection::default()
                    },
                    lists_names: !parser.otherwise,
                }
            }
            None => Self {
                selection: Selection {
                    follows: true,
                    ..Selection::default()
                },
                lists_names: false,
            },
        }
    }
}

/// What one of several lets through.
fn any(parts: impl Iterator<Item = Names>) -> Names {
    let mut forms = Vec::new();
    for part in parts {
        forms.extend(part?);
    }
    Some(forms)
}

impl<'w> Parser<'w> {
    fn peek(&self) -> Option<&'w str> {
        self.words.get(self.place).and_then(Word::literal)
    }

    fn roots(&mut self) {
        let mut roots = Vec::new();
        self.from_here = true;
        while let Some(word) = self.words.get(self.place) {
            match word.literal() {
                Some("-L" | "-H" | "-follow") => self.follows = true,
                Some("-P") => {}
                _ if word.prefix().starts_with(['-', '(', '!', ')', ',']) => return,
                // What is expanded to nothing, or to an option, is no root.
                None if !is_surely_operand(word) => return,
                root => {
                    roots.push(root);
                    self.from_here = matches!(roots.as_slice(), [Some(".")]);
                }
            }
            self.place += 1;
        }
    }

    /// Alternatives; `None` when the expression is not understood.
    fn list(&mut self) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        loop {
            parts.push(self.all()?);
            match self.peek() {
                Some("-o" | "-or") => self.place += 1,
                _ => return Some(parts),
            }
        }
    }

    /// What must hold together.
    fn all(&mut self) -> Option<Part> {
        let mut part = Part::default();
        while self.place < self.words.len() {
            match self.peek()? {
                "-o" | "-or" | ")" => break,
                "," => return None,
                "-a" | "-and" => self.place += 1,
                _ => {
                    let next = self.one()?;
                    // Of what must hold before the first action one thing will do.
                    if !part.acts {
                        part.names = part.names.or(next.names);
                        part.directories |= next.directories;
                    }
                    part.acts |= next.acts;
                }
            }
        }
        Some(part)
    }

    fn one(&mut self) -> Option<Part> {
        let text = self.peek()?;
        self.place += 1;
        let open = Part::default();
        match text {
            "(" => self.group(),
            "!" | "-not" => {
                self.close();
                let inner = self.one()?;
                Some(Part {
                    acts: inner.acts,
                    ..open
                })
            }
            "-type" => self.kind(),
            "-name" => self.name(Form::new),
            "-iname" => self.name(Form::in_any_case),
            "-maxdepth" => {
                self.depth = self.peek().and_then(|text| text.parse().ok());
                self.place += 1;
                Some(open)
            }
            "-follow" => {
                self.follows = true;
                Some(open)
            }
            "-print" | "-print0" => {
                (self.acts, self.deletes) = (true, Some(false));
                Some(Part { acts: true, ..open })
            }
            "-delete" => {
                let deletes = self.deletes.unwrap_or(true);
                let part = self.act(0);
                self.deletes = Some(deletes);
                part
            }
            "-rm" | "-ls" => self.act(0),
            "-printf" | "-fprint" | "-fprint0" | "-fls" => self.act(1),
            "-fprintf" => self.act(2),
            "-exec" | "-execdir" | "-ok" | "-okdir" => self.exec(),
            _ => {
                if find_option(text.strip_prefix('-')?)?.value == Value::None {
                    return Some(open);
                }
                let value = self.words.get(self.place)?;
                self.place += 1;
                // In quotes an expansion is one value.
                (value.literal().is_some() || !value.expansion.any()).then_some(open)
            }
        }
    }

    /// The kind of file behind `-type`.
    fn kind(&mut self) -> Option<Part> {
        let kind = self.peek()?;
        let holds = !self.acts && !self.is_negated(2) && !self.has_alternatives();
        self.only_files |= holds && kind == "f";
        self.place += 1;
        Some(Part {
            directories: kind == "d",
            ..Part::default()
        })
    }

    /// What stands in parentheses.
    fn group(&mut self) -> Option<Part> {
        let parts = self.list()?;
        if self.peek()? != ")" {
            return None;
        }
        self.place += 1;
        let acts = parts.iter().any(|part| part.acts);
        let printing = parts.into_iter().filter(|part| part.acts || !acts);
        let printing: Vec<Part> = printing.collect();
        Some(Part {
            directories: printing.iter().all(|part| part.directories),
            names: any(printing.into_iter().map(|part| part.names)),
            acts,
        })
    }

    fn name(&mut self, form: fn(&str) -> Option<Form>) -> Option<Part> {
        let value = self.words.get(self.place)?;
        self.place += 1;
        let form = value.literal().and_then(form);
        Some(Part {
            names: form.map(|form| vec![form]),
            ..Part::default()
        })
    }

    fn exec(&mut self) -> Option<Part> {
        let mut before = None;
        loop {
            let text = self.words.get(self.place)?.literal();
            self.place += 1;
            if text == Some(";") || (text == Some("+") && before == Some("{}")) {
                return self.act(0);
            }
            before = text;
        }
    }

    fn act(&mut self, values: usize) -> Option<Part> {
        self.place += values;
        (self.acts, self.otherwise, self.deletes) = (true, true, Some(false));
        Some(Part {
            acts: true,
            ..Part::default()
        })
    }

    /// `! -path '*/NAME/*'` outside of alternatives: nothing below such a directory is listed. Inside of them the same
    /// holds only for one, so the whole expression must have none.
    fn close(&mut self) {
        if self.has_alternatives() || self.is_negated(2) {
            return;
        }
        if self.peek() == Some("-name") && !self.acts {
            let value = self.words.get(self.place + 1).and_then(Word::literal);
            self.not.extend(value.and_then(Form::new));
            return;
        }
        if !matches!(self.peek(), Some("-path" | "-wholename")) {
            return;
        }
        let value = self.words.get(self.place + 1).and_then(Word::literal);
        let inner = value.and_then(|value| {
            value
                .strip_prefix("*/")
                .or_else(|| value.strip_prefix("./"))?
                .strip_suffix("/*")
        });
        let from_root = value.is_some_and(|value| value.starts_with("./"));
        let plain = inner.filter(|name| !name.contains(['*', '?', '[', '\\', '/']));
        if let Some(form) = plain.and_then(Form::new) {
            match from_root {
                true if self.from_here => self.top.closed.push(form),
                true => {}
                false => self.closed.push(form),
            }
        }
    }

    /// Whether not all of the expression must hold.
    fn has_alternatives(&self) -> bool {
        let mut words = self.words.iter().map(Word::literal);
        words.any(|word| matches!(word, Some("-o" | "-or" | "(")))
    }

    /// Whether a negation stands so many words before the place.
    fn is_negated(&self, before: usize) -> bool {
        let place = self.place.checked_sub(before);
        let word = place.and_then(|place| self.words.get(place)?.literal());
        matches!(word, Some("!" | "-not"))
    }
}
