//! Reading an extended glob.

use super::{CharacterKind, GroupKind, Piece, Segment};

/// Most globs that braces may come to.
const MAX_ALTERNATIVES: usize = 1024;

/// How deep `!(…)`, `*(…)` and `+(…)` may be nested: each level multiplies the work by the length of
/// the name.
const MAX_NESTING: usize = 3;

/// The index of the `]` that ends the class at `start`.
pub(super) fn class_end(glob: &[char], start: usize) -> Option<usize> {
    let mut at = start + 1;
    if matches!(glob.get(at), Some('!' | '^')) {
        at += 1;
    }
    // A `]` in first place stands for itself.
    at += usize::from(glob.get(at) == Some(&']'));
    loop {
        match glob.get(at)? {
            ']' => return Some(at),
            '[' => at = kind_end(glob, at).unwrap_or(at),
            _ => {}
        }
        at += 1;
    }
}

/// The index of the last character of a kind of characters, such as `[:alpha:]`, that begins at `start`.
fn kind_end(glob: &[char], start: usize) -> Option<usize> {
    let rest = glob.get(start..)?.strip_prefix(&['[', ':'])?;
    let length = rest
        .iter()
        .position(|letter| !letter.is_ascii_lowercase())?;
    let is_closed = rest.get(length..)?.starts_with(&[':', ']']);
    is_closed.then_some(start + length + 3)
}

/// The index of the bracket that closes the one at `open`.
pub(super) fn closing(glob: &[char], open: usize) -> Option<usize> {
    let (opens, closes) = match glob.get(open) {
        Some('{') => ('{', '}'),
        _ => ('(', ')'),
    };
    let mut depth = 0_usize;
    let mut at = open;
    while let Some(character) = glob.get(at) {
        match *character {
            '\\' => at += 1,
            '[' => at = class_end(glob, at).unwrap_or(at),
            found if found == opens => depth += 1,
            found if found == closes => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The parts between the separators of one level.
fn parts(body: &[char], separator: char) -> Vec<Vec<char>> {
    let mut parts = vec![Vec::new()];
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(character) = body.get(at) {
        let end = match *character {
            '\\' => at + 1,
            '[' => class_end(body, at).unwrap_or(at),
            _ => at,
        };
        match *character {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if *character == separator && depth == 0 {
            parts.push(Vec::new());
        } else if let (Some(last), Some(run)) =
            (parts.last_mut(), body.get(at..=end.min(body.len() - 1)))
        {
            last.extend_from_slice(run);
        }
        at = end + 1;
    }
    parts
}

/// Writes out braces, and groups of alternatives that lead through directories.
pub(super) fn expand(glob: Vec<char>, all: &mut Vec<Vec<char>>) -> Result<(), String> {
    let mut at = 0;
    while let Some(character) = glob.get(at) {
        let opens = match *character {
            '\\' => {
                at += 2;
                continue;
            }
            '[' => {
                at = class_end(&glob, at).unwrap_or(at) + 1;
                continue;
            }
            '{' => Some((at, at, ',')),
            '@' | '?' if glob.get(at + 1) == Some(&'(') => Some((at, at + 1, '|')),
            _ => None,
        };
        if let Some((start, open, separator)) = opens
            && let Some(close) = closing(&glob, open)
            && let Some(body) = glob.get(open + 1..close)
            && (separator == ',' || body.contains(&'/'))
        {
            let mut offered = parts(body, separator);
            if *character == '?' {
                offered.push(Vec::new());
            }
            for offer in offered {
                let mut one = glob.get(..start).unwrap_or_default().to_vec();
                one.extend(offer);
                one.extend_from_slice(glob.get(close + 1..).unwrap_or_default());
                expand(one, all)?;
            }
            return Ok(());
        }
        at += 1;
    }
    if all.len() >= MAX_ALTERNATIVES {
        return Err("its braces come to too many alternatives; write several shorter globs".into());
    }
    all.push(glob);
    Ok(())
}

pub(super) fn segments(glob: &[char]) -> Result<Vec<Segment>, String> {
    parts(glob, '/')
        .iter()
        .map(|segment| match segment.as_slice() {
            ['*', '*'] => Ok(Segment::AnyDepth),
            name => pieces(name, 0).map(Segment::Name),
        })
        .collect()
}

fn pieces(glob: &[char], nesting: usize) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(character) = glob.get(at) {
        if let Some(kind) = GroupKind::of(*character)
            && glob.get(at + 1) == Some(&'(')
            && let Some(close) = closing(glob, at + 1)
        {
            let nesting = nesting + usize::from(kind.costs());
            if nesting > MAX_NESTING {
                return Err("its groups are nested too deeply".into());
            }
            let body = glob.get(at + 2..close).unwrap_or_default();
            if body.contains(&'/') {
                return Err(format!("`/` cannot stand inside `{character}(…)`"));
            }
            let alternatives = parts(body, '|')
                .iter()
                .map(|part| self::pieces(part, nesting))
                .collect::<Result<_, _>>()?;
            pieces.push(Piece::Group { kind, alternatives });
            at = close + 1;
            continue;
        }
        at += 1;
        pieces.push(match *character {
            '*' => Piece::Any,
            '?' => Piece::One,
            '\\' => {
                at += 1;
                Piece::Literal(*glob.get(at - 1).ok_or("it ends in a lone `\\`")?)
            }
            '[' => {
                let end = class_end(glob, at - 1).ok_or("a `[` is not closed")?;
                let body = glob.get(at..end).unwrap_or_default();
                at = end + 1;
                class(body)?
            }
            other => Piece::Literal(other),
        });
    }
    Ok(pieces)
}

fn class(body: &[char]) -> Result<Piece, String> {
    let negated = matches!(body.first(), Some('!' | '^'));
    let body = body.get(usize::from(negated)..).unwrap_or_default();
    let (mut ranges, mut kinds) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(first) = body.get(at) {
        if let Some(end) = kind_end(body, at) {
            let name: String = body
                .get(at + 2..end - 1)
                .unwrap_or_default()
                .iter()
                .collect();
            kinds.push(
                kind(&name).ok_or_else(|| format!("`[:{name}:]` is not a kind of characters"))?,
            );
            at = end + 1;
            continue;
        }
        match (body.get(at + 1), body.get(at + 2)) {
            (Some('-'), Some(last)) if first > last => {
                return Err(format!("`{first}-{last}` is not a range of characters"));
            }
            (Some('-'), Some(last)) => {
                ranges.push(*first..=*last);
                at += 3;
            }
            _ => {
                ranges.push(*first..=*first);
                at += 1;
            }
        }
    }
    Ok(Piece::Class {
        negated,
        ranges,
        kinds,
    })
}

/// The characters of a kind, as POSIX names it.
fn kind(name: &str) -> Option<CharacterKind> {
    Some(match name {
        "alnum" => |c| c.is_alphanumeric(),
        "alpha" => |c| c.is_alphabetic(),
        "blank" => |c| matches!(c, ' ' | '\t'),
        "cntrl" => |c| c.is_control(),
        "digit" => |c| c.is_ascii_digit(),
        "graph" => |c| !c.is_control() && !c.is_whitespace(),
        "lower" => |c| c.is_lowercase(),
        "print" => |c| !c.is_control(),
        "punct" => |c| c.is_ascii_punctuation(),
        "space" => |c| c.is_whitespace(),
        "upper" => |c| c.is_uppercase(),
        "word" => |c| c.is_alphanumeric() || c == '_',
        "xdigit" => |c| c.is_ascii_hexdigit(),
        _ => return None,
    })
}
