//! The ways in which models spoil an edit.

use super::cases::{Case, Edit, NewLine};
use super::random::Random;

pub(crate) type Kind = fn(&Case, &mut Random) -> Option<Edit>;

pub(crate) const ALL: &[(&str, Kind)] = &[
    ("as it is", |case, _| {
        Some(case.joined(&case.old, &case.new_texts()))
    }),
    ("CRLF call", |case, _| {
        let edit = case.joined(&case.old, &case.new_texts());
        Some(Edit {
            old: edit.old.replace('\n', "\r\n"),
            new: edit.new.replace('\n', "\r\n"),
            ..edit
        })
    }),
    ("CRLF in the old text only", |case, _| {
        let edit = case.joined(&case.old, &case.new_texts());
        Some(Edit {
            old: edit.old.replace('\n', "\r\n"),
            ..edit
        })
    }),
    ("blanks at line ends", |case, random| {
        let many = random.below(3) + 1;
        Some(case.mapped(
            |at, line| {
                if at % 2 == 0 {
                    pad(line, many)
                } else {
                    line.to_owned()
                }
            },
            str::to_owned,
        ))
    }),
    ("blanks at line ends, old only", |case, random| {
        let many = random.below(3) + 1;
        Some(case.old_only(|_, line| pad(line, many)))
    }),
    ("tab at line ends", |case, _| {
        Some(case.mapped(|_, line| format!("{line}\t"), str::to_owned))
    }),
    ("blanks on empty lines", |case, _| {
        let fill = |line: &str| {
            if line.is_empty() {
                "    ".to_owned()
            } else {
                line.to_owned()
            }
        };
        case.old
            .iter()
            .any(String::is_empty)
            .then(|| case.mapped(|_, line| fill(line), str::to_owned))
    }),
    ("last newline dropped", |case, _| {
        let edit = case.joined(&case.old, &case.new_texts());
        Some(Edit {
            old: edit.old.strip_suffix('\n')?.to_owned(),
            new: edit.new.strip_suffix('\n')?.to_owned(),
            ..edit
        })
    }),
    ("last newline added", |case, _| {
        let edit = case.joined(&case.old, &case.new_texts());
        if case.ended || edit.new.is_empty() {
            return None;
        }
        Some(Edit {
            old: format!("{}\n", edit.old),
            new: format!("{}\n", edit.new),
            ..edit
        })
    }),
    ("plain quotes", |case, _| both_if_changed(case, plain)),
    ("plain quotes, old only", |case, _| {
        old_if_changed(case, plain)
    }),
    ("curly quotes", |case, _| both_if_changed(case, curly)),
    ("curly quotes, old only", |case, _| {
        old_if_changed(case, curly)
    }),
    ("no-break spaces", |case, _| {
        both_if_changed(case, |line| replace_inner(line, ' ', "\u{a0}"))
    }),
    ("no-break spaces, old only", |case, _| {
        old_if_changed(case, |line| replace_inner(line, ' ', "\u{a0}"))
    }),
    ("long dashes", |case, _| {
        both_if_changed(case, |line| line.replace('-', "—"))
    }),
    ("long dashes, old only", |case, _| {
        old_if_changed(case, |line| line.replace('-', "–"))
    }),
    ("ellipsis for dots", |case, _| {
        both_if_changed(case, |line| line.replace("...", "…"))
    }),
    ("decomposed letters", |case, _| {
        both_if_changed(case, |line| line.replace('é', "e\u{301}"))
    }),
    ("indented by 2", |case, _| Some(shifted(case, "  ", true))),
    ("indented by 4", |case, _| Some(shifted(case, "    ", true))),
    ("indented by a tab", |case, _| {
        Some(shifted(case, "\t", true))
    }),
    ("indented by 4, old only", |case, _| {
        Some(shifted(case, "    ", false))
    }),
    ("outdented by 2", |case, _| outdented(case, "  ", true)),
    ("outdented by 4", |case, _| outdented(case, "    ", true)),
    ("outdented by 4, old only", |case, _| {
        outdented(case, "    ", false)
    }),
    ("outdented wholly", |case, _| {
        outdented(case, &common_indentation(case), true)
    }),
    ("outdented wholly, old only", |case, _| {
        outdented(case, &common_indentation(case), false)
    }),
    ("first line outdented", |case, _| {
        let trim = |at: usize, line: &str| {
            if at == 0 {
                line.trim_start().to_owned()
            } else {
                line.to_owned()
            }
        };
        Some(case.mapped(trim, str::to_owned))
    }),
    ("all indentation lost", |case, _| {
        both_if_changed(case, |line| line.trim_start().to_owned())
    }),
    ("4 blanks for tabs", |case, _| {
        both_if_changed(case, |line| line.replace('\t', "    "))
    }),
    ("8 blanks for tabs", |case, _| {
        both_if_changed(case, |line| line.replace('\t', "        "))
    }),
    ("2 blanks for tabs, old only", |case, _| {
        old_if_changed(case, |line| line.replace('\t', "  "))
    }),
    ("tabs for 4 blanks", |case, _| {
        both_if_changed(case, |line| tabs_for_blanks(line, 4))
    }),
    ("tabs for 2 blanks", |case, _| {
        both_if_changed(case, |line| tabs_for_blanks(line, 2))
    }),
    ("tabs for 4 blanks, old only", |case, _| {
        old_if_changed(case, |line| tabs_for_blanks(line, 4))
    }),
    ("2 blanks for 4", |case, _| {
        both_if_changed(case, |line| unit(line, 4, 2))
    }),
    ("4 blanks for 2", |case, _| {
        both_if_changed(case, |line| unit(line, 2, 4))
    }),
    ("4 blanks for 2, old only", |case, _| {
        old_if_changed(case, |line| unit(line, 2, 4))
    }),
    ("one line indented otherwise", |case, random| {
        let odd = random.below(case.old.len());
        Some(case.mapped(
            |at, line| {
                if at == odd {
                    format!(" {line}")
                } else {
                    line.to_owned()
                }
            },
            str::to_owned,
        ))
    }),
    ("blank lines dropped", |case, _| {
        without_blank_lines(case, true)
    }),
    ("blank lines dropped, old only", |case, _| {
        without_blank_lines(case, false)
    }),
    ("blank line added inside", |case, random| {
        let at = 1 + random.below(case.old.len().checked_sub(1).filter(|it| *it > 0)?);
        // Beside a blank line that the edit takes out, nobody can know which of the two stays.
        let is_taken_out = |index: usize| {
            let is_blank = case
                .old
                .get(index)
                .is_some_and(|line| line.trim().is_empty());
            let is_kept = |line: &NewLine| matches!(line, NewLine::Kept(it) if *it == index);
            is_blank && !case.new.iter().any(is_kept)
        };
        if is_taken_out(at - 1) || is_taken_out(at) {
            return None;
        }
        let mut wider = case.clone();
        wider.old.insert(at, String::new());
        for line in &mut wider.new {
            if let NewLine::Kept(index) = line
                && *index >= at
            {
                *index += 1;
            }
        }
        let behind = wider
            .new
            .iter()
            .position(|line| matches!(line, NewLine::Kept(it) if *it == at + 1));
        if let Some(behind) = behind {
            wider.new.insert(behind, NewLine::Kept(at));
        }
        Some(wider.joined(&wider.old, &wider.new_texts()))
    }),
    ("empty lines around", |case, _| {
        let edit = case.joined(&case.old, &case.new_texts());
        // An empty line of the edit itself cannot be distinguished from those around it, and with it goes the line end
        // that new lines get where line ends are mixed.
        if edit.new.is_empty() || (case.old[0].is_empty() && case.has_mixed_ends()) {
            return None;
        }
        Some(Edit {
            old: format!("\n\n{}\n", edit.old),
            new: format!("\n\n{}\n", edit.new),
            ..edit
        })
    }),
    ("inner blanks doubled", |case, _| {
        both_if_changed(case, |line| replace_inner(line, ' ', "  "))
    }),
    ("inner blanks doubled, old only", |case, _| {
        old_if_changed(case, |line| replace_inner(line, ' ', "  "))
    }),
    ("inner blanks as one", |case, _| {
        both_if_changed(case, single_blanks)
    }),
    ("inner blanks as one, old only", |case, _| {
        old_if_changed(case, single_blanks)
    }),
    ("blanks after commas dropped", |case, _| {
        both_if_changed(case, |line| line.replace(", ", ","))
    }),
    ("numbers as of cat -n", |case, _| {
        numbered(case, "{:>6}\t", true)
    }),
    ("numbers and colon", |case, _| numbered(case, "{}: ", true)),
    ("numbers and bar", |case, _| numbered(case, "{}|", true)),
    ("numbers and bar with a blank", |case, _| {
        numbered(case, "{}| ", true)
    }),
    ("numbers and arrow", |case, _| {
        numbered(case, "{:>6}→", true)
    }),
    ("numbers and arrow, old only", |case, _| {
        numbered(case, "{:>6}→", false)
    }),
    ("fence", |case, _| {
        let edit = case.joined(&case.old, &case.new_texts());
        if edit.new.trim().is_empty() || case.has_last_end_more() {
            return None;
        }
        let fenced =
            |text: &str| format!("```rust\n{}\n```", text.strip_suffix('\n').unwrap_or(text));
        Some(Edit {
            old: fenced(&edit.old),
            new: fenced(&edit.new),
            ..edit
        })
    }),
    ("fence, old only", |case, _| {
        let edit = case.joined(&case.old, &case.new_texts());
        if case.has_last_end_more() {
            return None;
        }
        Some(Edit {
            old: format!(
                "```\n{}\n```\n",
                edit.old.strip_suffix('\n').unwrap_or(&edit.old)
            ),
            ..edit
        })
    }),
    ("diff signs", |case, _| {
        let signed = |lines: &[String], sign: &str| -> Vec<String> {
            lines.iter().map(|line| format!("{sign}{line}")).collect()
        };
        (!case.new.is_empty())
            .then(|| case.joined(&signed(&case.old, "-"), &signed(&case.new_texts(), "+")))
    }),
    ("search markers", |case, _| {
        let edit = case.joined(&case.old, &case.new_texts());
        if case.has_last_end_more() {
            return None;
        }
        let body = |text: &str| {
            if text.ends_with('\n') || text.is_empty() {
                text.to_owned()
            } else {
                format!("{text}\n")
            }
        };
        Some(Edit {
            old: format!("<<<<<<< SEARCH\n{}=======", body(&edit.old)),
            new: format!("{}>>>>>>> REPLACE", body(&edit.new)),
            ..edit
        })
    }),
    ("escaped as JSON", |case, _| {
        let edit = case.joined(&case.old, &case.new_texts());
        Some(Edit {
            old: escaped(&edit.old),
            new: escaped(&edit.new),
            ..edit
        })
    }),
    ("escaped as JSON, old only", |case, _| {
        let edit = case.joined(&case.old, &case.new_texts());
        Some(Edit {
            old: escaped(&edit.old),
            ..edit
        })
    }),
    ("quotes escaped", |case, _| {
        both_if_changed(case, |line| line.replace('"', "\\\""))
    }),
    ("quotes escaped, old only", |case, _| {
        old_if_changed(case, |line| line.replace('"', "\\\""))
    }),
    ("escapes taken off", |case, _| {
        content(both_if_changed(case, |line| {
            line.replace("\\\\", "\\").replace("\\n", "\n")
        }))
    }),
    ("entities", |case, _| both_if_changed(case, entities)),
    ("entities, old only", |case, _| {
        old_if_changed(case, entities)
    }),
    ("entities decoded", |case, _| {
        content(both_if_changed(case, |line| {
            line.replace("&lt;", "<").replace("&amp;", "&")
        }))
    }),
    ("one letter off", |case, random| {
        letter_off(
            case,
            random,
            |c| if c == 'a' { 'e' } else { 'a' },
            char::is_alphabetic,
        )
    }),
    ("another digit", |case, random| {
        letter_off(
            case,
            random,
            |c| if c == '1' { '2' } else { '1' },
            |c| c.is_ascii_digit(),
        )
    }),
    ("another operator", |case, random| {
        letter_off(
            case,
            random,
            |c| if c == '=' { '!' } else { '=' },
            |c| "=<>+-*!".contains(c),
        )
    }),
    ("another case", |case, random| {
        let odd = random.below(case.old.len());
        let upper = |at: usize, line: &str| {
            if at == odd {
                line.to_uppercase()
            } else {
                line.to_owned()
            }
        };
        content(Some(case.mapped(upper, str::to_owned)))
    }),
    ("a line inside forgotten", |case, random| {
        let last = case.old.len().checked_sub(2).filter(|it| *it > 0)?;
        let gone = 1 + random.below(last);
        let mut old = case.old.clone();
        old.remove(gone);
        let kept = case
            .new
            .iter()
            .filter(|line| !matches!(line, NewLine::Kept(it) if *it == gone));
        let new: Vec<String> = kept
            .map(|line| match line {
                NewLine::Kept(it) => case.old[*it].clone(),
                NewLine::Written(text) => text.clone(),
            })
            .collect();
        content(Some(case.joined(&old, &new)))
    }),
    ("two lines swapped", |case, random| {
        let at = random.below(case.old.len().checked_sub(1).filter(|it| *it > 0)?);
        let mut old = case.old.clone();
        old.swap(at, at + 1);
        content(Some(case.joined(&old, &case.new_texts())))
    }),
    ("lines elided", |case, _| {
        if case.old.len() < 4 {
            return None;
        }
        let old = vec![
            case.old[0].clone(),
            "    ...".to_owned(),
            case.old[case.old.len() - 1].clone(),
        ];
        content(Some(case.joined(&old, &case.new_texts())))
    }),
    ("a line made up", |case, random| {
        let at = random.below(case.old.len());
        content(Some(case.mapped(
            |it, line| {
                if it == at {
                    "    let invented = totally.made_up();".to_owned()
                } else {
                    line.to_owned()
                }
            },
            str::to_owned,
        )))
    }),
    ("a closing bracket more", |case, _| {
        let mut old = case.old.clone();
        old.push("}".to_owned());
        content(Some(case.joined(&old, &case.new_texts())))
    }),
];

fn content(edit: Option<Edit>) -> Option<Edit> {
    edit.map(|edit| Edit {
        other_content: true,
        ..edit
    })
}

fn both_if_changed(case: &Case, map: impl Fn(&str) -> String) -> Option<Edit> {
    let is_changed = case.old.iter().any(|line| map(line) != *line);
    is_changed.then(|| case.mapped(|_, line| map(line), |line| map(line)))
}

fn old_if_changed(case: &Case, map: impl Fn(&str) -> String) -> Option<Edit> {
    let is_changed = case.old.iter().any(|line| map(line) != *line);
    is_changed.then(|| case.old_only(|_, line| map(line)))
}

fn pad(line: &str, many: usize) -> String {
    format!("{line}{}", " ".repeat(many))
}

pub(crate) fn plain(line: &str) -> String {
    line.replace(['‘', '’'], "'")
        .replace(['“', '”'], "\"")
        .replace(['–', '—'], "-")
        .replace('…', "...")
}

pub(crate) fn curly(line: &str) -> String {
    let mut is_open = false;
    line.chars()
        .map(|c| match c {
            '"' => {
                is_open = !is_open;
                if is_open { '“' } else { '”' }
            }
            '\'' => '’',
            c => c,
        })
        .collect()
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn replace_inner(line: &str, from: char, to: &str) -> String {
    let width = indentation(line).len();
    format!("{}{}", &line[..width], line[width..].replace(from, to))
}

fn single_blanks(line: &str) -> String {
    let width = indentation(line).len();
    let words: Vec<&str> = line[width..]
        .split([' ', '\t'])
        .filter(|word| !word.is_empty())
        .collect();
    format!("{}{}", &line[..width], words.join(" "))
}

pub(crate) fn tabs_for_blanks(text: &str, width: usize) -> String {
    let blanks = " ".repeat(width);
    text.split_inclusive('\n')
        .map(|line| {
            let mut rest = line;
            let mut tabs = String::new();
            while let Some(next) = rest.strip_prefix(blanks.as_str()) {
                tabs.push('\t');
                rest = next;
            }
            tabs + rest
        })
        .collect()
}

fn unit(line: &str, from: usize, to: usize) -> String {
    let width = line.len() - line.trim_start_matches(' ').len();
    format!(
        "{}{}",
        " ".repeat(width / from * to + width % from),
        &line[width..]
    )
}

fn shifted(case: &Case, by: &str, both: bool) -> Edit {
    let shift = |line: &str| {
        if line.is_empty() {
            String::new()
        } else {
            format!("{by}{line}")
        }
    };
    if both {
        case.mapped(|_, line| shift(line), shift)
    } else {
        case.old_only(|_, line| shift(line))
    }
}

fn common_indentation(case: &Case) -> String {
    let lines = case.old.iter().filter(|line| !line.is_empty());
    lines
        .map(|line| indentation(line))
        .min_by_key(|it| it.len())
        .unwrap_or_default()
        .to_owned()
}

fn outdented(case: &Case, by: &str, both: bool) -> Option<Edit> {
    let written = case.new_texts();
    let lines = case
        .old
        .iter()
        .chain(if both { written.iter() } else { [].iter() });
    let fits = lines
        .clone()
        .all(|line| line.is_empty() || line.starts_with(by));
    if by.is_empty() || !fits {
        return None;
    }
    let cut = |line: &str| line.strip_prefix(by).unwrap_or_default().to_owned();
    Some(if both {
        case.mapped(|_, line| cut(line), cut)
    } else {
        case.old_only(|_, line| cut(line))
    })
}

/// Drops the blank lines inside; those at the two ends and those that the edit takes out stay.
fn without_blank_lines(case: &Case, both: bool) -> Option<Edit> {
    let last = case.old.len() - 1;
    let is_inner = |at: usize| {
        let is_kept = case
            .new
            .iter()
            .any(|line| matches!(line, NewLine::Kept(it) if *it == at));
        let is_inside = case.old[..at].iter().any(|line| !line.is_empty())
            && case.old[at..].iter().any(|line| !line.is_empty());
        case.old[at].is_empty() && is_inside && is_kept
    };
    // Beside a blank line that the edit takes out, nobody can know which of the two stays.
    let is_taken_out = |at: usize| {
        let is_kept = |line: &NewLine| matches!(line, NewLine::Kept(it) if *it == at);
        case.old[at].is_empty() && !case.new.iter().any(is_kept)
    };
    if !both && (0..=last).any(is_taken_out) {
        return None;
    }
    // And where the edit adds one, nobody can distinguish it from one that was left out.
    let adds_one = case
        .new
        .iter()
        .zip(case.new_texts())
        .any(|(line, text)| !matches!(line, NewLine::Kept(_)) && text.is_empty());
    if both && adds_one {
        return None;
    }
    let stays = |at: &usize| !is_inner(*at);
    let old: Vec<String> = (0..=last)
        .filter(stays)
        .map(|at| case.old[at].clone())
        .collect();
    if old.len() == case.old.len() {
        return None;
    }
    let new: Vec<String> = case
        .new
        .iter()
        .zip(case.new_texts())
        .filter(|(line, _)| !both || !matches!(line, NewLine::Kept(at) if is_inner(*at)))
        .map(|(_, text)| text)
        .collect();
    Some(case.joined(&old, &new))
}

fn numbered(case: &Case, form: &str, both: bool) -> Option<Edit> {
    let number = |at: usize, line: &str| {
        let number = case.line + at;
        let head = if form.contains(":>6") {
            form.replace("{:>6}", &format!("{number:>6}"))
        } else {
            form.replace("{}", &number.to_string())
        };
        format!("{head}{line}")
    };
    let number_all = |lines: &[String]| -> Vec<String> {
        lines
            .iter()
            .enumerate()
            .map(|(at, line)| number(at, line))
            .collect()
    };
    let new = case.new_texts();
    Some(case.joined(
        &number_all(&case.old),
        &if both { number_all(&new) } else { new },
    ))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
        .replace('\t', "\\t")
}

fn entities(line: &str) -> String {
    line.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Another character in one line of the old text; kept lines of the new text have it too.
fn letter_off(
    case: &Case,
    random: &mut Random,
    other: impl Fn(char) -> char,
    fits: impl Fn(char) -> bool,
) -> Option<Edit> {
    let odd = random.below(case.old.len());
    let places: Vec<usize> = case.old[odd]
        .char_indices()
        .filter(|(_, c)| fits(*c))
        .map(|(at, _)| at)
        .collect();
    if places.is_empty() {
        return None;
    }
    let place = *random.pick(&places);
    let spoil = |at: usize, line: &str| {
        if at != odd {
            return line.to_owned();
        }
        let c = line[place..].chars().next().unwrap_or(' ');
        format!(
            "{}{}{}",
            &line[..place],
            other(c),
            &line[place + c.len_utf8()..]
        )
    };
    content(Some(case.mapped(spoil, str::to_owned)))
}
