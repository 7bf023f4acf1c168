//! What `find -exec` and `xargs` give to the commands that they run.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use tenon_shell::{Invocation, Part, Span, Word};

use crate::commands::resolve::{DataFlow, DirId, Place, Source, WorkingDirs};
use crate::commands::words::Selection;
use crate::commands::words::options::runs_elsewhere;

/// What a command that runs others gives them.
pub(crate) struct PipedInput {
    pub(crate) source: Source,
    /// Where the word that stands for what is added has its place.
    pub(crate) span: Option<Span>,
    /// What stands for a name in the words.
    pub(crate) mark: Option<String>,
    /// Whether each name is an argument, whatever it holds.
    pub(crate) whole: bool,
    /// Whether the names are words and no options, once that was asked.
    pub(crate) names: Cell<Option<bool>>,
    /// What the source looks for, once that was asked.
    pub(crate) search: OnceCell<Rc<Search>>,
}

/// What a program that finds names looks for.
pub(crate) struct Search {
    pub(crate) selection: Selection,
    /// From where; nothing where that cannot be determined.
    pub(crate) roots: Option<Vec<(DirId, String)>>,
}

impl PipedInput {
    /// What the command that runs others at this place gives them.
    pub(crate) fn of(
        invocation: &Invocation,
        state: WorkingDirs,
        at: Place,
        data_flow: &DataFlow,
    ) -> Option<Self> {
        let chain = invocation.chain();
        if chain.iter().any(|command| !command.directories.is_empty()) {
            return None;
        }
        let taker = chain
            .into_iter()
            .find(|command| matches!(command.base_name(), Some("find" | "xargs")))?;
        match taker.base_name()? {
            "find" => (!runs_elsewhere(taker)).then(|| Self {
                source: Source {
                    words: taker.words.clone(),
                    state,
                    by_zero: true,
                    from_lines: false,
                },
                span: None,
                mark: Some("{}".to_owned()),
                whole: true,
                names: Cell::default(),
                search: OnceCell::new(),
            }),
            "xargs" => Self::by_xargs(taker, data_flow.arguments(at)?),
            _ => None,
        }
    }

    fn by_xargs(xargs: &Invocation, source: &Source) -> Option<Self> {
        let inner = xargs.inner.iter().find_map(|inner| match inner {
            tenon_shell::Inner::Command(command) => command.words.first(),
            _ => None,
        })?;
        let options = xargs
            .words
            .iter()
            .skip(1)
            .take_while(|word| word.span != inner.span);
        let (mut by_zero, mut mark) = (false, None);
        let mut options = options.map(Word::literal);
        while let Some(option) = options.next() {
            match option? {
                "-0" | "--null" => by_zero = true,
                "-r" | "-t" | "-x" | "--no-run-if-empty" => {}
                "-0r" | "-r0" | "-0t" => by_zero = true,
                "-I" => mark = Some(options.next()??.to_owned()),
                "-n" | "-P" | "-L" => drop(options.next()??),
                text if text.starts_with("-I") => mark = text.get(2..).map(str::to_owned),
                text if ["-n", "-P", "-L"].iter().any(|name| text.starts_with(name)) => {}
                _ => return None,
            }
        }
        let start = xargs.words.first()?.span.start;
        let end = xargs.words.last()?.span.end;
        (by_zero == source.by_zero).then(|| Self {
            source: source.clone(),
            span: Some(Span::new(start, end)),
            mark,
            whole: by_zero && !source.from_lines,
            names: Cell::default(),
            search: OnceCell::new(),
        })
    }

    /// Whether this word stands for a name, whole.
    pub(crate) fn stands_for(&self, word: &Word) -> bool {
        match word.parts.as_slice() {
            [Part::Unknown] => word.expansion.splits && Some(word.span) == self.span,
            [Part::Text { value, .. }, Part::Unknown] => {
                self.mark.as_deref() == Some(value.as_str())
            }
            _ => false,
        }
    }
}
