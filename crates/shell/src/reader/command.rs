use super::assignment::AssignmentOrWord;
use super::word_builder::Use;
use super::{Reader, Result};
use crate::command::{Assignment, AssignmentKind, Command};
use crate::scope::ScopeKind;
use crate::script::{FindingKind, Function};
use crate::span::Span;
use crate::word::Word;
use crate::words::Words;

impl Reader<'_, '_> {
    /// A simple command, or a function definition that begins with its name.
    pub(super) fn simple_command(&mut self) -> Result<()> {
        self.check_steps()?;
        let _joins_lines = self.peek();
        let start = self.here();
        let mut command = Command {
            span: Span::new(start, start),
            assignments: Vec::new(),
            words: Words::default(),
            redirections: Vec::new(),
        };
        let mut words = self.state.begin_words();
        // Whether the next word may be an assignment, and of which kind.
        let mut assigns = Some(AssignmentKind::Prefix);
        let mut end = start;
        loop {
            self.skip_blanks();
            if self.plain_word_of_command(&mut words, &mut assigns) {
                end = self.cursor.origin_end();
                continue;
            }
            match self.peek() {
                None | Some(b'\n' | b';' | b'|' | b')') => break,
                Some(b'&') if !(self.cursor.second() == Some(b'>') && self.is_bash()) => break,
                Some(b'#') => {
                    self.skip_comment();
                    continue;
                }
                Some(b'(') => {
                    return match function_name(&command, &words) {
                        Some(name) => self.function_with_parentheses(name),
                        None => Err(self.unexpected("an argument or a separator")),
                    };
                }
                Some(_) => match self.redirection()? {
                    Some(redirection) => command.redirections.push(redirection),
                    None => match assigns {
                        None => words.push(self.word(Use::Argument)?),
                        Some(kind) => {
                            self.word_or_assignment(kind, &mut command, &mut words)?;
                            if kind == AssignmentKind::Prefix
                                && let Some(name) = words.first()
                            {
                                assigns =
                                    is_declaration(name).then_some(AssignmentKind::Declaration);
                            }
                        }
                    },
                },
            }
            end = self.cursor.origin_end();
        }
        if words.is_empty() && command.assignments.is_empty() && command.redirections.is_empty() {
            return Err(self.unexpected("a command"));
        }
        command.span = Span::new(start, end);
        self.finish_command(command, words);
        Ok(())
    }

    /// Takes a plain word, as most are: those are no assignments and no redirections. Returns whether there was one.
    fn plain_word_of_command(
        &mut self,
        words: &mut Vec<Word>,
        assigns: &mut Option<AssignmentKind>,
    ) -> bool {
        let also = if assigns.is_none() { b'=' } else { b'-' };
        let Some(word) = self.plain_word(also) else {
            return false;
        };
        if words.is_empty() {
            *assigns = is_declaration(&word).then_some(AssignmentKind::Declaration);
        }
        words.push(word);
        true
    }

    fn word_or_assignment(
        &mut self,
        kind: AssignmentKind,
        command: &mut Command,
        words: &mut Vec<Word>,
    ) -> Result<()> {
        match self.assignment_or_word(kind)? {
            AssignmentOrWord::Word(word) => words.push(word),
            AssignmentOrWord::Assignment(assignment, word) => {
                command.assignments.push(*assignment);
                if kind == AssignmentKind::Declaration {
                    words.push(*word);
                }
            }
        }
        Ok(())
    }

    fn finish_command(&mut self, mut command: Command, words: Vec<Word>) {
        if words.is_empty() {
            for assignment in &mut command.assignments {
                assignment.kind = AssignmentKind::Alone;
            }
        }
        let marks = self.marks_of(&command, &words);
        command.words = self.state.keep_words(words);
        self.state.found(FindingKind::Command(command));
        for (kind, span) in marks {
            self.state.mark(kind, span);
        }
    }

    /// `name ( ) body`; the cursor stands on the opening parenthesis.
    fn function_with_parentheses(&mut self, name: Function) -> Result<()> {
        let plain = name
            .name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !name.name.starts_with(|first: char| first.is_ascii_digit());
        if !plain && !self.is_bash() {
            return Err(self.not_understood("a function name that dash refuses", name.span.start));
        }
        self.bump();
        self.skip_blanks();
        if self.peek() != Some(b')') {
            return Err(self.unexpected("`)` of a function definition"));
        }
        self.bump();
        self.function_body(name)
    }

    /// `function name [( )] body`; the cursor stands behind the keyword.
    pub(super) fn function_with_keyword(&mut self) -> Result<()> {
        self.skip_blanks();
        let start = self.here();
        let word = self.word(Use::Argument)?;
        let Some(name) = word.literal().filter(|_| !word.quoted) else {
            return Err(self.not_understood("a function name that is not plain text", start));
        };
        let name = Function {
            span: word.span,
            name: name.to_owned(),
        };
        self.skip_blanks();
        let mut ahead = self.cursor;
        if ahead.peek() == Some(b'(') {
            ahead.bump();
            while matches!(ahead.peek(), Some(b' ' | b'\t')) {
                ahead.bump();
            }
            if ahead.peek() == Some(b')') {
                ahead.bump();
                self.cursor = ahead;
            }
        }
        self.function_body(name)
    }

    fn function_body(&mut self, function: Function) -> Result<()> {
        self.state.compounds += 1;
        self.skip_lines()?;
        let name = function.name.clone();
        self.state.found(FindingKind::Function(function));
        self.scoped(ScopeKind::FunctionBody(name), |reader| {
            if reader.at_compound() {
                reader.command()
            } else if reader.is_bash() {
                Err(reader.unexpected("a compound command as the body of a function"))
            } else {
                reader.deeper(Self::command)
            }
        })
    }

    /// Notes an assignment that is no part of a simple command.
    pub(super) fn found_assignment(
        &mut self,
        kind: AssignmentKind,
        name: String,
        span: Span,
        values: Vec<Word>,
    ) {
        self.state
            .found(FindingKind::Assignment(Box::new(Assignment {
                span,
                kind,
                name,
                subscript: None,
                append: false,
                values,
            })));
    }
}

/// The name that `( )` would define, if the command so far is a single plain word.
fn function_name(command: &Command, words: &[Word]) -> Option<Function> {
    let [word] = words else {
        return None;
    };
    let alone = command.assignments.is_empty() && command.redirections.is_empty() && !word.quoted;
    let name = word.literal().filter(|_| alone)?;
    Some(Function {
        span: word.span,
        name: name.to_owned(),
    })
}

/// Whether the arguments of this command may be assignments.
fn is_declaration(name: &Word) -> bool {
    matches!(
        name.literal(),
        Some("export" | "readonly" | "declare" | "typeset" | "local")
    )
}
