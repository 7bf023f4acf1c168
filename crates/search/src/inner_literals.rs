//! Texts of which each match of an expression contains one, to be looked for first: where one of them is, the line is searched.

use regex_syntax::hir::literal::{Extractor, Seq, rank};
use regex_syntax::hir::{Hir, HirKind};

/// Texts at most: so many are looked for at once in one go.
const MOST: usize = 64;

/// Very short texts at most.
const MOST_SHORT: usize = 3;

/// Parts of an expression that are tried, at most.
const MOST_PARTS: usize = 32;

/// Bytes above this rank are in nearly every line.
const COMMON: u8 = 250;

/// An expression of these texts; nothing where there are none that are worth a search.
pub(crate) fn inner_literals(expression: &Hir) -> Option<Hir> {
    let texts = best(expression)?;
    let texts = texts.literals()?.iter();
    Some(Hir::alternation(
        texts.map(|text| Hir::literal(text.as_bytes())).collect(),
    ))
}

/// What a match of any part of a sequence begins with, whichever is rarest.
fn best(expression: &Hir) -> Option<Seq> {
    match expression.kind() {
        HirKind::Capture(capture) => best(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => best(&repetition.sub),
        HirKind::Concat(parts) => {
            let starts = (0..parts.len().min(MOST_PARTS)).filter_map(|start| {
                let rest = parts.get(start..)?;
                let inside = rest.first().and_then(best);
                better(beginnings(&Hir::concat(rest.to_vec())), inside)
            });
            starts.fold(None, |known, next| better(known, Some(next)))
        }
        HirKind::Alternation(branches) => better(beginnings(expression), of_all(branches)),
        _ => beginnings(expression),
    }
}

/// One text of each branch.
fn of_all(branches: &[Hir]) -> Option<Seq> {
    let mut all = Seq::empty();
    for branch in branches {
        all.union(&mut best(branch)?);
        all.len().filter(|texts| *texts <= MOST)?;
    }
    Some(all)
}

/// What each match of an expression begins with; nothing where that is in too many lines.
fn beginnings(expression: &Hir) -> Option<Seq> {
    let mut texts = Extractor::new().limit_total(MOST).extract(expression);
    texts.optimize_for_prefix_by_preference();
    let is_common = |text: &[u8]| match text {
        [] => true,
        [byte] => rank(*byte) >= COMMON,
        _ => false,
    };
    let most = if texts.min_literal_len()? <= 1 {
        MOST_SHORT
    } else {
        MOST
    };
    let listed = texts.literals()?;
    let is_worth = !listed.is_empty()
        && listed.len() <= most
        && !listed.iter().any(|text| is_common(text.as_bytes()));
    is_worth.then_some(texts)
}

fn better(one: Option<Seq>, other: Option<Seq>) -> Option<Seq> {
    let (Some(one), Some(other)) = (&one, &other) else {
        return one.or(other);
    };
    let worth = |texts: &Seq| (texts.min_literal_len(), std::cmp::Reverse(texts.len()));
    let chosen = if worth(other) > worth(one) {
        other
    } else {
        one
    };
    Some(chosen.clone())
}
