use super::reserved::Reserved;
use super::word_builder::Use;
use super::{Reader, Result};
use crate::command::AssignmentKind;
use crate::scope::ScopeKind;
use crate::script::{Case, FindingKind};

impl Reader<'_, '_> {
    /// Whether a compound command begins at the cursor.
    pub(super) fn at_compound(&mut self) -> bool {
        self.peek() == Some(b'(') || self.reserved().is_some_and(Reserved::begins_compound)
    }

    /// One command: simple, compound or a function definition.
    pub(super) fn command(&mut self) -> Result<()> {
        self.skip_blanks();
        if self.at_compound() {
            let first_entry = self.state.entry_count();
            self.deeper(Self::compound)?;
            return self.redirections_behind(first_entry);
        }
        match self.reserved() {
            Some(Reserved::Function) => {
                self.take_reserved(Reserved::Function);
                self.deeper(Self::function_with_keyword)
            }
            Some(Reserved::Coproc) => {
                self.take_reserved(Reserved::Coproc);
                self.deeper(|reader| reader.scoped(ScopeKind::Coprocess, Self::coprocess))
            }
            // Behind `|` bash takes `time` for the name of a program.
            None | Some(Reserved::Time | Reserved::In) => self.simple_command(),
            Some(_) => Err(self.unexpected("a command")),
        }
    }

    fn compound(&mut self) -> Result<()> {
        self.state.compounds += 1;
        let start = self.here();
        match self.reserved() {
            None => self.parenthesis(start),
            Some(Reserved::OpenBrace) => {
                self.take_reserved(Reserved::OpenBrace);
                self.some_list()?;
                self.close(Reserved::CloseBrace, "group", start)
            }
            Some(Reserved::If) => self.if_command(start),
            Some(Reserved::Case) => self.case_command(start),
            Some(Reserved::For) => self.for_command(start),
            Some(Reserved::Select) => self.select_command(start),
            Some(Reserved::While) => self.while_command(Reserved::While, start),
            Some(Reserved::Until) => self.while_command(Reserved::Until, start),
            Some(Reserved::Conditional) => self.conditional(start),
            Some(_) => Err(self.unexpected("a command")),
        }
    }

    /// `((…))` of bash, or `( … )`.
    fn parenthesis(&mut self, start: usize) -> Result<()> {
        if self.at(b"((") && self.is_bash() && self.try_arithmetic("arithmetic command", start)? {
            return Ok(());
        }
        let outer = self.state.open_scope(ScopeKind::Subshell, start);
        self.bump();
        self.some_list()?;
        match self.peek() {
            Some(b')') => self.bump(),
            None => return Err(self.unterminated("subshell", start)),
            Some(_) => return Err(self.unexpected("a separator or `)`")),
        }
        self.state.scope = outer;
        Ok(())
    }

    /// Takes the reserved word that ends a construct.
    pub(super) fn close(
        &mut self,
        wanted: Reserved,
        construct: &'static str,
        start: usize,
    ) -> Result<()> {
        self.skip_blanks();
        if self.take_reserved(wanted) {
            Ok(())
        } else if self.peek().is_none() {
            Err(self.unterminated(construct, start))
        } else {
            Err(self.unexpected("a separator or the next word of the construct"))
        }
    }

    fn if_command(&mut self, start: usize) -> Result<()> {
        self.take_reserved(Reserved::If);
        self.some_list()?;
        self.close(Reserved::Then, "`if`", start)?;
        self.scoped(ScopeKind::Branch, Self::some_list)?;
        let outer = self.state.open_scope(ScopeKind::Branch, self.here());
        loop {
            if self.take_reserved(Reserved::Elif) {
                self.some_list()?;
                self.close(Reserved::Then, "`elif`", start)?;
                self.some_list()?;
            } else if self.take_reserved(Reserved::Else) {
                self.some_list()?;
                break;
            } else {
                break;
            }
        }
        self.state.scope = outer;
        self.close(Reserved::Fi, "`if`", start)
    }

    fn case_command(&mut self, start: usize) -> Result<()> {
        self.take_reserved(Reserved::Case);
        self.state.irregular += 1;
        self.state.cases += 1;
        self.skip_blanks();
        let subject = self.word(Use::Single)?;
        let span = self.span_from(start);
        self.skip_lines()?;
        self.close(Reserved::In, "`case`", start)?;
        let mut patterns = Vec::new();
        let first_entry = self.state.entry_count();
        self.scoped(ScopeKind::Branch, |reader| {
            loop {
                reader.skip_lines()?;
                if reader.take_reserved(Reserved::Esac) {
                    return Ok(());
                }
                if reader.peek().is_none() {
                    return Err(reader.unterminated("`case`", start));
                }
                if !reader.case_item(&mut patterns)? {
                    return reader.close(Reserved::Esac, "`case`", start);
                }
            }
        })?;
        let middle = self.state.entry_count();
        self.state.found(FindingKind::Case(Box::new(Case {
            span,
            subject,
            patterns,
        })));
        self.state.rotate(first_entry, middle);
        Ok(())
    }

    /// Patterns and their list. Returns whether a separator follows, after which another item may stand.
    fn case_item(&mut self, patterns: &mut Vec<crate::word::Word>) -> Result<bool> {
        if self.peek() == Some(b'(') {
            self.bump();
        }
        loop {
            self.skip_blanks();
            patterns.push(self.word(Use::Single)?);
            self.skip_blanks();
            match self.peek() {
                Some(b'|') => self.bump(),
                Some(b')') => break,
                _ => return Err(self.unexpected("`|` or `)` behind a pattern")),
            }
        }
        self.bump();
        self.scoped(ScopeKind::Branch, Self::list)?;
        if !self.at_case_separator() {
            return Ok(false);
        }
        let taken = (self.at(b";;&") && self.is_bash() && self.take(b";;&"))
            || self.take(b";;")
            || (self.at(b";&") && self.is_bash() && self.take(b";&"));
        Ok(taken)
    }

    /// What stands behind `coproc`: a command, or a name and a compound command.
    fn coprocess(&mut self) -> Result<()> {
        self.state.compounds += 1;
        self.skip_blanks();
        let start = self.here();
        if self.at_compound() {
            self.found_assignment(
                AssignmentKind::Coprocess,
                "COPROC".to_owned(),
                self.span_from(start),
                Vec::new(),
            );
            return self.command();
        }
        let snapshot = self.state.snapshot(self.cursor);
        let word = self.word(Use::Argument)?;
        if word.literal() == Some("!") {
            // bash takes it for the reserved word, which may not stand here.
            return Err(self.not_understood("`!` behind `coproc`", start));
        }
        self.skip_blanks();
        if self.at_compound() {
            let Some(name) = word.literal() else {
                return Err(self.not_understood("a coprocess name that is not plain text", start));
            };
            self.found_assignment(
                AssignmentKind::Coprocess,
                name.to_owned(),
                word.span,
                Vec::new(),
            );
            return self.command();
        }
        if self.state.substitution_documents.is_some() {
            // bash 5.2 writes it down as `coproc COPROC …` and then runs a program called `COPROC`.
            return Err(self.not_understood(
                "a coprocess of a simple command in a command substitution",
                start,
            ));
        }
        self.cursor = self.state.restore(&snapshot);
        self.found_assignment(
            AssignmentKind::Coprocess,
            "COPROC".to_owned(),
            word.span,
            Vec::new(),
        );
        self.simple_command()
    }
}
