//! A page as text: lines of all its frames, with references to what can be worked.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tenon_contract::counted;

use crate::BrowserError;
use crate::page::frames::Frame;
use crate::page::tab::{Seen, Tab};
use crate::snapshot::lines::{Kind, Measure, Piece, choose};
use crate::snapshot::raw::{Raw, RawLine, RawRef, Reported};
use crate::snapshot::refs::{Place, Refs, Shown};

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
    /// Time limit. Default: 20 s, at most 120 s.
    pub timeout: Option<std::time::Duration>,
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
    /// Characters of text that nobody can see (its own colour, no size, off the page) and that were left out, in the lines that are shown.
    #[serde(rename = "hiddenCharacters")]
    pub hidden_characters: usize,
    /// Whether something was left out that a larger limit or an offset shows.
    pub truncated: bool,
    /// The offset at which to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
    /// Whether it is only what was searched for.
    #[serde(skip)]
    pub is_searched: bool,
}

/// What a document is: both empty where it was not looked at as a whole. From the script that looks, so that it belongs to what is
/// shown even if the tab is at another page by then.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Identity {
    pub(crate) title: String,
    pub(crate) url: String,
}

/// Lines that were asked for.
#[derive(Deserialize)]
struct MoreLines {
    lines: Vec<Option<RawLine>>,
    hidden: usize,
    suspects: Vec<u32>,
    /// Whether there has been another look, or another document.
    gone: bool,
}

/// A line that the script of a frame wrote by itself.
#[derive(Deserialize, Clone)]
pub(crate) struct OneLine {
    pub(crate) text: String,
    pub(crate) refs: Vec<RawRef>,
}

/// A line of a page.
pub(crate) struct Line {
    /// Nothing where it has not been written: then its elements say only which they are.
    text: Option<String>,
    kind: Kind,
    is_seen: bool,
    pub(crate) refs: Vec<Shown>,
    depth: usize,
    /// Of the text.
    pub(crate) hash: u64,
    /// Of what is in it, whether a user sees it or not.
    pub(crate) digest: u64,
    /// Its size, where it has not been written.
    size: usize,
    /// Its place among all, which an offset names.
    order: usize,
    /// Where it can be asked for: the frame, and its number there.
    frame: usize,
    number: usize,
}

/// All lines of a page, and what was left out of them.
#[derive(Default)]
pub(crate) struct Look {
    pub(crate) loader: String,
    pub(crate) page: Identity,
    pub(crate) lines: Vec<Line>,
    pub(crate) snapshot: Snapshot,
    pub(crate) gone: bool,
    /// Whether it is rows or options, which are counted by themselves.
    pub(crate) is_counted: bool,
    /// The frames that its lines are of, and the number of the look at each.
    frames: Vec<(Frame, u32)>,
}

/// Where each of these is that is there once.
fn only_ones(all: impl Iterator<Item = u64>) -> HashMap<u64, usize> {
    let mut places: HashMap<u64, Option<usize>> = HashMap::new();
    for (at, one) in all.enumerate() {
        places
            .entry(one)
            .and_modify(|place| *place = None)
            .or_insert(Some(at));
    }
    let once = places.into_iter();
    once.filter_map(|(one, at)| Some((one, at?))).collect()
}

/// The function of the script that looks.
const LOOK: &str = "lookAt";
/// The function of the script that writes lines of the last look.
const MORE: &str = "writeMore";
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
    if !text.contains('\u{1}') && !text.contains('\u{3}') {
        return text.to_owned();
    }
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
        if let Some((frame, raw)) = frameless_look(tab, &options).await {
            let mut look = Self {
                loader: frame.loader.clone(),
                ..Self::default()
            };
            let frames = std::slice::from_ref(&frame);
            look.add(tab, frames, &frame, &options, 0, Some(raw))
                .await?;
            return Ok(look);
        }
        let attached = tab.state().attached;
        let frames = tab.frames().await?;
        let main = frames.first().ok_or(BrowserError::Closed)?;
        tab.update(|state| {
            // One that has come meanwhile may not be among them.
            let is_frameless = frames.len() == 1 && state.attached == attached;
            state.frameless = is_frameless.then(|| main.loader.clone());
        });
        let mut look = Self {
            loader: main.loader.clone(),
            ..Self::default()
        };
        look.add(tab, &frames, main, &options, 0, None).await?;
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
        let mut raw: Raw = match early {
            Some(raw) => look_again(tab, frame, LOOK, asked, raw).await?,
            None => look_through(tab, frame, LOOK, asked).await?,
        };
        self.count(&raw, depth);
        if depth == 0 {
            self.page = std::mem::take(&mut raw.page);
        }
        self.frames.push((frame.clone(), raw.look));
        let at = self.frames.len() - 1;
        for (number, raw) in raw.lines.into_iter().enumerate() {
            let (mut line, child) = self.line_of(tab, at, number, &raw, depth);
            let child = child
                .and_then(|number| children.get(number.checked_sub(1)?))
                .filter(|_| line.kind == Kind::Frame);
            if let (Some(child), Some(text)) = (child, &mut line.text)
                && child.url.starts_with("http")
            {
                *text = format!("{} {}", text.trim_end_matches(':'), short_url(&child.url));
                line.hash = hash(&(&frame.id, &*text));
            }
            self.lines.push(line);
            if let Some(child) = child.filter(|_| depth < DEPTH_MAX) {
                let options = in_frame(options);
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

    /// A line of a frame, and which frame in it it begins.
    fn line_of(
        &self,
        tab: &Tab,
        at: usize,
        number: usize,
        raw: &RawLine,
        depth: usize,
    ) -> (Line, Option<usize>) {
        let frame = self.frames.get(at).map(|(frame, _)| frame);
        let name = frame.map_or("", |frame| &frame.id);
        let mut line = Line {
            text: None,
            kind: Kind::Text,
            is_seen: false,
            refs: Vec::new(),
            depth,
            hash: 0,
            digest: 0,
            size: 0,
            order: self.lines.len(),
            frame: at,
            number,
        };
        let mut child = None;
        match raw {
            RawLine::Written(text, kind, seen, refs, inner, digest) => {
                line.kind = Kind::of(kind);
                line.is_seen = *seen == 1;
                line.hash = hash(&(name, text));
                line.digest = hash(&(name, *digest));
                line.text = Some(text.clone());
                let is_fold = line.kind == Kind::Fold;
                let shown = |raw: &RawRef| Some(shown(tab, frame?, raw.clone(), is_fold));
                line.refs = refs.iter().filter_map(shown).collect();
                child = usize::try_from(*inner).ok();
            }
            RawLine::Left(left) => {
                if let Some(frame) = frame {
                    line.leave(left, name, |id| {
                        shown(tab, frame, RawRef::unnamed(id), false)
                    });
                }
            }
        }
        (line, child)
    }

    /// Has those lines written that are going to be shown. False where the page turned out to show more than was looked at.
    pub(crate) async fn fill(
        &mut self,
        tab: &Tab,
        offset: usize,
        budget: usize,
        outline: bool,
    ) -> Result<bool, BrowserError> {
        /// After so many answers all that is left is asked for.
        const TIMES: usize = 6;
        for time in 0..=TIMES {
            self.lines.retain(|line| !line.is_empty());
            let wanted = if time < TIMES {
                self.unwritten(offset, budget, outline)
            } else {
                (0..self.lines.len()).collect()
            };
            let mut by_frame: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for index in wanted {
                let line = self.lines.get(index).filter(|line| line.text.is_none());
                if let Some(line) = line {
                    by_frame.entry(line.frame).or_default().push(index);
                }
            }
            if by_frame.is_empty() {
                return Ok(true);
            }
            for (frame, indexes) in by_frame {
                if !self.write_more(tab, frame, &indexes).await? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Chosen lines that have not been written.
    fn unwritten(&self, offset: usize, budget: usize, outline: bool) -> Vec<usize> {
        let (pieces, _) = choose(&self.measures(), self.position(offset), budget, outline);
        let chosen = pieces.into_iter().filter_map(|piece| match piece {
            Piece::Line(index) => Some(index),
            Piece::Gap(..) => None,
        });
        chosen
            .filter(|index| {
                self.lines
                    .get(*index)
                    .is_some_and(|line| line.text.is_none())
            })
            .collect()
    }

    async fn write_more(
        &mut self,
        tab: &Tab,
        at: usize,
        indexes: &[usize],
    ) -> Result<bool, BrowserError> {
        let Some((frame, look)) = self.frames.get(at).cloned() else {
            return Ok(true);
        };
        let numbers: Vec<usize> = indexes
            .iter()
            .filter_map(|index| Some(self.lines.get(*index)?.number))
            .collect();
        let more: MoreLines = tab
            .ask(&frame, MORE, &[json!(look), json!(numbers)])
            .await?;
        if more.gone {
            return Ok(false);
        }
        if !more.suspects.is_empty() && tab.adopt_closed_roots(&frame, &more.suspects).await? > 0 {
            return Ok(false);
        }
        self.snapshot.hidden_characters += more.hidden;
        for (index, raw) in indexes.iter().zip(more.lines) {
            let raw = raw.unwrap_or_else(RawLine::empty);
            let Some(old) = self.lines.get(*index) else {
                continue;
            };
            let (depth, number, order) = (old.depth, old.number, old.order);
            let (mut line, _) = self.line_of(tab, at, number, &raw, depth);
            line.order = order;
            line.text.get_or_insert_default();
            if let Some(old) = self.lines.get_mut(*index) {
                *old = line;
            }
        }
        Ok(true)
    }

    /// Where the line is that an offset names.
    fn position(&self, offset: usize) -> usize {
        self.lines.partition_point(|line| line.order < offset)
    }

    fn measures(&self) -> Vec<Measure> {
        self.lines.iter().map(Line::measure).collect()
    }

    /// Numbers the lines as an offset names them.
    pub(crate) fn number(&mut self) {
        for (order, line) in self.lines.iter_mut().enumerate() {
            line.order = order;
        }
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
        let mut seen = Seen {
            loader: self.loader.clone(),
            ..Seen::default()
        };
        seen.add(&self.lines);
        seen
    }

    /// What the caller has seen with this, where some lines were written after that was noted.
    pub(crate) fn seen_beside(&self, mut seen: Seen) -> Seen {
        for line in self.lines.iter().filter(|line| line.text.is_some()) {
            seen.lines.insert(line.hash);
            seen.left.remove(&line.digest);
        }
        seen
    }

    /// Whether it is another page than was seen.
    pub(crate) fn differs_from(&self, seen: &Seen) -> bool {
        let lines: HashSet<u64> = self.lines.iter().map(|line| line.hash).collect();
        let digests: HashSet<u64> = self.lines.iter().map(|line| line.digest).collect();
        self.lines.iter().any(|line| !seen.has(line))
            || !seen.lines.is_subset(&lines)
            || !seen.left.is_subset(&digests)
            || self.is_reordered(seen)
    }

    /// Whether lines that are still there stand in another order.
    fn is_reordered(&self, seen: &Seen) -> bool {
        let now = only_ones(self.lines.iter().map(|line| line.digest));
        let before = only_ones(seen.order.iter().copied());
        let mut common: Vec<(usize, usize)> = before
            .into_iter()
            .filter_map(|(digest, at)| Some((at, *now.get(&digest)?)))
            .collect();
        common.sort_unstable();
        !common.is_sorted_by_key(|(_, at)| *at)
    }

    /// Those that were there and had not been looked at count as seen as they are now.
    pub(crate) fn add_left(&self, seen: &mut Seen) {
        let left = std::mem::take(&mut seen.left);
        let known = self.lines.iter().filter(|line| left.contains(&line.digest));
        seen.lines.extend(known.map(|line| line.hash));
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
        let position = self.position(offset);
        let (pieces, next) = choose(&self.measures(), position, budget, outline);
        let next = next.and_then(|next| Some(self.lines.get(next)?.order));
        let mut snapshot = std::mem::take(&mut self.snapshot);
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Line(index) => {
                    let Some(line) = self.lines.get(index) else {
                        continue;
                    };
                    let Some(written) = &line.text else {
                        continue;
                    };
                    text.push_str(&"  ".repeat(line.depth));
                    text.push_str(&numbered(written, &line.refs, refs));
                    let fresh = seen.map_or(0, |seen| line.fresh(seen));
                    let is_new = match seen {
                        Some(seen) if line.refs.is_empty() => !seen.has(line),
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
                    let lines = counted((to - from) as u64, "line", "lines");
                    let controls = match controls as u64 {
                        0 => String::new(),
                        controls => format!(", {}", counted(controls, "control", "controls")),
                    };
                    let offset = self.lines.get(from).map_or(from, |line| line.order);
                    text.push_str(&format!("… {lines}{controls} (offset {offset})\n"));
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

impl Seen {
    /// Adds lines to what was seen; of those that were not written, what stands for them.
    pub(crate) fn add(&mut self, lines: &[Line]) {
        for line in lines {
            self.order.push(line.digest);
            let places = line.refs.iter().map(|shown| hash(&shown.place));
            self.elements.extend(places);
            if line.text.is_some() {
                self.lines.insert(line.hash);
            } else {
                self.left.insert(line.digest);
            }
        }
    }

    /// Whether this line was there: as it was seen, or among those that nobody looked at.
    pub(crate) fn has(&self, line: &Line) -> bool {
        self.lines.contains(&line.hash) || self.left.contains(&line.digest)
    }
}

impl Line {
    /// Takes over what is said of one that has not been written.
    fn leave(&mut self, left: &str, name: &str, shown: impl Fn(u32) -> Shown) {
        let mut words = left.split(' ');
        let mut next = || words.next().unwrap_or_default();
        self.kind = Kind::of(next());
        self.is_seen = next() == "1";
        let digest = next().parse::<u32>().unwrap_or_default();
        self.size = next().parse().unwrap_or_default();
        self.refs = words.filter_map(|id| id.parse().ok()).map(shown).collect();
        self.digest = hash(&(name, digest));
    }

    /// Whether nothing of it is seen.
    fn is_empty(&self) -> bool {
        self.text.as_ref().is_some_and(String::is_empty)
    }

    fn measure(&self) -> Measure {
        let characters = match &self.text {
            Some(text) => text.chars().count(),
            None => self.size,
        };
        Measure {
            // Numbers, marks of new lines, the line end.
            characters: characters + self.depth * 2 + self.refs.len() * 5 + 8,
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

/// Looks at a document in which there were no frames: the browser says when one comes, before it answers, so it is not asked for
/// them.
async fn frameless_look(tab: &Tab, options: &Value) -> Option<(Frame, Raw)> {
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
    // What fails here fails again, and is reported then.
    let asked = std::slice::from_ref(options);
    let raw = Raw::ask(tab, &frame, LOOK, asked).await.ok()?;
    let is_frameless = tab.state().frameless.as_ref() == Some(&frame.loader);
    if !is_frameless {
        // The script names an element once; what is looked at again must not miss its root.
        let suspects = raw.suspects();
        tab.adopt_closed_roots(&frame, suspects).await.ok()?;
        return None;
    }
    Some((frame, raw))
}

/// Looks until no root is found that a page keeps to itself, at most so often: they may be in each other.
pub(crate) async fn look_through<R: Suspicious>(
    tab: &Tab,
    frame: &Frame,
    function: &str,
    arguments: &[Value],
) -> Result<R, BrowserError> {
    let first = R::ask(tab, frame, function, arguments).await?;
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
        raw = R::ask(tab, frame, function, arguments).await?;
    }
    Ok(raw)
}

/// What may have missed what a page keeps to itself.
pub(crate) trait Suspicious: serde::de::DeserializeOwned + Send {
    /// Elements that may keep a shadow root to themselves.
    fn suspects(&self) -> &[u32];

    /// Asks the script of a frame.
    fn ask(
        tab: &Tab,
        frame: &Frame,
        function: &str,
        arguments: &[Value],
    ) -> impl Future<Output = Result<Self, BrowserError>> + Send {
        tab.ask(frame, function, arguments)
    }
}

impl Suspicious for Raw {
    fn suspects(&self) -> &[u32] {
        &self.suspects
    }

    /// Lines that are as in the last look are not sent again: they are completed by those that were kept.
    async fn ask(
        tab: &Tab,
        frame: &Frame,
        function: &str,
        arguments: &[Value],
    ) -> Result<Self, BrowserError> {
        let reported = {
            let state = tab.state();
            let world = state.worlds.get(&frame.id);
            world.and_then(|world| world.reported.clone())
        };
        let mut arguments = arguments.to_vec();
        if let (Some(reported), Some(Value::Object(options))) = (&reported, arguments.first_mut()) {
            options.insert("base".to_owned(), reported.look.into());
        }
        let mut raw: Self = tab.ask(frame, function, &arguments).await?;
        if let Some(reported) = &reported {
            raw.complete(&reported.lines);
        }
        if raw.look > 0
            && let Some(world) = tab.state().worlds.get_mut(&frame.id)
        {
            world.reported = Some(Arc::new(Reported {
                look: raw.look,
                lines: raw.lines.clone(),
            }));
        }
        Ok(raw)
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

/// What is asked of a frame in another one: all of it, in the same way.
fn in_frame(options: &Value) -> Value {
    let known = ["room", "unfolded", "words"].map(|name| (name, options.get(name)));
    let known = known.into_iter();
    let known = known.filter_map(|(name, value)| Some((name.to_owned(), value?.clone())));
    Value::Object(known.collect())
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

/// The text of a line without the numbers in it, which are no words of the page.
fn unnumbered(text: &str) -> String {
    let mut parts = text.split(['\u{1}', '\u{3}']);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |line, part| {
        line + part.split_once('\u{2}').map_or(part, |(_, behind)| behind)
    })
}

impl Look {
    /// Only lines with all these words.
    pub(crate) fn filter(&mut self, words: &HashSet<String>) {
        if !words.is_empty() {
            self.keep(|line| {
                let text = line.text.as_deref().unwrap_or_default();
                let text = unnumbered(text).to_lowercase();
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
