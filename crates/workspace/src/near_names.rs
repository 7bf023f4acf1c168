//! Names that resemble one that does not exist.

use std::path::Path;

use tenon_edit::shown_name;

use crate::Located;
use crate::path_text::plain_form;

/// How many are reported.
const SHOWN: usize = 3;
/// How many entries of a directory are looked at.
const ENTRIES: usize = 20_000;
/// Longer names are not measured.
const NAME_CHARACTERS: usize = 128;

/// Up to three paths that resemble the missing one, best first, in the form in which they can be
/// asked for. The first part that is missing is compared with its neighbours; if what follows
/// it exists beneath one of them, that whole path is reported.
pub(crate) fn near_names(missing: &Located) -> Vec<String> {
    let Some((existing, wanted, after)) = missing.first_missing_part() else {
        return Vec::new();
    };
    let mut scored = neighbours(missing, &existing, &wanted);
    scored.sort();
    scored.truncate(SHOWN * 4);
    let mut reported: Vec<String> = scored
        .into_iter()
        .filter_map(|(_, name)| path_of(missing, &existing.join(name), &after))
        .collect();
    reported.truncate(SHOWN);
    reported
}

/// The neighbours that resemble `wanted`, with their distance.
fn neighbours(missing: &Located, directory: &Path, wanted: &str) -> Vec<((u8, usize), String)> {
    let Some(place) = missing
        .workspace()
        .place(directory, directory.to_owned(), false)
    else {
        return Vec::new();
    };
    let mut seen = 0;
    let mut found = Vec::new();
    let read = place.open_as_directory().and_then(|directory| {
        directory.names(&mut |name| {
            seen += 1;
            if let Ok(name) = name.into_string()
                && let Some(score) = resemblance(wanted, &name)
            {
                found.push((score, name));
            }
            seen < ENTRIES
        })
    });
    // A directory that may not be listed has no names to report.
    if read.is_err() {
        found.clear();
    }
    found
}

/// How `near` is reported, if it and the rest of the path beneath it exist.
fn path_of(missing: &Located, near: &Path, after: &Path) -> Option<String> {
    let path = if after.as_os_str().is_empty() {
        near.to_owned()
    } else {
        near.join(after)
    };
    let place = missing.workspace().locate(path.to_str()?).ok()?;
    place
        .exists()
        .ok()?
        .then(|| shown_name(place.name()).into_owned())
}

/// How much two names resemble each other, smaller is nearer; `None` when they do not.
fn resemblance(wanted: &str, name: &str) -> Option<(u8, usize)> {
    let small = |name: &str| plain_form(name).to_lowercase();
    let (wanted_small, name_small) = (small(wanted), small(name));
    let length = wanted_small.chars().count();
    if length.max(name_small.chars().count()) > NAME_CHARACTERS {
        return None;
    }
    if wanted_small == name_small {
        return Some((0, 0));
    }
    let (stem, name_stem) = (stem(&wanted_small), stem(&name_small));
    let apart = length.abs_diff(name_small.chars().count());
    let allowed = (length / 3).clamp(1, 8);
    // The distance is at least the difference of the lengths: most names need no measuring.
    let distance = if apart <= allowed {
        distance(&wanted_small, &name_small)
    } else {
        apart
    };
    if distance <= 1 {
        return Some((1, distance));
    }
    if stem == name_stem {
        return Some((2, distance));
    }
    if distance <= allowed {
        return Some((3, distance));
    }
    let contained = stem.chars().count().min(name_stem.chars().count()) >= 3
        && (name_stem.contains(stem) || stem.contains(name_stem));
    contained.then_some((4, distance))
}

/// The name without its last extension.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    let mut previous = None;
    for (row, character) in one.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, candidate) in other.iter().enumerate() {
            let at = |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX);
            let mut best = (at(&last, column + 1).saturating_add(1))
                .min(at(&current, column).saturating_add(1))
                .min(at(&last, column).saturating_add(usize::from(character != *candidate)));
            let swapped = column > 0
                && previous == Some(*candidate)
                && other.get(column - 1) == Some(&character);
            if swapped {
                best = best.min(at(&before_last, column - 1).saturating_add(1));
            }
            current.push(best);
        }
        previous = Some(character);
        before_last = std::mem::replace(&mut last, current);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(wanted: &str, names: &[&str]) -> Vec<String> {
        let mut scored: Vec<_> = names
            .iter()
            .filter_map(|name| Some((resemblance(wanted, name)?, (*name).to_owned())))
            .collect();
        scored.sort();
        scored.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn another_case_comes_first_then_typing_errors_then_other_extensions() {
        let names = ["reader.rs", "Redaer.rs", "Reader.ts", "writer.md", "README"];
        assert_eq!(
            order("Reader.rs", &names),
            ["reader.rs", "Reader.ts", "Redaer.rs"]
        );
    }

    #[test]
    fn distance_counts_a_swap_as_one() {
        let pairs = [
            ("", "", 0),
            ("a", "", 1),
            ("", "ab", 2),
            ("utils", "uitls", 1),
            ("config", "confg", 1),
            ("kitten", "sitting", 3),
        ];
        for (one, other, expected) in pairs {
            assert_eq!(distance(one, other), expected, "{one} {other}");
            assert_eq!(distance(other, one), expected, "{other} {one}");
        }
    }

    #[test]
    fn short_unrelated_names_are_not_reported() {
        assert_eq!(order("a.rs", &["zz.py", "lib.md"]), [""; 0]);
    }
}
