//! The passages of a text that a question is about: BM25 over its sections, no model needed.

mod sections;
mod words;

use std::collections::HashMap;

use sections::{Section, sections};
use words::{query_words, words};

/// Saturation of a repeated word, as usual (Robertson and Zaragoza).
const K1: f64 = 1.2;
/// How much the length of a section counts, as usual.
const B: f64 = 0.75;
/// A section counts from this share of the best score on.
const LEAST_SHARE: f64 = 0.25;

/// What was chosen of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passages {
    /// The passages in their order, each below the headings that it stands under.
    pub text: String,
    /// How many sections were taken.
    pub taken: usize,
    /// How many there are.
    pub of: usize,
}

/// Chooses from a Markdown text what a question is about, at most `most` characters. Neighbours of what was found
/// come along as far as there is room. Where nothing fits the question, no passage is taken.
#[must_use]
pub fn passages(markdown: &str, question: &str, most: usize) -> Passages {
    let sections = sections(markdown);
    let scores = scores(&sections, &query_words(question));
    let mut room = most;
    let mut taken = vec![false; sections.len()];
    let best = scores.iter().copied().fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by(|left, right| {
        let score = |index: &usize| scores.get(*index).copied().unwrap_or(0.0);
        score(right).total_cmp(&score(left)).then(left.cmp(right))
    });
    if best <= 0.0 {
        return Passages {
            text: String::new(),
            taken: 0,
            of: sections.len(),
        };
    }
    let found: Vec<usize> = order
        .into_iter()
        .take_while(|index| {
            scores
                .get(*index)
                .is_some_and(|score| *score >= best * LEAST_SHARE)
        })
        .collect();
    for index in &found {
        take(*index, &sections, &mut taken, &mut room);
    }
    for index in found.iter().take(3) {
        neighbours(*index, &sections, &mut taken, &mut room);
    }
    // A single section that is larger than the room is better cut than left out.
    if !taken.contains(&true) {
        let index = scores.iter().position(|score| *score == best).unwrap_or(0);
        let section = sections.get(index).map(|section| section.text.as_str());
        let text = section.unwrap_or_default();
        let end = text
            .char_indices()
            .nth(most)
            .map_or(text.len(), |(end, _)| end);
        return Passages {
            text: text.get(..end).unwrap_or_default().to_owned(),
            taken: 1,
            of: sections.len(),
        };
    }
    Passages {
        text: joined(&sections, &taken),
        taken: taken.iter().filter(|taken| **taken).count(),
        of: sections.len(),
    }
}

/// Takes a section when there is room.
fn take(index: usize, sections: &[Section], taken: &mut [bool], room: &mut usize) {
    let (Some(section), Some(taken)) = (sections.get(index), taken.get_mut(index)) else {
        return;
    };
    if *taken {
        return;
    }
    let size = section.text.chars().count()
        + section
            .path
            .iter()
            .map(|part| part.chars().count() + 4)
            .sum::<usize>();
    if size > *room {
        return;
    }
    *room -= size;
    *taken = true;
}

/// The sections beside one, under the same heading.
fn neighbours(index: usize, sections: &[Section], taken: &mut [bool], room: &mut usize) {
    let path = sections.get(index).map(|section| &section.path);
    for beside in [index.checked_add(1), index.checked_sub(1)]
        .into_iter()
        .flatten()
    {
        if sections.get(beside).map(|section| &section.path) == path {
            take(beside, sections, taken, room);
        }
    }
}

/// BM25 of every section; words of its headings count twice.
fn scores(sections: &[Section], query: &[String]) -> Vec<f64> {
    let counts: Vec<HashMap<String, usize>> = sections.iter().map(counted).collect();
    let lengths: Vec<usize> = counts.iter().map(|counts| counts.values().sum()).collect();
    let all = sections.len().max(1) as f64;
    let average = (lengths.iter().sum::<usize>() as f64 / all).max(1.0);
    let weights: Vec<(&String, f64)> = query
        .iter()
        .map(|word| {
            let having = counts
                .iter()
                .filter(|counts| counts.contains_key(word))
                .count() as f64;
            (word, (1.0 + (all - having + 0.5) / (having + 0.5)).ln())
        })
        .collect();
    counts
        .iter()
        .zip(&lengths)
        .map(|(counts, length)| {
            let length = *length as f64 / average;
            weights
                .iter()
                .map(|(word, weight)| {
                    let times = counts.get(*word).copied().unwrap_or(0) as f64;
                    weight * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length))
                })
                .sum()
        })
        .collect()
}

fn counted(section: &Section) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in words(&section.text) {
        *counts.entry(word).or_default() += 1;
    }
    for word in section.path.iter().flat_map(|heading| words(heading)) {
        *counts.entry(word).or_default() += 2;
    }
    counts
}

/// The taken sections in their order. Gaps are marked; what stands under headings that were left out is named where.
fn joined(sections: &[Section], taken: &[bool]) -> String {
    let mut text = String::new();
    let mut last: Option<usize> = None;
    for (index, section) in sections.iter().enumerate() {
        if !taken.get(index).copied().unwrap_or(false) {
            continue;
        }
        let follows = last.is_some_and(|last| last + 1 == index);
        if last.is_some() {
            text.push_str(if follows { "\n\n" } else { "\n\n[…]\n\n" });
        } else if index > 0 {
            text.push_str("[…]\n\n");
        }
        let missing = section.path.len() - usize::from(section.has_heading);
        let above = section.path.get(..missing).unwrap_or_default();
        let last_path = last
            .and_then(|last| sections.get(last))
            .map(|section| section.path.as_slice());
        let is_known = last_path.is_some_and(|path| path.starts_with(above));
        if !(above.is_empty() || follows && is_known) {
            text.push_str(&format!("(under: {})\n\n", above.join(" › ")));
        }
        text.push_str(&section.text);
        last = Some(index);
    }
    if last.is_some_and(|last| last + 1 < sections.len()) {
        text.push_str("\n\n[…]");
    }
    text
}

#[cfg(test)]
mod tests;
