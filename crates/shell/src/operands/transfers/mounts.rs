//! Directories of this machine that a container is given: `-v .:/app`, `--mount type=bind,source=.,target=/app`.

use tenon_programs::words::containers::CAPABILITIES;

use super::super::arguments::unknown_file;
use super::super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use crate::word::Value;
use crate::word::{Part, Word};

/// Adds what an option of a program that runs containers gives to one.
pub(super) fn add(name: &str, value: &Word, files: &mut FileOperands<'_>) {
    let source = match name {
        "v" | "volume" => volume(value),
        "mount" => mount(value),
        "device" => device(value),
        // The directory of a volume: `docker volume create -o device=.`
        "o" | "opt" => piece(value, &["device="], ',').map(|source| (Some(source), true)),
        _ => return,
    };
    let Some((source, writes)) = source else {
        return;
    };
    let mut add = |access| {
        let operand = match &source {
            Some(word) => FileOperand::new(OperandWord::Value(Box::new(word.clone())), access),
            None => unknown_file(value.span, access),
        };
        files.push(operand.reaching(AccessScope::Mounted));
    };
    add(FileAccess::Read);
    if writes {
        add(FileAccess::Write);
    }
}

/// A directory, if it is known which, and whether it can be written in.
type Source = (Option<Word>, bool);

/// `SOURCE:TARGET[:OPTIONS]`; a source without a slash is the name of a volume.
fn volume(value: &Word) -> Option<Source> {
    let equal = value.literal().and_then(|text| text.strip_prefix('='));
    let equal = equal.map(|text| Word::synthetic(text, value.span));
    let value = equal.as_ref().unwrap_or(value);
    let Some(source) = piece(value, &[], ':') else {
        return value.is_opaque().then_some((None, true));
    };
    let prefix = source.prefix();
    let is_name = !prefix.is_empty() && !prefix.contains('/') && !prefix.starts_with(['.', '~']);
    drop(prefix);
    (!is_name).then(|| (Some(source), !is_read_only(value, ':')))
}

/// `PATH[:TARGET[:PERMISSIONS]]`; a device of another kind has a name: `vendor.com/gpu=all`.
fn device(value: &Word) -> Option<Source> {
    let path = piece(value, &[], ':').unwrap_or_else(|| value.clone());
    let is_path = path.prefix().starts_with('/');
    is_path.then_some((Some(path), true))
}

/// Adds the whole machine, where an option gives it to a container: `--privileged`, `--pid=host`, `--cap-add=SYS_ADMIN`.
pub(super) fn machine<'w>(
    name: &str,
    value: Option<&OperandWord<'w>>,
    program: &'w Word,
    files: &mut FileOperands<'w>,
) {
    let text = value.map(|value| value.literal().map(str::to_ascii_lowercase));
    let gives = match (name, text.as_ref()) {
        // Whatever its value is.
        (_, Some(None)) => true,
        ("cap-add", Some(Some(text))) => text.split(',').any(|one| {
            let plain = one.strip_prefix("cap_").unwrap_or(one);
            CAPABILITIES.contains(&plain)
        }),
        ("pid", Some(Some(text))) => text == "host",
        (_, Some(Some(text))) => !matches!(text.as_str(), "false" | "0" | "f"),
        (_, None) => true,
    };
    for access in [FileAccess::Read, FileAccess::Write] {
        let root = FileOperand::new(OperandWord::value("/", program), access);
        files.extend(gives.then(|| root.reaching(AccessScope::Mounted)));
    }
}

/// `type=bind,source=SOURCE,…`
fn mount(value: &Word) -> Option<Source> {
    let whole = texts(value);
    if whole.contains('"') {
        return Some((None, true));
    }
    let kind = whole
        .split(',')
        .find_map(|setting| setting.strip_prefix("type="));
    // A volume can be made of a directory, as `docker volume create` does.
    if let Some(device) = piece(value, &["volume-opt=device="], ',') {
        return Some((Some(device), !is_read_only(value, ',')));
    }
    if kind.is_some_and(|kind| kind != "bind") || kind.is_none() && !value.is_opaque() {
        return None;
    }
    let source = piece(value, &["source=", "src="], ',');
    Some((source, !is_read_only(value, ',')))
}

/// What is known of the text.
fn texts(word: &Word) -> String {
    let known = word.parts.iter().filter_map(|part| match part {
        Part::Text { value, .. } => Some(value.as_str()),
        _ => None,
    });
    known.collect()
}

/// Whether the last piece, or one of them, says that nothing is written.
fn is_read_only(word: &Word, sign: char) -> bool {
    let text = texts(word);
    let mut settings = text.rsplit(sign);
    let says = |text: &str| {
        let mut words = text.split(',');
        words.any(|word| matches!(word, "ro" | "readonly" | "ro=true" | "readonly=true"))
    };
    match sign {
        ':' => text.matches(':').count() > 1 && settings.next().is_some_and(says),
        _ => settings.any(says),
    }
}

/// The piece of a word behind one of these marks, or from its start, up to a sign; `None` without such a mark, and from
/// the start without such a sign.
fn piece(word: &Word, marks: &[&str], sign: char) -> Option<Word> {
    let mut started = marks.is_empty();
    let mut parts = crate::word::Parts::new();
    let mut ended = false;
    for part in &word.parts {
        let Part::Text { value, quoted } = part else {
            if started {
                parts.push(part.clone());
            }
            continue;
        };
        let mut text = value.as_str();
        if !started {
            let Some((_, behind)) = marks.iter().find_map(|mark| text.split_once(mark)) else {
                continue;
            };
            (text, started) = (behind, true);
        }
        let own = text.split(sign).next().unwrap_or_default();
        ended = own.len() < text.len();
        if !own.is_empty() {
            parts.push(Part::text(own, *quoted));
        }
        if ended {
            break;
        }
    }
    (started && (ended || !marks.is_empty())).then(|| Word {
        span: word.span,
        // The home directory is put in for `~`.
        value: match word.expansion.any() {
            true => Value::Opaque,
            false => Value::of(&parts),
        },
        parts,
        expansion: word.expansion,
        quoted: word.quoted,
    })
}
