//! Which lines of a page are shown when not all fit: those in view first, then what follows, the rest by its headings.

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text.
    Text,
    /// A heading.
    Heading,
    /// The beginning of a part, such as a navigation.
    Landmark,
    /// A line with something that can be worked.
    Control,
    /// Rows that are folded.
    Fold,
    /// The beginning of a frame.
    Frame,
}

impl Kind {
    pub(crate) fn of(letter: &str) -> Self {
        match letter {
            "H" => Self::Heading,
            "L" => Self::Landmark,
            "C" => Self::Control,
            "R" => Self::Fold,
            "F" => Self::Frame,
            _ => Self::Text,
        }
    }

    /// Whether it says where on the page one is.
    const fn is_outline(self) -> bool {
        matches!(self, Self::Heading | Self::Landmark | Self::Frame)
    }
}

/// What has to be known of a line to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Measure {
    /// Its characters, with what is put around it.
    pub(crate) characters: usize,
    pub(crate) kind: Kind,
    /// Whether it is in view.
    pub(crate) is_seen: bool,
    /// How many elements in it can be worked.
    pub(crate) controls: usize,
}

/// A part of what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    /// This line.
    Line(usize),
    /// Lines that are left out: from, to, and how many controls are in them.
    Gap(usize, usize, usize),
}

/// Characters that a gap takes.
const GAP_CHARACTERS: usize = 48;

/// Chooses among the lines from `offset` on. The second value is where one may go on.
pub(crate) fn choose(
    lines: &[Measure],
    offset: usize,
    budget: usize,
    only_outline: bool,
) -> (Vec<Piece>, Option<usize>) {
    let mut taken = vec![false; lines.len()];
    if only_outline {
        let next = take(lines, &mut taken, budget, offset..lines.len(), |line| {
            line.kind.is_outline() || line.kind == Kind::Fold
        });
        return (pieces(lines, &taken, offset), next);
    }
    let total: usize = lines.iter().skip(offset).map(|line| line.characters).sum();
    if total <= budget {
        let all = (offset..lines.len()).map(Piece::Line).collect();
        return (all, None);
    }
    // An outline of what is left out needs room, too.
    let room = budget - budget / 6;
    let view = if offset > 0 {
        offset
    } else {
        lines.iter().position(|line| line.is_seen).unwrap_or(0)
    };
    let mut left = room;
    if offset == 0 {
        left -= spend(lines, &mut taken, left, 0..lines.len(), |line| line.is_seen);
    }
    left -= spend(lines, &mut taken, left, view..lines.len(), |_| true);
    spend(lines, &mut taken, left, offset..view, |_| true);
    let mut rest = budget / 6;
    rest -= GAP_CHARACTERS.min(rest);
    spend(lines, &mut taken, rest, offset..lines.len(), |line| {
        line.kind.is_outline()
    });
    // A line that is longer than all of it must not be where reading ends.
    if let (Some(place), true) = (taken.get_mut(view), left == room) {
        *place = true;
    }
    // A heading of the rest may be what comes next.
    let next = taken
        .iter()
        .enumerate()
        .skip(view)
        .find_map(|(index, taken)| (!taken).then_some(index));
    (pieces(lines, &taken, offset), next)
}

/// Takes wanted lines until one does not fit. What they took.
fn spend(
    lines: &[Measure],
    taken: &mut [bool],
    budget: usize,
    range: std::ops::Range<usize>,
    is_wanted: impl Fn(&Measure) -> bool,
) -> usize {
    let mut used = 0;
    for (index, line) in lines.iter().enumerate().take(range.end).skip(range.start) {
        let Some(place) = taken.get_mut(index) else {
            break;
        };
        if *place || !is_wanted(line) {
            continue;
        }
        if used + line.characters > budget {
            break;
        }
        used += line.characters;
        *place = true;
    }
    used
}

fn take(
    lines: &[Measure],
    taken: &mut [bool],
    budget: usize,
    range: std::ops::Range<usize>,
    is_wanted: impl Fn(&Measure) -> bool,
) -> Option<usize> {
    let end = range.end;
    let start = range.start;
    spend(lines, taken, budget, range, &is_wanted);
    (start..end).find(|index| {
        let is_taken = taken.get(*index).copied().unwrap_or(true);
        !is_taken && lines.get(*index).is_some_and(&is_wanted)
    })
}

fn pieces(lines: &[Measure], taken: &[bool], offset: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut gap: Option<(usize, usize)> = None;
    for (index, line) in lines.iter().enumerate().skip(offset) {
        if taken.get(index).copied().unwrap_or(false) {
            if let Some((from, controls)) = gap.take() {
                pieces.push(Piece::Gap(from, index, controls));
            }
            pieces.push(Piece::Line(index));
        } else {
            let (from, controls) = gap.unwrap_or((index, 0));
            gap = Some((from, controls + line.controls));
        }
    }
    if let Some((from, controls)) = gap {
        pieces.push(Piece::Gap(from, lines.len(), controls));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(characters: usize, kind: Kind, is_seen: bool) -> Measure {
        Measure {
            characters,
            kind,
            is_seen,
            controls: usize::from(kind == Kind::Control),
        }
    }

    #[test]
    fn a_page_that_fits_is_shown_whole() {
        let lines = vec![line(10, Kind::Text, false); 5];
        let whole: Vec<Piece> = (0..5).map(Piece::Line).collect();
        assert_eq!(choose(&lines, 0, 50, false), (whole, None));
    }

    #[test]
    fn what_is_in_view_comes_first_and_the_rest_is_an_outline() {
        let mut lines = vec![line(100, Kind::Text, false); 40];
        lines[3] = line(20, Kind::Heading, false);
        lines[20] = line(100, Kind::Control, true);
        lines[21] = line(100, Kind::Text, true);
        lines[35] = line(20, Kind::Heading, false);
        lines[38] = line(100, Kind::Control, false);
        let (pieces, next) = choose(&lines, 0, 600, false);
        assert_eq!(
            pieces,
            [
                Piece::Gap(0, 3, 0),
                Piece::Line(3),
                Piece::Gap(4, 20, 0),
                Piece::Line(20),
                Piece::Line(21),
                Piece::Line(22),
                Piece::Line(23),
                Piece::Line(24),
                Piece::Gap(25, 35, 0),
                Piece::Line(35),
                Piece::Gap(36, 40, 1),
            ]
        );
        assert_eq!(next, Some(25));
    }

    #[test]
    fn a_line_that_is_longer_than_the_budget_is_shown_and_reading_goes_on_behind_it() {
        let lines = vec![line(900, Kind::Text, true); 2];
        let first = vec![Piece::Line(0), Piece::Gap(1, 2, 0)];
        assert_eq!(choose(&lines, 0, 300, false), (first, Some(1)));
        assert_eq!(choose(&lines, 1, 300, false), (vec![Piece::Line(1)], None));
    }

    #[test]
    fn an_outline_has_headings_parts_and_folds() {
        let kinds = [
            Kind::Heading,
            Kind::Text,
            Kind::Control,
            Kind::Fold,
            Kind::Landmark,
        ];
        let lines: Vec<Measure> = kinds.iter().map(|kind| line(10, *kind, true)).collect();
        let (pieces, next) = choose(&lines, 0, 1000, true);
        assert_eq!(
            pieces,
            [
                Piece::Line(0),
                Piece::Gap(1, 3, 1),
                Piece::Line(3),
                Piece::Line(4)
            ]
        );
        assert_eq!(next, None);
    }

    proptest! {
        #[test]
        fn every_line_is_shown_once_or_lies_in_one_gap_and_the_budget_holds(
            sizes in prop::collection::vec((1usize..200, 0u8..6, any::<bool>()), 0..120),
            offset in 0usize..40,
            budget in 200usize..5000,
        ) {
            let kinds = [Kind::Text, Kind::Heading, Kind::Landmark, Kind::Control, Kind::Fold, Kind::Frame];
            let lines: Vec<Measure> = sizes.iter()
                .map(|(size, kind, seen)| line(*size, kinds[usize::from(*kind)], *seen))
                .collect();
            let (pieces, next) = choose(&lines, offset, budget, false);
            let mut at = offset.min(lines.len());
            let mut used = 0;
            for piece in &pieces {
                match *piece {
                    Piece::Line(index) => {
                        prop_assert_eq!(index, at);
                        used += lines[index].characters;
                        at += 1;
                    }
                    Piece::Gap(from, to, _) => {
                        prop_assert_eq!(from, at);
                        prop_assert!(to > from);
                        at = to;
                    }
                }
            }
            prop_assert_eq!(at, lines.len().max(offset.min(lines.len())));
            // A line that fits nowhere is shown all the same where nothing else would be.
            let longest = lines.iter().map(|line| line.characters).max().unwrap_or(0);
            let over = if longest > budget - budget / 6 { longest } else { 0 };
            prop_assert!(used <= budget + over);
            if let Some(next) = next {
                prop_assert!(next >= offset && next < lines.len());
            }
        }
    }
}
