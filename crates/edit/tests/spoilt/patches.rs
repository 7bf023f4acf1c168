//! The ways in which models spoil a patch.

use tenon_edit::{TextDiff, parse_patch};

use super::cases::{Case, edit_of};
use super::kinds::tabs_for_blanks;
use super::random::Random;
use super::sources::Source;
use super::tally::Outcome;

/// A true change of a file.
pub(crate) struct PatchCase {
    pub(crate) name: String,
    pub(crate) before: String,
    pub(crate) after: String,
}

/// The text that the patch meets, with what has to come out, and the patch.
pub(crate) type Spoilt = (Meeting, String);

/// A file as the patch meets it.
pub(crate) struct Meeting {
    pub(crate) text: String,
    pub(crate) expected: String,
}

pub(crate) type Kind = fn(&PatchCase, &mut Random) -> Option<Spoilt>;

pub(crate) const ALL: &[(&str, Kind)] = &[
    ("unified", |case, _| case.met(case.unified(3))),
    ("unified, one line of context", |case, _| {
        case.met(case.unified(1))
    }),
    ("unified, no context", |case, _| case.met(case.unified(0))),
    ("unified, wrong counts", |case, random| {
        let (a, b) = (random.below(9), random.below(9));
        case.met(map_heads(&case.unified(3), |numbers| {
            format!("-{},{a} +{},{b}", numbers[0], numbers[2])
        }))
    }),
    ("unified, wrong numbers", |case, random| {
        let off = 1 + random.below(40);
        case.met(map_heads(&case.unified(3), |numbers| {
            format!(
                "-{},{} +{},{}",
                numbers[0] + off,
                numbers[1],
                numbers[2] + off,
                numbers[3]
            )
        }))
    }),
    ("unified, all numbers one", |case, _| {
        case.met(map_heads(&case.unified(3), |_| "-1,1 +1,1".to_owned()))
    }),
    ("unified, no numbers", |case, _| {
        case.met(map_lines(&case.unified(3), |line| {
            if line.starts_with("@@ -") {
                "@@\n".to_owned()
            } else {
                line.to_owned()
            }
        }))
    }),
    ("unified, dots for numbers", |case, _| {
        case.met(map_lines(&case.unified(3), |line| {
            if line.starts_with("@@ -") {
                "@@ ... @@\n".to_owned()
            } else {
                line.to_owned()
            }
        }))
    }),
    ("unified in CRLF", |case, _| {
        case.met(case.unified(3).replace("\r\n", "\n").replace('\n', "\r\n"))
    }),
    ("unified in LF for a CRLF file", |case, _| {
        case.met(case.unified(3).replace("\r\n", "\n"))
    }),
    ("unified in a fence", |case, _| {
        case.met(format!(
            "Here it is:\n\n```diff\n{}```\n\nDone.\n",
            case.unified(3)
        ))
    }),
    ("unified in a heredoc", |case, _| {
        case.met(format!("patch -p1 <<'EOF'\n{}EOF\n", case.unified(3)))
    }),
    ("unified, indented", |case, _| {
        case.met(map_lines(&case.unified(3), |line| format!("  {line}")))
    }),
    ("unified, bare empty context", |case, _| {
        case.met(map_lines(&case.unified(3), |line| {
            if line.trim_end() == "" {
                "\n".to_owned()
            } else {
                line.to_owned()
            }
        }))
    }),
    ("unified, blanks at line ends cut", |case, _| {
        case.met(map_lines(&case.unified(3), |line| {
            if line.starts_with([' ', '-']) && !line.starts_with("---") {
                format!("{}{}\n", &line[..1], line[1..].trim_end())
            } else {
                line.to_owned()
            }
        }))
    }),
    ("unified, no newline note dropped", |case, _| {
        case.met(map_lines(&case.unified(3), |line| {
            if line.starts_with('\\') {
                String::new()
            } else {
                line.to_owned()
            }
        }))
    }),
    ("unified, drifted", |case, random| {
        let lead = "a line that was put in\n".repeat(1 + random.below(30));
        Some((
            Meeting {
                text: format!("{lead}{}", case.before),
                expected: format!("{lead}{}", case.after),
            },
            case.unified(3),
        ))
    }),
    ("unified, hunks out of order", |case, _| {
        let text = case.unified(2);
        let mut parts: Vec<&str> = text.split_inclusive('\n').collect();
        let heads: Vec<usize> = (0..parts.len())
            .filter(|at| parts[*at].starts_with("@@ -"))
            .collect();
        if heads.len() < 2 {
            return None;
        }
        let last = *heads.last()?;
        let tail = parts.split_off(last);
        let body = parts.split_off(2);
        case.met([parts, tail, body].concat().concat())
    }),
    ("unified, git headers", |case, _| {
        case.met(format!(
            "diff --git a/x b/x\nindex 123..456 100644\n{}",
            case.unified(3)
        ))
    }),
    ("unified, plain names and times", |case, _| {
        let hunks = TextDiff::new(case.before.as_str(), case.after.as_str()).hunks(3);
        case.met(format!(
            "--- x\t2024-01-01 00:00:00\n+++ x\t2024-01-02 00:00:00\n{hunks}"
        ))
    }),
    ("unified, a context line forgotten", |case, random| {
        case.met(drop_line(&case.unified(3), ' ', random)?)
    }),
    ("unified, a removed line forgotten", |case, random| {
        case.met(drop_line(&case.unified(3), '-', random)?)
    }),
    ("unified, a context line misspelt", |case, random| {
        case.met(misspell(&case.unified(3), ' ', random)?)
    }),
    ("unified, a removed line misspelt", |case, random| {
        case.met(misspell(&case.unified(3), '-', random)?)
    }),
    ("unified, cut off in a line", |case, random| {
        let text = case.unified(3);
        let at = text.floor_char_boundary(random.below(text.len()));
        // A cut in the last line, at a line end (or in the blanks before it) or in a note cannot be seen.
        let is_note = text[..at]
            .rsplit('\n')
            .next()
            .is_some_and(|line| line.starts_with('\\'));
        if is_note
            || !text[at..].trim_end().contains('\n')
            || text[..at].ends_with("\n")
            || text[at..]
                .lines()
                .next()
                .is_some_and(|rest| rest.trim().is_empty())
        {
            return None;
        }
        case.met(text[..at].to_owned())
    }),
    ("unified, cut off before added lines", |case, random| {
        let text = case.unified(3);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let is_removed = |at: usize| lines[at].starts_with('-') && !lines[at].starts_with("---");
        let cuts: Vec<usize> = (1..lines.len())
            .filter(|at| is_removed(at - 1) && lines[*at].starts_with('+'))
            .collect();
        if cuts.is_empty() {
            return None;
        }
        case.met(lines[..*random.pick(&cuts)].concat())
    }),
    ("unified, tabs as blanks", |case, _| {
        case.met(respell(&case.unified(3), |line| {
            line.replace('\t', "    ")
        })?)
    }),
    ("unified, blanks as tabs", |case, _| {
        case.met(respell(&case.unified(3), |line| tabs_for_blanks(line, 4))?)
    }),
    ("unified, indentation lost", |case, _| {
        // Where an added line has an indentation of its own, nothing is left that shows it.
        if has_own_indentation(&case.unified(3)) {
            return None;
        }
        case.met(respell(&case.unified(3), |line| {
            line.trim_start_matches(' ').to_owned()
        })?)
    }),
    ("unified, indented by 2", |case, _| {
        case.met(respell(&case.unified(3), |line| {
            if line.trim().is_empty() {
                line.to_owned()
            } else {
                format!("  {line}")
            }
        })?)
    }),
    ("unified, no sign on context", |case, _| {
        case.met(map_lines(&case.unified(3), |line| {
            line.strip_prefix(' ').unwrap_or(line).to_owned()
        }))
    }),
    ("envelope", |case, _| case.met(case.envelope(3, false))),
    ("envelope, one line of context", |case, _| {
        case.met(case.envelope(1, false))
    }),
    ("envelope, no context", |case, _| {
        case.met(case.envelope(0, false))
    }),
    ("envelope, first @@ left out", |case, _| {
        case.met(case.envelope(3, false).replacen("@@\n", "", 1))
    }),
    ("envelope with numbers", |case, _| {
        case.met(case.envelope(3, true))
    }),
    ("envelope, wrong numbers", |case, random| {
        let off = 1 + random.below(30);
        case.met(map_heads(&case.envelope(1, true), |numbers| {
            format!("-{} +{}", numbers[0] + off, numbers[2] + off)
        }))
    }),
    ("envelope in CRLF", |case, _| {
        case.met(
            case.envelope(3, false)
                .replace("\r\n", "\n")
                .replace('\n', "\r\n"),
        )
    }),
    ("envelope in a heredoc", |case, _| {
        case.met(format!(
            "apply_patch <<\"PATCH\"\n{}PATCH\n",
            case.envelope(3, false)
        ))
    }),
    ("envelope in a fence", |case, _| {
        case.met(format!("```\n{}```\n", case.envelope(3, false)))
    }),
    ("envelope, padded markers", |case, _| {
        case.met(map_lines(&case.envelope(3, false), |line| {
            if line.starts_with("***") {
                format!("{}  \n", line.trim_end())
            } else {
                line.to_owned()
            }
        }))
    }),
    ("envelope, bare empty context", |case, _| {
        case.met(map_lines(&case.envelope(3, false), |line| {
            if line.trim_end() == "" {
                "\n".to_owned()
            } else {
                line.to_owned()
            }
        }))
    }),
    ("envelope, no end", |case, _| {
        case.met(case.envelope(3, false).replace("*** End Patch\n", ""))
    }),
    ("envelope, anchored", |case, _| {
        let diff = TextDiff::new(case.before.as_str(), case.after.as_str());
        let at = diff.changes().first()?.before_lines.start;
        let width = |line: &str| line.len() - line.trim_start().len();
        let lines: Vec<&str> = case.before.lines().collect();
        let line = lines.get(at).filter(|line| !line.trim().is_empty())?;
        let mut above = lines[..at]
            .iter()
            .rev()
            .filter(|line| !line.trim().is_empty());
        let anchor = above.find(|above| width(above) < width(line))?;
        case.met(
            case.envelope(1, false)
                .replacen("@@\n", &format!("@@ {}\n", anchor.trim()), 1),
        )
    }),
    ("envelope, a context line misspelt", |case, random| {
        case.met(misspell(&case.envelope(3, false), ' ', random)?)
    }),
    ("envelope, a removed line misspelt", |case, random| {
        case.met(misspell(&case.envelope(3, false), '-', random)?)
    }),
    ("envelope, cut off", |case, random| {
        let text = case.envelope(3, false);
        let at = text.floor_char_boundary(random.below(text.len()));
        // A cut in the last line, at a line end (or in the blanks before it) or in a note cannot be seen.
        let is_note = text[..at]
            .rsplit('\n')
            .next()
            .is_some_and(|line| line.starts_with('\\'));
        if is_note
            || !text[at..].trim_end().contains('\n')
            || text[..at].ends_with("\n")
            || text[at..]
                .lines()
                .next()
                .is_some_and(|rest| rest.trim().is_empty())
        {
            return None;
        }
        case.met(text[..at].to_owned())
    }),
];

impl PatchCase {
    fn unified(&self, context: usize) -> String {
        TextDiff::new(self.before.as_str(), self.after.as_str()).unified("a/x", "b/x", context)
    }

    fn envelope(&self, context: usize, numbers: bool) -> String {
        let hunks = TextDiff::new(self.before.as_str(), self.after.as_str()).hunks(context);
        let hunks = map_lines(&hunks, |line| {
            if line.starts_with("@@ -") && !numbers {
                "@@\n".to_owned()
            } else {
                line.to_owned()
            }
        });
        format!("*** Begin Patch\n*** Update File: x\n{hunks}*** End Patch\n")
    }

    /// The patch as it is met; `None` if it lost the line ends of a file that mixes them.
    fn met(&self, patch: String) -> Option<Spoilt> {
        let crlf = self.before.matches("\r\n").count() + self.after.matches("\r\n").count();
        let all = self.before.matches('\n').count() + self.after.matches('\n').count();
        let lost = patch.matches("\r\n").count() < self.unified(3).matches("\r\n").count();
        if crlf > 0
            && crlf < all
            && (lost || patch.matches("\r\n").count() == patch.matches('\n').count())
        {
            return None;
        }
        Some((
            Meeting {
                text: self.before.clone(),
                expected: self.after.clone(),
            },
            patch,
        ))
    }
}

fn map_lines(text: &str, map: impl Fn(&str) -> String) -> String {
    text.split_inclusive('\n').map(map).collect()
}

fn map_heads(text: &str, map: impl Fn([usize; 4]) -> String) -> String {
    map_lines(text, |line| {
        let Some(rest) = line.strip_prefix("@@ -") else {
            return line.to_owned();
        };
        let (old, new) = rest
            .trim_end()
            .trim_end_matches(" @@")
            .split_once(" +")
            .unwrap();
        let part = |text: &str| -> (usize, usize) {
            let (start, count) = text.split_once(',').unwrap_or((text, "1"));
            (start.parse().unwrap(), count.parse().unwrap())
        };
        let ((a, b), (c, d)) = (part(old), part(new));
        format!("@@ {} @@\n", map([a, b, c, d]))
    })
}

fn body_lines(lines: &[String], sign: char) -> Vec<usize> {
    let is_name = |line: &str| line.starts_with("--- ") || line.starts_with("+++ ");
    (0..lines.len())
        .filter(|at| {
            lines[*at].starts_with(sign) && !is_name(&lines[*at]) && lines[*at].trim().len() > 3
        })
        .collect()
}

fn drop_line(text: &str, sign: char, random: &mut Random) -> Option<String> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let places = body_lines(&lines, sign);
    if places.is_empty() {
        return None;
    }
    // At the edge of a hunk nothing shows that a line is missing.
    let is_old = |at: usize| {
        lines
            .get(at)
            .is_some_and(|line| line.starts_with([' ', '-']) && !line.starts_with("---"))
    };
    let inner: Vec<usize> = places
        .into_iter()
        .filter(|at| is_old(at - 1) && is_old(at + 1))
        .collect();
    if inner.is_empty() {
        return None;
    }
    lines.remove(*random.pick(&inner));
    Some(lines.concat())
}

fn misspell(text: &str, sign: char, random: &mut Random) -> Option<String> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let places = body_lines(&lines, sign);
    if places.is_empty() {
        return None;
    }
    let line = &mut lines[*random.pick(&places)];
    let letter = line.char_indices().find(|(_, c)| c.is_alphabetic())?.0;
    let end = letter + line[letter..].chars().next()?.len_utf8();
    line.replace_range(letter..end, "q");
    Some(lines.concat())
}

/// Spells the lines of all hunks otherwise; `None` if a hunk has spoilt added lines among old ones
/// that are as they were: nothing would show that they are spoilt.
fn respell(text: &str, map: impl Fn(&str) -> String) -> Option<String> {
    let is_name = |line: &str| line.starts_with("---") || line.starts_with("+++");
    let is_body = |line: &str| line.starts_with([' ', '-', '+']) && !is_name(line);
    let mut spoilt = String::new();
    let (mut has_old, mut has_added) = (false, false);
    for line in text.split_inclusive('\n') {
        if line.starts_with("@@ -") {
            if has_added && !has_old {
                return None;
            }
            (has_old, has_added) = (false, false);
        }
        if !is_body(line) {
            spoilt.push_str(line);
            continue;
        }
        let other = format!("{}{}", &line[..1], map(&line[1..]));
        has_added |= other != line && line.starts_with('+');
        has_old |= other != line && !line.starts_with('+');
        spoilt.push_str(&other);
    }
    (spoilt != text && (has_old || !has_added)).then_some(spoilt)
}

/// Whether a hunk adds a line whose indentation no old line of it has.
fn has_own_indentation(patch: &str) -> bool {
    let width = |line: &str| line.len() - line.trim_start().len();
    patch.split("\n@@ -").skip(1).any(|hunk| {
        let body = || hunk.lines().skip(1).filter(|line| line.trim().len() > 1);
        let side = |sign: &'static [char]| body().filter_map(move |line| line.strip_prefix(sign));
        let old: Vec<usize> = side(&[' ', '-']).map(width).collect();
        side(&['+']).any(|line| !old.contains(&width(line)))
    })
}

/// One to three edits of a random file.
pub(crate) fn case(random: &mut Random, sources: &[Source]) -> Option<PatchCase> {
    let source = random.pick(sources);
    let mut case: Case = super::cases::case(random, std::slice::from_ref(source))
        .or_else(|| edit_of(random, &source.name, &source.text, 0, source.text.len()))?;
    let before = case.file.clone();
    for _ in 0..random.below(3) {
        let file = case.expected.clone();
        if let Some(next) = edit_of(random, &source.name, &file, 0, file.len()) {
            case = next;
        }
    }
    (case.expected != before).then(|| PatchCase {
        name: source.name.clone(),
        before,
        after: case.expected,
    })
}

/// Parses, places and applies.
pub(crate) fn run(
    kind: &str,
    case: &PatchCase,
    meeting: &Meeting,
    patch: &str,
) -> (Outcome, String) {
    let reported = |what: String| format!("{}\n{patch}\n{what}", case.name);
    let parsed = match parse_patch(patch) {
        Ok(parsed) => parsed,
        Err(error) => return (Outcome::Refused, reported(error.to_string())),
    };
    match parsed.files[0].place(&meeting.text) {
        Ok(plan) => {
            let after = plan.apply(&meeting.text);
            if after == meeting.expected {
                return (Outcome::Applied, String::new());
            }
            if is_void(kind, meeting, patch, &after) {
                return (Outcome::Void, String::new());
            }
            let diff = TextDiff::new(meeting.expected.as_str(), after.as_str());
            let levels: Vec<_> = plan
                .matches
                .iter()
                .map(|it| (it.match_level, it.first_line))
                .collect();
            (
                Outcome::Wrong,
                reported(format!(
                    "{levels:?}\nexpected against got:\n{}",
                    diff.hunks(1)
                )),
            )
        }
        Err(error) => (Outcome::Refused, reported(error.to_string())),
    }
}

/// Whether the spoilt patch, as it stands, is a faultless patch for something else, and that is what came out. Only
/// three kinds of spoiling can bring that about, and each of these cases has no right answer:
///
/// - The patch was cut within its last line, and all of its counts fit what is left: nothing shows the cut.
/// - A line of context or a removed one was forgotten, and the lines around it stand in a row all the same: at one
///   place only, or at the line that the header names. (The counts are no sign: models get them wrong all the time.)
/// - The numbers were made wrong, and the same lines stand at exactly the line that they name now.
///
/// "What came out" is compared with a reading of the patch that knows nothing of the crate: the old lines of every
/// hunk have to stand whole and byte by byte at one place of the file, or at several of which one is at the line
/// of the header, and are replaced there by the new ones, byte by byte. Any other outcome is wrong.
fn is_void(kind: &str, meeting: &Meeting, patch: &str, after: &str) -> bool {
    let needs_counts = match kind {
        "unified, cut off in a line" | "unified, wrong numbers" => true,
        "unified, a context line forgotten" | "unified, a removed line forgotten" => false,
        _ => return false,
    };
    // A line that was cut lost its line end with the rest of it.
    let ends = ["\n", "\r\n"];
    let read = ends.map(|end| literally(&meeting.text, patch, end, needs_counts));
    read.iter().flatten().any(|text| text == after)
}

/// A hunk as it is written: the first line, the counts, and the lines of the two sides with their ends.
#[derive(Default)]
struct Written {
    first: usize,
    counts: [usize; 2],
    old: Vec<String>,
    new: Vec<String>,
}

/// The file after a unified diff that is taken word by word; `None` if it does not fit so, or its counts do
/// not and have to.
fn literally(text: &str, patch: &str, line_end: &str, needs_counts: bool) -> Option<String> {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut hunks = written(patch, line_end)?;
    hunks.sort_by_key(|hunk| std::cmp::Reverse(hunk.first));
    let mut below = lines.len();
    for hunk in &hunks {
        if needs_counts && hunk.counts != [hunk.old.len(), hunk.new.len()] {
            return None;
        }
        let stands = |at: &usize| {
            let here = lines.get(*at..*at + hunk.old.len());
            here.is_some_and(|here| here.iter().eq(hunk.old.iter()))
        };
        let places: Vec<usize> = (0..lines.len()).filter(stands).collect();
        let at = match places.as_slice() {
            [only] => *only,
            several => *several.iter().find(|at| **at + 1 == hunk.first)?,
        };
        let end = at + hunk.old.len();
        if end > below {
            return None;
        }
        lines.splice(at..end, hunk.new.iter().map(String::as_str));
        below = at;
    }
    Some(lines.concat())
}

fn written(patch: &str, line_end: &str) -> Option<Vec<Written>> {
    let mut hunks: Vec<Written> = Vec::new();
    let mut before = ' ';
    for line in patch.split_inclusive('\n').skip(2) {
        if let Some(numbers) = line.strip_prefix("@@ -") {
            let (old, new) = numbers.split_once(" @@")?.0.split_once(" +")?;
            let part = |part: &str| -> Option<(usize, usize)> {
                let (start, count) = part.split_once(',').unwrap_or((part, "1"));
                Some((start.parse().ok()?, count.parse().ok()?))
            };
            let ((first, old), (_, new)) = (part(old)?, part(new)?);
            hunks.push(Written {
                first,
                counts: [old, new],
                ..Written::default()
            });
            continue;
        }
        let hunk = hunks.last_mut()?;
        let (sign, body) = line.split_at_checked(1)?;
        // Only the line that was cut has no end.
        let body = match body.ends_with('\n') {
            true => body.to_owned(),
            false => format!("{body}{line_end}"),
        };
        let sides: &mut [&mut Vec<String>] = match sign {
            " " => &mut [&mut hunk.old, &mut hunk.new],
            "-" => &mut [&mut hunk.old],
            "+" => &mut [&mut hunk.new],
            // About the line above it.
            "\\" => {
                for (side, signs) in [(&mut hunk.old, " -"), (&mut hunk.new, " +")] {
                    if let Some(line) = side.last_mut().filter(|_| signs.contains(before)) {
                        line.truncate(line.trim_end_matches(['\r', '\n']).len());
                    }
                }
                continue;
            }
            _ => return None,
        };
        for side in sides {
            side.push(body.clone());
        }
        before = sign.chars().next()?;
    }
    Some(hunks)
}
