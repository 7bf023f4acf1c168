//! What is beside a symbol on its lines: shown with it, and counted once where a new text brings it along.

use std::ops::Range;

use tenon_syntax::{Budget, Language, Symbol, outline, parse};

use super::symbols::Outline;

/// What follows a symbol on its line.
struct Tail<'t> {
    /// The `,` or `;` right behind it, with the blanks before that.
    separator: &'t str,
    /// The comments behind that, with the blanks before them, where nothing else follows.
    comment: &'t str,
    /// Whether other text follows.
    is_shared: bool,
}

impl<'t> Tail<'t> {
    /// Of the rest of a line, without its end.
    fn of(rest: &'t str, language: Language) -> Self {
        let rest = rest.trim_end();
        let blanks = rest.len() - rest.trim_start().len();
        let bare = rest.get(blanks..).unwrap_or_default();
        let signs = bare.len() - bare.trim_start_matches([',', ';']).len();
        let end = if signs == 0 { 0 } else { blanks + signs };
        let (separator, behind) = rest.split_at_checked(end).unwrap_or(("", rest));
        let is_shared = !is_comment(behind, language);
        Self {
            separator,
            comment: if is_shared { "" } else { behind },
            is_shared,
        }
    }

    const fn len(&self) -> usize {
        self.separator.len() + self.comment.len()
    }
}

/// Whether a part of one line is nothing but comments.
fn is_comment(text: &str, language: Language) -> bool {
    let (line, has_blocks) = match language {
        Language::Bash | Language::Python => (Some("#"), false),
        Language::Css => (None, true),
        Language::Html => (None, false),
        _ => (Some("//"), true),
    };
    let mut left = text.trim();
    while !left.is_empty() && !line.is_some_and(|mark| left.starts_with(mark)) {
        let block = left.strip_prefix("/*").filter(|_| has_blocks);
        let Some((_, behind)) = block.and_then(|block| block.split_once("*/")) else {
            return false;
        };
        left = behind.trim_start();
    }
    true
}

impl Outline {
    /// Where the text of a symbol is as it is shown, and whether it is alone, without the other text of its lines.
    pub(super) fn shown(&self, symbol: &Symbol) -> (Range<usize>, bool) {
        let text = self.file.text();
        let start = line_start(text, symbol.range.start);
        let before = text.get(start..symbol.range.start).unwrap_or_default();
        let tail = self.tail(symbol);
        if tail.is_shared || !before.trim().is_empty() {
            (symbol.range.clone(), true)
        } else {
            (start..symbol.range.end + tail.len(), false)
        }
    }

    /// The new text of a symbol, and what it replaces. `content` is as it was given, `new` at the depth of the symbol.
    pub(super) fn replaced(
        &self,
        symbol: &Symbol,
        content: &str,
        new: String,
    ) -> (Range<usize>, String) {
        let text = self.file.text();
        let here = symbol.range.clone();
        let shown = text.get(self.shown(symbol).0).unwrap_or_default();
        if is_same(content, shown) {
            return (here.clone(), text.get(here).unwrap_or_default().to_owned());
        }
        let tail = self.tail(symbol);
        if tail.len() == 0 {
            return (here, new);
        }
        let end = self.end_in(symbol, &tail, &new);
        let (body, rest) = new.split_at_checked(end).unwrap_or((&new, ""));
        let own = Tail::of(rest, self.language);
        let brings_comment = !own.comment.is_empty();
        if brings_comment && tail.is_shared {
            return (here, new);
        }
        let is_separated = !tail.separator.is_empty();
        if brings_comment && own.comment.trim() != tail.comment.trim() {
            let separator = if is_separated {
                tail.separator
            } else {
                own.separator
            };
            let replacement = format!("{body}{separator}{}", own.comment);
            return (here.start..here.end + tail.len(), replacement);
        }
        let separator = if is_separated { "" } else { own.separator };
        (here, format!("{body}{separator}"))
    }

    /// Where a new text of a symbol ends, before what it brings along of the tail.
    fn end_in(&self, symbol: &Symbol, tail: &Tail<'_>, new: &str) -> usize {
        let text = self.file.text();
        let start = symbol.range.start;
        let before = text.get(..start).unwrap_or_default();
        let behind = text
            .get(symbol.range.end + tail.len()..)
            .unwrap_or_default();
        let within = start..start + new.len();
        let sign = tail.separator.trim();
        // With a separator of its own, or with that of the file: one of them parses.
        let ends = [String::new(), format!("\n{sign}")].map(|separator| {
            let changed = format!("{before}{new}{separator}{behind}");
            let syntax = parse(&changed, self.language, Budget::default())?;
            Some(last_end(&outline(&syntax), &within)? - start)
        });
        let is_before_tail = |end: &&usize| {
            let rest = new.get(**end..).unwrap_or_default();
            let own = Tail::of(rest, self.language);
            own.len() > 0 && !own.is_shared && !rest.contains('\n')
        };
        if let Some(end) = ends.iter().flatten().find(is_before_tail) {
            return *end;
        }
        let is_unknown = ends.iter().all(Option::is_none) && !sign.is_empty();
        let bare = is_unknown.then(|| new.strip_suffix(sign)).flatten();
        bare.unwrap_or(new).len()
    }

    /// New text on the line of a symbol that shares it with its neighbours, before it or behind it, so that it stands where it was asked
    /// for: with the separators with which the text parses. `None` where the symbol has the line for itself, where several lines come, or
    /// where no separator fits: then the text gets lines of its own.
    pub(super) fn inline(
        &self,
        symbol: &Symbol,
        content: &str,
        is_behind: bool,
    ) -> Option<(Range<usize>, String)> {
        let content = content.trim();
        if content.contains('\n') || !self.shares_line(symbol, is_behind) {
            return None;
        }
        let tail = self.tail(symbol);
        let bare = content.trim_end_matches([',', ';']).trim_end();
        let own = content.get(bare.len()..).unwrap_or_default().trim();
        let known = [tail.separator.trim(), own, ",", ";"];
        let mut forms = Vec::new();
        for sign in known.into_iter().filter(|sign| !sign.is_empty()) {
            forms.extend(match (is_behind, tail.separator.is_empty()) {
                (false, _) => vec![format!("{bare}{sign} ")],
                (true, true) => vec![format!("{sign} {bare}"), format!("{sign} {bare}{sign}")],
                (true, false) => vec![format!(" {bare}{sign}"), format!(" {bare}")],
            });
        }
        forms.insert(
            0,
            if is_behind {
                format!(" {content}")
            } else {
                format!("{content} ")
            },
        );
        let at = if is_behind {
            symbol.range.end + tail.separator.len()
        } else {
            symbol.range.start
        };
        let text = self.file.text();
        let faults = |text: &str| {
            Some(
                parse(text, self.language, Budget::default())?
                    .faults()
                    .len(),
            )
        };
        let before = faults(text)?;
        let (start, end) = text.split_at_checked(at)?;
        let fits =
            |new: &String| faults(&format!("{start}{new}{end}")).is_some_and(|now| now <= before);
        forms.into_iter().find(fits).map(|new| (at..at, new))
    }

    /// Whether the symbol beside this one, or the end of what it is in, is on the same line.
    fn shares_line(&self, symbol: &Symbol, is_behind: bool) -> bool {
        let text = self.file.text();
        let between = |one: usize, other: usize| {
            text.get(one..other)
                .is_some_and(|between| !between.contains('\n'))
        };
        let (parent, siblings) = self.around(symbol);
        if is_behind {
            let next = siblings.iter().map(|other| other.range.start);
            let end = parent.map(|parent| parent.range.end);
            let mut beside = next.chain(end).filter(|at| *at >= symbol.range.end);
            return beside.any(|at| between(symbol.range.end, at));
        }
        let last = siblings.iter().map(|other| other.range.end);
        let start = parent.map(|parent| parent.range.start);
        let mut beside = last.chain(start).filter(|at| *at <= symbol.range.start);
        beside.any(|at| between(at, symbol.range.start))
    }

    fn tail(&self, symbol: &Symbol) -> Tail<'_> {
        let text = self.file.text();
        let rest = text.get(symbol.range.end..).unwrap_or_default();
        Tail::of(rest.lines().next().unwrap_or_default(), self.language)
    }
}

/// Where the last of the symbols within a range ends.
fn last_end(symbols: &[Symbol], within: &Range<usize>) -> Option<usize> {
    let overlapping = symbols
        .iter()
        .filter(|symbol| symbol.range.start < within.end && symbol.range.end > within.start);
    let ends = overlapping.filter_map(|symbol| {
        let is_within = symbol.range.start >= within.start && symbol.range.end <= within.end;
        if is_within {
            Some(symbol.range.end)
        } else {
            last_end(&symbol.children, within)
        }
    });
    ends.max()
}

/// Whether two texts are the same, whatever their line ends and the blanks around them.
fn is_same(one: &str, other: &str) -> bool {
    one.trim().lines().eq(other.trim().lines())
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |end| end + 1)
}
