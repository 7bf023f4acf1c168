//! Which arguments of programs are texts and code.

use smallvec::smallvec;
pub(crate) use tenon_programs::words::operands::TEXTS;
use tenon_programs::{Program, Traits};
use tenon_shell::{Expansion, Part, Word};

use crate::commands::words::{Form, lists_of_braces};
use crate::protected::{PROTECTED, protected_among};

/// Whether arguments of the program are code.
pub(crate) fn takes_code(program: Option<&Program>) -> bool {
    const TAKING: Traits = Traits::LANGUAGE.with(Traits::TAKES_QUERIES);
    program.is_some_and(|program| program.is(TAKING))
}

/// Whether the word is a pipe to or from another command, and so no file.
pub(crate) fn is_pipe(word: &Word) -> bool {
    matches!(word.parts.as_slice(), [Part::ProcessSubstitution { .. }])
}

/// The words of lists in braces, `build/{a,b}`.
pub(crate) fn in_braces(word: &Word) -> Option<Vec<Word>> {
    let [
        Part::Text {
            value,
            quoted: false,
        },
    ] = word.parts.as_slice()
    else {
        return None;
    };
    if !word.expansion.braces || word.expansion.tilde {
        return None;
    }
    let texts = lists_of_braces(value)?;
    let words = texts.into_iter().map(|text| {
        // A tilde that came to stand at the start is a home directory.
        let expansion = Expansion {
            braces: false,
            tilde: text.starts_with('~'),
            ..word.expansion
        };
        let part = Part::text(text, false);
        Word::of_parts(smallvec![part], expansion, word.span)
    });
    Some(words.collect())
}

/// Whether a name of a file may begin behind this sign of an argument; in `code` behind more of them.
pub(crate) fn splits(sign: char, code: bool) -> bool {
    let in_code = || sign.is_ascii_whitespace() || "\"'`()<>|;{}[]".contains(sign);
    matches!(sign, '=' | '@' | ':' | ',' | ';' | '?' | '#') || code && in_code()
}

/// The first piece of an argument that is a protected name, or a pattern of one that begins with a dot.
pub(crate) fn protected_piece(text: &str, code: bool) -> Option<(&str, &'static str)> {
    let attached = text.strip_prefix('-').and_then(|text| text.get(1..));
    let pieces = text
        .split(|sign| splits(sign, code))
        .chain([text])
        .chain(attached);
    let mut named = pieces.filter(|piece| !piece.starts_with('-'));
    named.find_map(|piece| {
        let name = protected_among(piece.trim_end_matches('/'));
        Some((piece, name.or_else(|| protected_by_pattern(piece))?))
    })
}

/// The protected name that a pattern which begins with a dot can stand for.
fn protected_by_pattern(piece: &str) -> Option<&'static str> {
    if !piece.contains(['*', '?', '[']) {
        return None;
    }
    let mut parts = piece
        .split('/')
        .filter(|part| part.starts_with('.') && part.contains(['*', '?', '[']));
    parts.find_map(|part| {
        let form = Form::new(part)?;
        let mut names = PROTECTED.directories.iter().chain(PROTECTED.files);
        names.find(|name| form.fits(name)).copied()
    })
}

/// The first protected name that a patch in this text names.
pub(crate) fn patch_in(text: &str) -> Option<(String, &'static str)> {
    let lines = text.split('\n').flat_map(|line| line.split("\\n"));
    let starts = [
        "+++ ", "--- ", "*** ", "diff ", "rename ", "copy ", "Index: ",
    ];
    let mut marked = lines
        .map(|line| line.trim_start_matches(['"', '\'', ' ', '$', '(']))
        .filter(|line| {
            starts.iter().any(|start| line.starts_with(start))
                || line.contains("+++ ")
                || line.contains("rename to ")
        });
    marked.find_map(|line| {
        let mut paths = line.split([' ', '\t', '\r', '"', '\'']);
        paths.find_map(|path| Some((path.to_owned(), protected_among(path)?)))
    })
}
