//! A page as text: lines of all its frames, with references to what can be worked.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::BrowserError;
use crate::lines::{Kind, Measure, Piece, choose};
use crate::refs::{Place, Refs, Shown};
use crate::tab::{Seen, Tab};
use crate::world::Frame;

/// How much of a page is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LookMode {
    /// Text and controls, in their order.
    #[default]
    Page,
    /// Lines with something that can be worked.
    Controls,
    /// Headings, parts and folded rows.
    Outline,
}

/// What is to be shown.
#[derive(Debug, Clone, Default)]
pub struct LookOptions {
    /// How much.
    pub mode: LookMode,
    /// Only what is in this element, or the rows that are folded behind this reference, or the options of this select.
    pub scope: Option<String>,
    /// Only lines that hold all these words.
    pub query: Option<String>,
    /// From which line on; of folded rows: from which row, of options: from which option.
    pub offset: usize,
    /// Most characters. Default: 12,000, at most 80,000.
    pub max_characters: Option<usize>,
}

/// A page as text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Snapshot {
    /// The lines.
    #[serde(rename = "snapshot")]
    pub text: String,
    /// References that stand in it.
    pub refs: usize,
    /// Of these, how many were not there at the last look.
    #[serde(rename = "newRefs")]
    pub new_refs: usize,
    /// Rows that are folded.
    #[serde(rename = "omittedRows")]
    pub omitted_rows: usize,
    /// Options of selects that are folded.
    #[serde(rename = "omittedOptions")]
    pub omitted_options: usize,
    /// Characters of text that nobody can see (its own colour, no size, off the page) and that were left out.
    #[serde(rename = "hiddenCharacters")]
    pub hidden_characters: usize,
    /// Whether something was left out that a larger limit or an offset shows.
    pub truncated: bool,
    /// The offset at which to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
}

/// What the script of a frame returns.
#[derive(Deserialize, Default)]
struct Raw {
    #[serde(default)]
    lines: Vec<RawLine>,
    #[serde(default)]
    hidden: usize,
    #[serde(default)]
    rows: usize,
    #[serde(default)]
    options: usize,
    #[serde(default)]
    cut: bool,
    #[serde(default)]
    gone: bool,
    #[serde(default)]
    next: Option<usize>,
    /// How many rows or options there are, where it is rows or options.
    #[serde(default)]
    total: Option<usize>,
    /// Elements that may keep a shadow root to themselves.
    #[serde(default)]
    suspects: Vec<u32>,
}

/// Text, kind, whether it is in view, elements, number of the frame.
#[derive(Deserialize)]
struct RawLine(String, String, u8, Vec<RawRef>, u32);

/// Number, role, name, key, row.
#[derive(Deserialize, Clone)]
pub(crate) struct RawRef(u32, String, String, String, String);

/// A line that the script of a frame wrote by itself.
#[derive(Deserialize, Clone)]
pub(crate) struct OneLine {
    pub(crate) text: String,
    pub(crate) refs: Vec<RawRef>,
}

/// A line of a page.
pub(crate) struct Line {
    text: String,
    kind: Kind,
    is_seen: bool,
    pub(crate) refs: Vec<Shown>,
    depth: usize,
    pub(crate) hash: u64,
}

/// All lines of a page, and what was left out of them.
#[derive(Default)]
pub(crate) struct Look {
    pub(crate) loader: String,
    pub(crate) lines: Vec<Line>,
    pub(crate) snapshot: Snapshot,
    pub(crate) gone: bool,
    /// Whether it is rows or options, which are counted by themselves.
    pub(crate) is_counted: bool,
}

/// The function of the script that looks.
const LOOK: &str = "lookAt";
/// Frames in frames that are looked into.
const DEPTH_MAX: usize = 6;

fn hash(value: &impl std::hash::Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

pub(crate) fn shown(tab: &Tab, frame: &Frame, raw: RawRef, is_fold: bool) -> Shown {
    let RawRef(id, role, name, key, row) = raw;
    Shown {
        place: Place {
            tab: tab.name.clone(),
            frame: frame.id.clone(),
            loader: frame.loader.clone(),
            id,
        },
        is_fold,
        role,
        name,
        key,
        row,
    }
}

/// The text of a line with the numbers of its references in it.
pub(crate) fn numbered(text: &str, shown: &[Shown], refs: &mut Refs) -> String {
    let mut line = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find(['\u{1}', '\u{3}']) {
        let (before, marked) = rest.split_at(at);
        line.push_str(before);
        let (id, behind) = marked.split_once('\u{2}').unwrap_or((marked, ""));
        let id: Option<u32> = id.trim_start_matches(['\u{1}', '\u{3}']).parse().ok();
        if let Some(shown) = shown.iter().find(|shown| Some(shown.place.id) == id) {
            let letter = if shown.is_fold { 'r' } else { 'e' };
            line.push_str(&format!("[{letter}{}]", refs.show(shown.clone())));
        }
        rest = behind;
    }
    line.push_str(rest);
    line
}

impl Look {
    /// Looks at all frames, or at a part of one.
    pub(crate) async fn at(tab: &Tab, options: Value) -> Result<Self, BrowserError> {
        let (frames, early) = tokio::join!(tab.frames(), early_look(tab, &options));
        let frames = frames?;
        let main = frames.first().ok_or(BrowserError::Closed)?;
        let is_frameless = frames.len() == 1;
        tab.state().frameless = is_frameless.then(|| main.loader.clone());
        let early = early.filter(|(loader, _)| *loader == main.loader);
        let early = match early {
            Some((_, raw)) if is_frameless => Some(raw),
            Some((_, raw)) => {
                // The script names an element once; what is looked at again must not miss its root.
                tab.adopt_closed_roots(main, raw.suspects()).await?;
                None
            }
            None => None,
        };
        let mut look = Self {
            loader: main.loader.clone(),
            ..Self::default()
        };
        look.add(tab, &frames, main, &options, 0, early).await?;
        Ok(look)
    }

    /// Looks at a part of one frame.
    pub(crate) async fn in_frame(
        tab: &Tab,
        frames: &[Frame],
        frame: &Frame,
        options: Value,
    ) -> Result<Self, BrowserError> {
        let mut look = Self::default();
        look.add(tab, frames, frame, &options, 0, None).await?;
        Ok(look)
    }

    async fn add(
        &mut self,
        tab: &Tab,
        frames: &[Frame],
        frame: &Frame,
        options: &Value,
        depth: usize,
        early: Option<Raw>,
    ) -> Result<(), BrowserError> {
        let children: Vec<&Frame> = frames
            .iter()
            .filter(|child| child.parent.as_ref() == Some(&frame.id))
            .collect();
        mark(tab, frame, &children).await?;
        let asked = std::slice::from_ref(options);
        let raw = match early {
            Some(raw) => look_again(tab, frame, LOOK, asked, raw).await?,
            None => look_through(tab, frame, LOOK, asked).await?,
        };
        self.count(&raw, depth);
        for RawLine(text, kind, seen, refs, number) in raw.lines {
            let kind = Kind::of(&kind);
            let child = usize::try_from(number)
                .ok()
                .and_then(|number| children.get(number.checked_sub(1)?))
                .filter(|_| kind == Kind::Frame);
            let text = match child {
                Some(child) if child.url.starts_with("http") => {
                    format!("{} {}", text.trim_end_matches(':'), short_url(&child.url))
                }
                _ => text,
            };
            self.lines.push(Line {
                hash: hash(&(&frame.id, &text)),
                text,
                kind,
                is_seen: seen == 1,
                refs: refs
                    .into_iter()
                    .map(|raw| shown(tab, frame, raw, kind == Kind::Fold))
                    .collect(),
                depth,
            });
            if let Some(child) = child.filter(|_| depth < DEPTH_MAX) {
                let options = whole();
                let inner = self.add(tab, frames, child, &options, depth + 1, None);
                let inner = Box::pin(inner).await;
                // Other failures are those of a frame that is just being replaced.
                if let Err(error @ (BrowserError::DialogOpen(_) | BrowserError::Crashed { .. })) =
                    inner
                {
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Adds what a frame says of all its lines.
    fn count(&mut self, raw: &Raw, depth: usize) {
        self.gone |= raw.gone;
        self.snapshot.hidden_characters += raw.hidden;
        self.snapshot.omitted_rows += raw.rows;
        self.snapshot.omitted_options += raw.options;
        self.snapshot.truncated |= raw.cut;
        if depth == 0 {
            self.snapshot.next = raw.next;
            self.is_counted = raw.total.is_some();
        }
    }

    /// What the caller has seen of this page, when he has seen this.
    pub(crate) fn seen(&self) -> Seen {
        Seen {
            loader: self.loader.clone(),
            elements: self
                .lines
                .iter()
                .flat_map(|line| &line.refs)
                .map(|shown| hash(&shown.place))
                .collect(),
            lines: self.lines.iter().map(|line| line.hash).collect(),
        }
    }

    pub(crate) fn keep(&mut self, is_wanted: impl Fn(&Line) -> bool) {
        self.lines.retain(is_wanted);
    }

    /// Writes the lines that fit into the budget.
    pub(crate) fn write(
        mut self,
        refs: &mut Refs,
        seen: Option<&Seen>,
        offset: usize,
        budget: usize,
        outline: bool,
    ) -> Snapshot {
        let measures: Vec<Measure> = self.lines.iter().map(Line::measure).collect();
        let (pieces, next) = choose(&measures, offset, budget, outline);
        let mut snapshot = std::mem::take(&mut self.snapshot);
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Line(index) => {
                    let Some(line) = self.lines.get(index) else {
                        continue;
                    };
                    text.push_str(&"  ".repeat(line.depth));
                    text.push_str(&numbered(&line.text, &line.refs, refs));
                    let fresh = seen.map_or(0, |seen| line.fresh(seen));
                    let is_new = match seen {
                        Some(seen) if line.refs.is_empty() => !seen.lines.contains(&line.hash),
                        _ => fresh > 0,
                    };
                    if is_new && line.kind != Kind::Fold {
                        text.push_str(" [new]");
                    }
                    text.push('\n');
                    snapshot.refs += line.refs.len();
                    snapshot.new_refs += fresh;
                }
                Piece::Gap(from, to, controls) => {
                    let controls = match controls {
                        0 => String::new(),
                        controls => format!(", {controls} controls"),
                    };
                    text.push_str(&format!(
                        "… {} lines{controls} (offset {from})\n",
                        to - from
                    ));
                    snapshot.truncated |= !outline;
                }
            }
        }
        text.truncate(text.trim_end().len());
        snapshot.text = text;
        if next.is_some() {
            snapshot.next = next;
            snapshot.truncated = true;
        }
        snapshot
    }
}

impl Line {
    fn measure(&self) -> Measure {
        Measure {
            // Numbers, marks of new lines, the line end.
            characters: self.text.chars().count() + self.depth * 2 + self.refs.len() * 5 + 8,
            kind: self.kind,
            is_seen: self.is_seen,
            controls: self.refs.len(),
        }
    }

    /// How many of its elements were not there.
    fn fresh(&self, seen: &Seen) -> usize {
        let is_new =
            |shown: &&Shown| !shown.is_fold && !seen.elements.contains(&hash(&shown.place));
        self.refs.iter().filter(is_new).count()
    }
}

/// Looks while the browser is asked for the frames, where there were none: mostly there are none still, and the look has cost no
/// way of its own. With the loader of the document that was looked at.
async fn early_look(tab: &Tab, options: &Value) -> Option<(String, Raw)> {
    let frame = {
        let state = tab.state();
        let loader = state.frameless.clone()?;
        let world = state.worlds.get(&tab.target)?;
        (world.loader == loader).then(|| Frame {
            id: tab.target.clone(),
            parent: None,
            session: world.session.clone(),
            loader,
            url: String::new(),
        })?
    };
    let asked = std::slice::from_ref(options);
    // What fails here fails again, and is reported then.
    let raw = tab.ask(&frame, LOOK, asked).await.ok()?;
    Some((frame.loader, raw))
}

/// Looks until no root is found that a page keeps to itself, at most so often: they may be in each other.
pub(crate) async fn look_through<R: Suspicious>(
    tab: &Tab,
    frame: &Frame,
    function: &str,
    arguments: &[Value],
) -> Result<R, BrowserError> {
    let first: R = tab.ask(frame, function, arguments).await?;
    look_again(tab, frame, function, arguments, first).await
}

/// The same after the first look.
async fn look_again<R: Suspicious>(
    tab: &Tab,
    frame: &Frame,
    function: &str,
    arguments: &[Value],
    mut raw: R,
) -> Result<R, BrowserError> {
    const TIMES: usize = 6;
    for _ in 0..TIMES {
        let suspects = raw.suspects();
        if suspects.is_empty() || tab.adopt_closed_roots(frame, suspects).await? == 0 {
            break;
        }
        raw = tab.ask(frame, function, arguments).await?;
    }
    Ok(raw)
}

/// What may have missed what a page keeps to itself.
pub(crate) trait Suspicious: serde::de::DeserializeOwned {
    /// Elements that may keep a shadow root to themselves.
    fn suspects(&self) -> &[u32];
}

impl Suspicious for Raw {
    fn suspects(&self) -> &[u32] {
        &self.suspects
    }
}

/// Numbers the elements that hold frames, so that the script can say where they are.
async fn mark(tab: &Tab, frame: &Frame, children: &[&Frame]) -> Result<(), BrowserError> {
    for (number, child) in (1_u32..).zip(children) {
        // A frame that has just gone is not marked, and not found.
        if let Ok(owner) = tab.owner(frame, child).await {
            let arguments = [json!({ "objectId": owner }), json!({ "value": number })];
            let _: Value = tab.ask_with(frame, "markFrame", &arguments).await?;
        }
    }
    Ok(())
}

pub(crate) fn whole() -> Value {
    json!({})
}

fn short_url(url: &str) -> String {
    let shown: String = url.chars().take(100).collect();
    // An address may hold what looks like a reference.
    let plain = shown.replace('[', "%5B").replace(']', "%5D");
    if shown.len() < url.len() {
        format!("{plain}…")
    } else {
        plain
    }
}

impl Look {
    /// Only lines with all these words.
    pub(crate) fn filter(&mut self, words: &HashSet<String>) {
        if !words.is_empty() {
            self.keep(|line| {
                let text = line.text.to_lowercase();
                words.iter().all(|word| text.contains(word))
            });
        }
    }
}

impl OneLine {
    pub(crate) const fn new(text: String, refs: Vec<RawRef>) -> Self {
        Self { text, refs }
    }
}
