//! One settings file: what it says, and where in it something stands.

use std::cell::Cell;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde::Deserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::Value;
use serde_saphyr::{Location, Spanned};
use tenon_contract::{ErrorCode, ToolError};
use tenon_workspace::Workspace;

use super::Settings;
use crate::faults::{Fault, PathStep, faults};

/// Largest settings file in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Line and column, counted from 1.
type TextPosition = (usize, usize);

#[derive(Clone, Copy)]
enum Format {
    Json,
    Json5,
    Yaml,
}

/// Why a text could not be read: where, and what its reader said.
struct Broken {
    place: Option<TextPosition>,
    why: String,
}

impl Format {
    fn of(name: &str) -> Option<Self> {
        let extension = Path::new(name).extension()?.to_str()?;
        match extension.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "json5" | "jsonc" => Some(Self::Json5),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Json5 => "JSON5",
            Self::Yaml => "YAML",
        }
    }

    fn read<T: DeserializeOwned>(self, text: &str) -> Result<T, Broken> {
        match self {
            Self::Json => serde_json::from_str(text).map_err(Broken::from),
            Self::Json5 => json5::from_str(text).map_err(Broken::from),
            Self::Yaml => serde_saphyr::from_str(text).map_err(Broken::from),
        }
    }

    /// Where a path leads, as far as there is such a member.
    fn find(self, text: &str, path: &[PathStep]) -> Option<TextPosition> {
        let spanned = Cell::new(None);
        let find = |stops_in_value, spanned| Find {
            path,
            stops_in_value,
            spanned,
        };
        let broken: Option<Broken> = match self {
            Self::Json => {
                let mut reader = serde_json::Deserializer::from_str(text);
                find(false, None)
                    .deserialize(&mut reader)
                    .err()
                    .map(Broken::from)
            }
            // This reader reports the start of a value, and behind a name that of the object around it.
            Self::Json5 => {
                let mut reader = json5::Deserializer::from_str(text);
                find(true, None)
                    .deserialize(&mut reader)
                    .err()
                    .map(Broken::from)
            }
            Self::Yaml => {
                let find = find(true, Some(&spanned));
                let walk = |reader: serde_saphyr::Deserializer<'_, '_>| find.deserialize(reader);
                let walked = serde_saphyr::with_deserializer_from_str(text, walk);
                walked.err().map(Broken::from)
            }
        };
        let (line, column) = spanned.take().or(broken?.place)?;
        let Some(PathStep::Name(name)) = path.last() else {
            // This reader says how many characters it has taken.
            let taken = usize::from(matches!(self, Self::Json));
            return Some((line, column + taken));
        };
        // The name ends in this line before the place, or stands in a line above it.
        let rows: Vec<&str> = text.lines().take(line).collect();
        let mut near = rows.iter().enumerate().rev();
        near.find_map(|(row, text)| {
            let is_last = row + 1 == line;
            let until = if is_last { column } else { usize::MAX };
            let before: String = text.chars().take(until).collect();
            let start = before.get(..before.rfind(name.as_str())?)?;
            Some((row + 1, start.chars().count() + 1))
        })
        .or(Some((line, column)))
    }
}

/// Walks along a path and stops with an error where it ends, which is how a reader reports the place.
#[derive(Clone, Copy)]
struct Find<'p> {
    path: &'p [PathStep],
    stops_in_value: bool,
    /// Takes the place from a reader that reports it on request.
    spanned: Option<&'p Cell<Option<TextPosition>>>,
}

impl Find<'_> {
    fn note(self, found: &Spanned<IgnoredAny>) {
        if let Some(spanned) = self.spanned {
            spanned.set(place_of(found.referenced));
        }
    }
}

impl<'de> DeserializeSeed<'de> for Find<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        if self.path.is_empty() && !self.stops_in_value {
            return Err(D::Error::custom("here"));
        }
        // At the end of the path no value is one that is taken.
        if self.path.is_empty() {
            return reader.deserialize_any(Nothing);
        }
        reader.deserialize_any(self)
    }
}

/// Takes no value at all.
struct Nothing;

impl Visitor<'_> for Nothing {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("nothing")
    }
}

impl<'de> Visitor<'de> for Find<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list or an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match self.path.split_first() {
                Some((PathStep::Name(wanted), path)) if *wanted == name => {
                    if path.is_empty() && !self.stops_in_value {
                        return Err(A::Error::custom("here"));
                    }
                    if path.is_empty() && self.spanned.is_some() {
                        self.note(&map.next_value()?);
                        return Err(A::Error::custom("here"));
                    }
                    map.next_value_seed(Find { path, ..self })?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut index = 0;
        loop {
            let next = match self.path.split_first() {
                Some((PathStep::Index(wanted), []))
                    if *wanted == index && self.spanned.is_some() =>
                {
                    let found = list.next_element()?;
                    found.iter().for_each(|found| self.note(found));
                    found.map(|_| ())
                }
                Some((PathStep::Index(wanted), path)) if *wanted == index => {
                    list.next_element_seed(Find { path, ..self })?
                }
                _ => list.next_element::<IgnoredAny>()?.map(|_| ()),
            };
            if next.is_none() {
                return Ok(());
            }
            index += 1;
        }
    }
}

impl Broken {
    /// Without the place, which is said in one form for all readers.
    fn new(place: Option<TextPosition>, why: &str) -> Self {
        let why = why.lines().next().unwrap_or_default();
        let why = why.split(" at line ").next().unwrap_or_default();
        Self {
            place,
            why: why.trim_end_matches('.').to_owned(),
        }
    }
}

impl From<serde_json::Error> for Broken {
    fn from(error: serde_json::Error) -> Self {
        // What is wrong with the whole value has no place.
        let place = (error.line() > 0).then(|| (error.line(), error.column()));
        Self::new(place, &error.to_string())
    }
}

impl From<json5::Error> for Broken {
    fn from(error: json5::Error) -> Self {
        let place = error.position();
        let place = place.map(|place| (place.line + 1, place.column + 1));
        Self::new(place, &error.to_string())
    }
}

impl From<serde_saphyr::Error> for Broken {
    fn from(error: serde_saphyr::Error) -> Self {
        let error = error.without_snippet();
        let place = error.location().and_then(place_of);
        Self::new(place, &error.to_string())
    }
}

fn place_of(location: Location) -> Option<TextPosition> {
    let line = usize::try_from(location.line()).ok()?;
    Some((line, usize::try_from(location.column()).ok()?))
}

/// An absolute path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// A file that was read.
pub(super) struct Source {
    pub(super) name: String,
    /// Where it is, links followed.
    target: PathBuf,
    /// Where the host says that it is.
    given: PathBuf,
    text: String,
}

impl Source {
    pub(super) fn read(given: &Path) -> Result<Self, ToolError> {
        let name = given.display().to_string();
        let unreadable = |why: String| {
            ToolError::new(
                ErrorCode::InvalidParams,
                format!("The settings file `{name}` cannot be read: {why}"),
            )
            .with("option", "options.settings")
        };
        // It may be a link, as managers of dotfiles make them: no agent has named it.
        let file = given.canonicalize().unwrap_or_else(|_| given.to_owned());
        let parent = file
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let leaf = file
            .file_name()
            .and_then(std::ffi::OsStr::to_str)
            .ok_or_else(|| unreadable("It is not a file name.".into()))?;
        let fault = |error: tenon_workspace::Error| unreadable(error.to_string());
        let directory = Workspace::open::<PathBuf>(parent, &[]).map_err(fault)?;
        let located = directory.locate(leaf).map_err(fault)?;
        let text = located
            .open_file()
            .and_then(|open| open.read_text(MAX_BYTES))
            .map_err(fault)?;
        Ok(Self {
            target: located.target().to_owned(),
            given: plain(given),
            text: text.text().to_owned(),
            name,
        })
    }

    /// Where it lies in the workspace, or is named by a way through it: an agent that may change that place decides what the file
    /// says.
    pub(super) fn place_in(&self, workspace: &Workspace) -> Option<PathBuf> {
        let below = |place: &Path| {
            let mut roots = workspace.roots();
            roots.find_map(|root| Some(place.strip_prefix(root).ok()?.to_owned()))
        };
        let through = || {
            self.given.ancestors().skip(1).find_map(|above| {
                let rest = self.given.strip_prefix(above).ok()?;
                Some(below(&above.canonicalize().ok()?)?.join(rest))
            })
        };
        below(&self.target).or_else(through)
    }

    pub(super) fn parse(&self) -> Result<Settings, ToolError> {
        let format = Format::of(&self.name).ok_or_else(|| {
            let why = "Its name must end in `.json`, `.json5`, `.jsonc`, `.yaml` or `.yml`.";
            self.fault(None, why)
        })?;
        // A file that was cut off to nothing must not mean that nothing is restricted.
        match format.read::<Option<Settings>>(&self.text) {
            Ok(Some(settings)) => Ok(settings),
            Ok(None) => Err(self.fault(
                None,
                "It is empty. Write `{}` for a file that sets nothing.",
            )),
            Err(broken) => Err(self.explained(format, broken)),
        }
    }

    /// Text of this format that says something else, or is no such text.
    fn explained(&self, format: Format, broken: Broken) -> ToolError {
        let Ok(value) = format.read::<Value>(&self.text) else {
            let why = format!("It is not valid {}: {}.", format.name(), broken.why);
            return self.fault(broken.place, &why);
        };
        let faults = faults::<Settings>(&value);
        let Some(first) = faults.first() else {
            // What a value says is right, so the text says it more than once.
            let why = "A name appears twice in one object. Merge the two.";
            return self.fault(broken.place, why);
        };
        let place = |fault: &Fault| format.find(&self.text, &fault.path);
        let sentences: Vec<String> = faults
            .iter()
            .map(|fault| self.sentence(place(fault), &fault.sentence("settings", "setting")))
            .collect();
        let error = self.fault(place(first), "");
        ToolError {
            message: sentences.join(" "),
            ..error
        }
        .with("errors", sentences)
    }

    /// What is wrong, with the place where it is.
    fn sentence(&self, place: Option<TextPosition>, why: &str) -> String {
        let at = place.map_or_else(String::new, |(line, column)| {
            format!(", line {line}, column {column}")
        });
        format!("The settings file `{}`{at}: {why}", self.name)
    }

    fn fault(&self, place: Option<TextPosition>, why: &str) -> ToolError {
        let error = ToolError::new(ErrorCode::InvalidParams, self.sentence(place, why))
            .with("option", "options.settings")
            .with("file", self.name.as_str());
        match place {
            Some((line, column)) => error.with("line", line).with("column", column),
            None => error,
        }
    }

    /// Line and column of a rule, counted from 1, as far as it is written plainly.
    pub(super) fn place_of(&self, rule: &str) -> Option<(usize, usize)> {
        let quoted = serde_json::to_string(rule).ok()?;
        let at = self
            .text
            .find(&quoted)
            .map(|at| at + 1)
            .or_else(|| self.text.find(rule).filter(|_| !rule.is_empty()))?;
        let before = self.text.get(..at)?;
        let line = before.matches('\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            + 1;
        Some((line, column))
    }
}
