use super::reserved::Reserved;
use super::{Reader, Result};
use crate::scope::{ScopeId, ScopeKind};

impl Reader<'_, '_> {
    /// Commands up to the end of the text, a closing parenthesis, `;;` or a reserved word that ends a list. Gives
    /// their number.
    pub(super) fn list(&mut self) -> Result<usize> {
        let mut count = 0;
        loop {
            self.skip_lines()?;
            if self.at_list_end() {
                return Ok(count);
            }
            let scope = self.and_or()?;
            count += 1;
            self.skip_blanks();
            match self.peek() {
                Some(b'#') => self.skip_comment(),
                Some(b'\n') => {}
                Some(b'&') => {
                    self.state.set_scope(scope, ScopeKind::Background);
                    self.bump();
                }
                Some(b';') if !self.at_case_separator() => self.bump(),
                _ => return Ok(count),
            }
        }
    }

    /// A list in which at least one command must stand.
    pub(super) fn some_list(&mut self) -> Result<()> {
        match self.list()? {
            0 => Err(self.unexpected("a command")),
            _ => Ok(()),
        }
    }

    fn at_list_end(&mut self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => self.at_case_separator(),
            Some(_) => self.reserved().is_some_and(Reserved::ends_list),
        }
    }

    /// `;;`, and `;&` of bash.
    pub(super) fn at_case_separator(&self) -> bool {
        self.at(b";;") || (self.at(b";&") && self.is_bash())
    }

    /// Pipelines joined by `&&` and `||`. Gives the scope that holds them all.
    fn and_or(&mut self) -> Result<ScopeId> {
        let outer = self.state.open_scope(ScopeKind::Plain, self.here());
        let scope = self.state.scope;
        self.pipeline()?;
        loop {
            self.skip_blanks();
            if !(self.take(b"&&") || self.take(b"||")) {
                break;
            }
            self.skip_lines()?;
            self.scoped(ScopeKind::Branch, Self::pipeline)?;
        }
        self.state.scope = outer;
        Ok(scope)
    }

    /// Commands joined by `|`, after `!` and `time`.
    fn pipeline(&mut self) -> Result<()> {
        self.check_steps()?;
        if self.pipeline_prefix()? {
            return Ok(());
        }
        let mut first = true;
        loop {
            let outer = self.state.open_scope(ScopeKind::Plain, self.here());
            let scope = self.state.scope;
            self.command()?;
            self.state.scope = outer;
            self.skip_blanks();
            let piped = self.peek() == Some(b'|') && self.cursor.second() != Some(b'|');
            if piped || !first {
                self.state.set_scope(scope, ScopeKind::PipelineElement);
            }
            if !piped {
                return Ok(());
            }
            first = false;
            self.bump();
            if self.peek() == Some(b'&') && self.is_bash() {
                self.state.compounds += 1;
                self.bump();
            }
            self.skip_lines()?;
        }
    }

    /// Takes `!` and `time`. Returns whether bash lets the pipeline end here.
    fn pipeline_prefix(&mut self) -> Result<bool> {
        let mut any = false;
        loop {
            self.skip_blanks();
            let start = self.here();
            if self.take_reserved(Reserved::Bang) {
                if self.peek() == Some(b'(') && self.state.extended_patterns {
                    return Err(
                        self.not_understood("`!(` where extended patterns are switched on", start)
                    );
                }
                if any && !self.is_bash() {
                    return Err(self.not_understood("a second `!`, which dash refuses", start));
                }
                any = true;
                self.state.compounds += 1;
            } else if self.take_reserved(Reserved::Time) {
                self.state.timed += 1;
                any = true;
                self.state.compounds += 1;
                self.time_options();
            } else {
                break;
            }
        }
        let ends = match self.peek() {
            None | Some(b'\n' | b';' | b')' | b'#') => true,
            Some(b'&') => self.cursor.second() != Some(b'>'),
            Some(_) => false,
        };
        Ok(any && ends && self.is_bash())
    }

    /// `-p` and `--` behind `time`.
    fn time_options(&mut self) {
        for option in [b"-p".as_slice(), b"--".as_slice()] {
            self.skip_blanks();
            let mut ahead = self.cursor;
            let here = self.at(option);
            for _ in option {
                ahead.bump();
            }
            if here
                && matches!(
                    ahead.peek(),
                    None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' | b'<' | b'>')
                )
            {
                self.cursor = ahead;
            }
        }
    }
}
