//! Puts marks in the place of secrets, and secrets in the place of marks.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;
use tenon_contract::plain_parts;

use crate::find::{SHORTEST_BYTES, find};
use crate::marks::{self, Mark};
use crate::parts::Parts;
use crate::shapes::{run_at_end, unquoted};
use crate::variables::{Looks, looks};

/// Most secrets that are remembered. Marks of further ones stand for nothing.
const KNOWN_MAX: usize = 10_000;
/// The longest name of a file that is looked for (Linux: `PATH_MAX`).
const NAME_MAX_BYTES: usize = 4096;
/// The shortest secret that is looked for by itself, wherever else it stands.
const ALONE_MIN_BYTES: usize = SHORTEST_BYTES;
/// What tags of marks are made with: nobody outside of the process knows from a tag what it is one of.
static TAGS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
/// The longest private key whose end is waited for.
const KEY_MAX_BYTES: usize = 16 * 1024;
/// The longest last word of a text that goes on that may be shown: the end of a question.
const QUESTION_MAX_BYTES: usize = 12;

/// A kind of secret that the host knows of.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// What it is called in marks.
    pub name: String,
    /// What it looks like: its first group, or all of it.
    pub expression: Regex,
}

/// Takes secrets out of texts. The same secret gets the same mark for as long as it lives.
#[derive(Debug, Default)]
pub struct Redactor {
    patterns: Vec<Pattern>,
    /// Which names are those of files that are there.
    names: Option<FileNames>,
    /// Whether a secret may have become such a name.
    is_in_names: AtomicBool,
    known: Mutex<KnownSecrets>,
}

/// Whether a name is that of a file that is there.
struct FileNames(Box<dyn Fn(&str) -> bool + Send + Sync>);

impl fmt::Debug for FileNames {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("FileNames")
    }
}

/// Secrets and their marks.
#[derive(Debug, Default)]
struct KnownSecrets {
    /// The session whose marks have tags.
    session: Option<String>,
    marks: HashMap<String, KnownMark>,
    secrets: HashMap<Mark, String>,
    /// How many secrets of a kind, a length and a tag there are.
    counts: HashMap<(String, usize, Option<String>), usize>,
    /// Finds those that are known wherever they stand; made when it is needed.
    search: Option<Arc<Search>>,
}

/// The mark of a secret.
#[derive(Debug)]
struct KnownMark {
    mark: Mark,
    found: Found,
}

/// How it was found that something is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// By its form or its name, as it would be in any text.
    InAnyText,
    /// Only the caller sees it, but it looks like one: it is looked for elsewhere too, but in names of files.
    LikeSecret,
    /// Only the caller sees it, and it may be any word, but its name announces a secret.
    Named,
    /// Only the caller sees it, and it may be any word.
    Plain,
}

/// Finds secrets wherever they stand, with what each is called and how it was found.
type Search = (AhoCorasick, Vec<(String, Found)>);

/// A secret in a text.
struct SecretPlace {
    range: Range<usize>,
    kind: String,
    found: Found,
}

/// A mark that stands for no secret that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownMark {
    /// The mark as it is in the text.
    pub mark: String,
}

impl Redactor {
    /// Finds keys of known formats and what matches the patterns.
    #[must_use]
    pub fn new(patterns: Vec<Pattern>) -> Self {
        Self {
            patterns,
            ..Self::default()
        }
    }

    /// The same for a session that outlives it: its marks have tags that depend on their secrets, so that a mark of another
    /// process stands for nothing here rather than for another secret.
    #[must_use]
    pub fn tagged(self, session: &str) -> Self {
        self.known().session = Some(session.to_owned());
        self
    }

    /// The same that leaves the names of files that are there: what only a caller takes for a secret may be a part of one.
    #[must_use]
    pub fn leaving_names(mut self, is_name: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.names = Some(FileNames(Box::new(is_name)));
        self
    }

    /// The text with a mark for every secret.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        // Between bytes that are no text there are millions of texts of a few letters.
        if text.len() < SHORTEST_BYTES && self.patterns.is_empty() {
            return text.into();
        }
        let parts = Self::parts(text);
        self.marked(text, self.places(text, parts.as_ref()), parts.as_ref())
    }

    /// The text of a screen of so many columns with a mark for every secret, those too that go on in the next line.
    #[must_use]
    pub fn redact_screen<'t>(&self, text: &'t str, columns: usize) -> Cow<'t, str> {
        let parts = Parts::of_screen(text, columns);
        self.marked(text, self.places(text, Some(&parts)), Some(&parts))
    }

    /// The text with a mark for every secret and for each of these places, which are of a kind that only the caller sees.
    #[must_use]
    pub fn redact_also<'t>(
        &self,
        text: &'t str,
        also: Vec<Range<usize>>,
        kind: &str,
    ) -> Cow<'t, str> {
        let parts = Self::parts(text);
        let mut places = self.places(text, parts.as_ref());
        places.extend(also.into_iter().map(|range| SecretPlace {
            found: match looks(text, &range) {
                Looks::Secret => Found::LikeSecret,
                Looks::Named => Found::Named,
                Looks::Plain => Found::Plain,
            },
            range,
            kind: kind.to_owned(),
        }));
        self.marked(text, places, parts.as_ref())
    }

    /// The same of a text that may go on: what could be the start of a secret is left off its end.
    #[must_use]
    pub fn redact_start(&self, text: &str) -> String {
        self.redact(text.get(..text.len() - unfinished(text)).unwrap_or(""))
            .into_owned()
    }

    /// Whether it has patterns, or has met a secret: what other texts do not show by their form.
    #[must_use]
    pub fn knows_any(&self) -> bool {
        !self.patterns.is_empty() || !self.known().marks.is_empty()
    }

    /// Whether there is a secret in a text.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        !self.places(text, Self::parts(text).as_ref()).is_empty()
    }

    /// How many bytes at the end of a text that goes on could be the start of a secret: those of the last word, unless it is
    /// the end of a question, and those of a private key that is not complete.
    #[must_use]
    pub fn unfinished(&self, text: &str) -> usize {
        unfinished(text)
    }

    /// The text with the secrets that its marks stand for.
    ///
    /// # Errors
    /// The first mark that stands for none.
    pub fn restore<'t>(&self, text: &'t str) -> Result<Cow<'t, str>, UnknownMark> {
        let found = marks::find(text);
        if found.is_empty() {
            return Ok(text.into());
        }
        let known = self.known();
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        for (range, mark) in found {
            let Some(secret) = known.secrets.get(&mark) else {
                return Err(UnknownMark {
                    mark: text.get(range).unwrap_or_default().to_owned(),
                });
            };
            out.push_str(text.get(end..range.start).unwrap_or_default());
            out.push_str(secret);
            end = range.end;
        }
        out.push_str(text.get(end..).unwrap_or_default());
        Ok(out.into())
    }

    /// Notes that the secrets of this text are put into a file that shows them: those whose names announce a secret are looked for
    /// in all texts from now on.
    pub fn copied(&self, text: &str) {
        let marks = marks::find(text);
        if marks.is_empty() {
            return;
        }
        let mut known = self.known();
        for (_, mark) in marks {
            let secret = known.secrets.get(&mark).cloned();
            let secret = secret.and_then(|secret| known.marks.get_mut(&secret));
            if let Some(secret) = secret.filter(|secret| secret.found == Found::Named) {
                secret.found = Found::LikeSecret;
                known.search = None;
            }
        }
    }

    /// Notes that a file is named by the secrets of this text: from now on they are not left in names either.
    pub fn named(&self, text: &str) {
        if !marks::find(text).is_empty() {
            self.copied(text);
            self.is_in_names.store(true, Ordering::Relaxed);
        }
    }

    /// What a text with colours says without them.
    fn parts(text: &str) -> Option<Parts> {
        plain_parts(text).map(Parts::new)
    }

    /// Every secret of a text, as it is written and as these parts of it read.
    fn places(&self, text: &str, parts: Option<&Parts>) -> Vec<SecretPlace> {
        let mut places = self.written_places(text);
        if let Some(parts) = parts {
            let read = self.written_places(&parts.joined(text));
            places.extend(read.into_iter().map(|place| SecretPlace {
                range: parts.place(&place.range),
                ..place
            }));
        }
        places
    }

    fn written_places(&self, text: &str) -> Vec<SecretPlace> {
        let mut places: Vec<SecretPlace> = Vec::new();
        let is_too_short = text.len() < SHORTEST_BYTES;
        for secret in if is_too_short { Vec::new() } else { find(text) } {
            let kind = secret.kind;
            if text
                .get(secret.range.clone())
                .is_some_and(|text| text.contains('\n'))
            {
                places.extend(lines_of_key(text, secret.range));
            } else {
                places.push(SecretPlace {
                    range: secret.range,
                    kind: kind.to_owned(),
                    found: Found::InAnyText,
                });
            }
        }
        for pattern in &self.patterns {
            places.extend(pattern.expression.captures_iter(text).filter_map(|found| {
                let place = found.get(1).or_else(|| found.get(0))?;
                (!place.is_empty()).then(|| SecretPlace {
                    range: place.range(),
                    kind: pattern.name.clone(),
                    found: Found::InAnyText,
                })
            }));
        }
        let search = (!is_too_short).then(|| self.known().search()).flatten();
        if let Some(search) = search {
            let (search, kinds) = &*search;
            places.extend(search.find_iter(text).filter_map(|hit| {
                let (kind, found) = kinds.get(hit.pattern().as_usize())?;
                let is_left = *found == Found::LikeSecret && self.is_in_name(text, &hit.range());
                (!is_left).then(|| SecretPlace {
                    range: hit.range(),
                    kind: kind.clone(),
                    found: *found,
                })
            }));
        }
        places
    }

    /// Whether a place is in the name of a file that is there.
    fn is_in_name(&self, text: &str, place: &Range<usize>) -> bool {
        let ends = |letter: char| letter.is_whitespace() || "\"'`:,;()<>[]{}=|".contains(letter);
        let before = text.get(..place.start).unwrap_or_default();
        let start = before.rfind(ends).map_or(0, |at| {
            at + before
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .map_or(1, char::len_utf8)
        });
        let behind = text.get(place.end..).unwrap_or_default();
        let end = place.end + behind.find(ends).unwrap_or(behind.len());
        let name = text.get(start..end).unwrap_or_default();
        name.len() <= NAME_MAX_BYTES
            && !self.is_in_names.load(Ordering::Relaxed)
            && self.names.as_ref().is_some_and(|names| (names.0)(name))
    }

    fn marked<'t>(
        &self,
        text: &'t str,
        places: Vec<SecretPlace>,
        parts: Option<&Parts>,
    ) -> Cow<'t, str> {
        let places = joined(places);
        if places.is_empty() {
            return text.into();
        }
        let mut known = self.known();
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        for place in places {
            out.push_str(text.get(end..place.range.start).unwrap_or_default());
            let written = text.get(place.range.clone()).unwrap_or_default();
            match parts.map(|parts| parts.apart(text, &place.range)) {
                // What only stands in it stays, behind the mark.
                Some((secret, between)) => {
                    out.push_str(&known.mark(&secret, &place).to_string());
                    out.push_str(&between);
                }
                None => out.push_str(&known.mark(written, &place).to_string()),
            }
            end = place.range.end;
        }
        out.push_str(text.get(end..).unwrap_or_default());
        out.into()
    }

    fn known(&self) -> MutexGuard<'_, KnownSecrets> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KnownSecrets {
    /// The mark of a secret; a new one where it is met for the first time.
    fn mark(&mut self, secret: &str, place: &SecretPlace) -> Mark {
        if let Some(known) = self.marks.get_mut(secret) {
            if place.found < known.found {
                known.found = place.found;
                self.search = None;
            }
            return known.mark.clone();
        }
        let kind = place.kind.clone();
        let characters = secret.chars().count();
        let session = self.session.as_ref();
        let tag = session.map(|session| marks::tag(TAGS.hash_one((session, secret))));
        let counted = (kind.clone(), characters, tag.clone());
        let count = self.counts.entry(counted).or_insert(0);
        *count += 1;
        let mark = Mark {
            kind,
            characters,
            tag,
            number: *count,
        };
        if self.marks.len() < KNOWN_MAX {
            let known = KnownMark {
                mark: mark.clone(),
                found: place.found,
            };
            self.marks.insert(secret.to_owned(), known);
            self.secrets.insert(mark.clone(), secret.to_owned());
            if place.found <= Found::LikeSecret {
                self.search = None;
            }
        }
        mark
    }

    fn search(&mut self) -> Option<Arc<Search>> {
        if self.search.is_none() && !self.marks.is_empty() {
            let searched = self.marks.iter().filter(|(secret, known)| {
                secret.len() >= ALONE_MIN_BYTES && known.found <= Found::LikeSecret
            });
            let (secrets, kinds): (Vec<&String>, Vec<_>) = searched
                .map(|(secret, known)| (secret, (known.mark.kind.clone(), known.found)))
                .unzip();
            let search = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(secrets)
                .ok()?;
            self.search = Some(Arc::new((search, kinds)));
        }
        self.search.clone()
    }
}

/// In their order; what overlaps is one secret.
fn joined(mut places: Vec<SecretPlace>) -> Vec<SecretPlace> {
    places.sort_by_key(|place| (place.range.start, std::cmp::Reverse(place.range.end)));
    let mut joined: Vec<SecretPlace> = Vec::with_capacity(places.len());
    for place in places {
        match joined.last_mut() {
            Some(last) if place.range.start < last.range.end => {
                last.range.end = last.range.end.max(place.range.end);
                last.found = last.found.min(place.found);
            }
            _ => joined.push(place),
        }
    }
    joined
}

/// Each line of a private key is a secret by itself, so that a text keeps its lines, whatever stands before them: the
/// numbers of a listing, the signs of a diff.
fn lines_of_key(text: &str, range: Range<usize>) -> Vec<SecretPlace> {
    let mut at = range.start;
    let key = text.get(range).unwrap_or_default();
    let mut places = Vec::new();
    for line in key.split_inclusive('\n') {
        let body = unquoted(line);
        let run = run_at_end(line.get(body.clone()).unwrap_or_default());
        if run > 0 && !line.contains("-----") {
            let end = at + body.end;
            places.push(SecretPlace {
                range: end - run..end,
                kind: "line of a private key".to_owned(),
                found: Found::InAnyText,
            });
        }
        at += line.len();
    }
    places
}

fn unfinished(text: &str) -> usize {
    let word = text.rsplit(char::is_whitespace).next().unwrap_or("");
    let asks = word.len() <= QUESTION_MAX_BYTES
        && !word.contains("://")
        && word.ends_with([']', '?', '>', ')', ':']);
    let word = if asks { 0 } else { word.len() };
    open_key(text).map_or(word, |start| text.len() - start)
}

/// Where a private key begins that has not ended.
fn open_key(text: &str) -> Option<usize> {
    let start = text.rfind("-----BEGIN ")?;
    let key = text.get(start..).filter(|key| key.len() <= KEY_MAX_BYTES)?;
    let label = key.lines().next()?;
    let may_be = label.contains("PRIVATE KEY") || label.len() == key.len();
    (may_be && !key.contains("-----END ")).then_some(start)
}
