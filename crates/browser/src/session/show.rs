//! What of a page is shown, and what is remembered of it.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tenon_contract::limits;

use crate::actions::navigate::page_limit;
use crate::page::frames::Frame;
use crate::page::tab::{Tab, TabState};
use crate::session::Session;
use crate::snapshot::look::{Identity, Look, OneLine, numbered, shown, whole};
use crate::snapshot::refs::Shown;
use crate::{BrowserError, CancellationToken, LookMode, LookOptions, Snapshot, TabInfo};

impl Session {
    /// The page as text.
    ///
    /// # Errors
    /// When the scope is gone, or the page cannot be looked at.
    pub async fn snapshot(
        &self,
        tab: Option<&str>,
        options: &LookOptions,
        abort: &CancellationToken,
    ) -> Result<Snapshot, BrowserError> {
        self.run(abort, async {
            let (_, snapshot, _) = self.snapshot_of(tab, options).await?;
            Ok(snapshot)
        })
        .await
    }

    /// The same, with what the page is.
    ///
    /// # Errors
    /// As [`snapshot`](Self::snapshot).
    pub async fn snapshot_with_page(
        &self,
        tab: Option<&str>,
        options: &LookOptions,
        abort: &CancellationToken,
    ) -> Result<(Snapshot, TabInfo), BrowserError> {
        self.run(abort, async {
            let (tab, snapshot, page) = self.snapshot_of(tab, options).await?;
            Ok((snapshot, self.info_of(&tab, &page).await))
        })
        .await
    }

    /// The tab, the page as text, and what it is, if that is known by it.
    async fn snapshot_of(
        &self,
        tab: Option<&str>,
        options: &LookOptions,
    ) -> Result<(Arc<Tab>, Snapshot, Identity), BrowserError> {
        let (limit, what) = (page_limit(options.timeout), "The snapshot");
        match &options.scope {
            Some(scope) => {
                let (tab, shown) = self.referred(tab, scope)?;
                let look = self.look_in(&tab, scope, &shown, options);
                let snapshot = tab.within(limit, what, look).await?;
                Ok((tab, snapshot, Identity::default()))
            }
            None => {
                let tab = self.tab(tab)?;
                tab.has_page()?;
                let look = self.look(&tab, options);
                let (snapshot, page) = tab.within(limit, what, look).await?;
                Ok((tab, snapshot, page))
            }
        }
    }

    /// The page as text, remembered as what the caller has seen, and what it is.
    pub(crate) async fn look(
        &self,
        tab: &Tab,
        options: &LookOptions,
    ) -> Result<(Snapshot, Identity), BrowserError> {
        /// How often a page may turn out to show more than was looked at.
        const TIMES: usize = 4;
        let budget = budget(options);
        let outline = options.mode == LookMode::Outline;
        let query = words(options);
        let mut times = 0;
        let (mut look, now) = loop {
            let mut look = Look::at(tab, asked(options, budget, &query)).await?;
            let before = query.is_empty().then(|| look.seen());
            look.filter(&query);
            if options.mode == LookMode::Controls {
                look.keep(|line| !line.refs.is_empty());
            }
            look.number();
            times += 1;
            if look.fill(tab, options.offset, budget, outline).await? || times == TIMES {
                let now = before.map(|before| look.seen_beside(before));
                break (look, now);
            }
        };
        let seen = tab
            .state()
            .seen
            .clone()
            // What is found by words is not new by that.
            .filter(|seen| seen.loader == look.loader && query.is_empty());
        if let Some(now) = now {
            tab.state().seen = Some(now);
        }
        let page = std::mem::take(&mut look.page);
        let refs = &mut self.shared.refs();
        let mut snapshot = look.write(refs, seen.as_ref(), options.offset, budget, outline);
        snapshot.is_searched = !query.is_empty();
        Ok((snapshot, page))
    }

    async fn look_in(
        &self,
        tab: &Tab,
        scope: &str,
        shown: &Shown,
        options: &LookOptions,
    ) -> Result<Snapshot, BrowserError> {
        let budget = budget(options);
        let query = words(options);
        let frames = tab.frames().await?;
        let frame = self.frame_of(&frames, tab, scope, shown).await?;
        let id = shown.place.id;
        // What is searched is all of it, and what was found is what is shown in parts.
        let (from, room) = match query.is_empty() {
            true => (options.offset, budget - budget / 8),
            false => (0, limits::BROWSER_SEARCH_MAX_CHARACTERS),
        };
        let kind = if shown.is_fold { "fold" } else { "scope" };
        let mut asked = json!({ (kind): id, "offset": from, "budget": room });
        search(&mut asked, options, &query);
        let mut look = Look::in_frame(tab, &frames, frame, asked).await?;
        if look.gone {
            return Err(self.stale(tab, frame, scope, shown).await);
        }
        let pages = look.is_counted && query.is_empty();
        look.filter(&query);
        if options.mode == LookMode::Controls {
            look.keep(|line| !line.refs.is_empty());
        }
        look.number();
        let offset = if pages { 0 } else { options.offset };
        // Of what was searched the script says nothing more.
        let next = look.snapshot.next.take().filter(|_| query.is_empty());
        let outline = options.mode == LookMode::Outline;
        // Of rows and options the script has written no more than fits.
        let budget = if pages { usize::MAX } else { budget };
        let mut snapshot = look.write(&mut self.shared.refs(), None, offset, budget, outline);
        snapshot.is_searched = !query.is_empty();
        if next.is_some() {
            snapshot.next = next;
            snapshot.truncated = true;
        }
        Ok(snapshot)
    }

    /// Looks at the lines that no one has looked at, so that what an action changes is seen. Where that fails, the action does.
    pub(crate) async fn look_at_all(&self, tab: &Tab) {
        let is_partial =
            |state: &TabState| matches!(&state.seen, Some(seen) if !seen.left.is_empty());
        if !is_partial(&tab.state()) {
            return;
        }
        let Ok(look) = Look::at(tab, whole()).await else {
            return;
        };
        if let Some(seen) = &mut tab.state().seen
            && seen.loader == look.loader
        {
            look.add_left(seen);
        }
    }

    /// What is new on a page since the caller has seen it; and whether anything is different at all.
    pub(crate) async fn delta(&self, tab: &Tab) -> Result<Option<(bool, Snapshot)>, BrowserError> {
        let Some(seen) = tab.state().seen.clone() else {
            return Ok(None);
        };
        let mut look = Look::at(tab, whole()).await?;
        if look.loader != seen.loader {
            return Ok(None);
        }
        let now = look.seen();
        let is_different = look.differs_from(&seen);
        tab.state().seen = Some(now);
        look.keep(|line| !seen.has(line));
        look.number();
        look.snapshot.omitted_rows = 0;
        look.snapshot.omitted_options = 0;
        let budget = limits::BROWSER_DELTA_MAX_CHARACTERS;
        let snapshot = look.write(&mut self.shared.refs(), Some(&seen), 0, budget, false);
        Ok(Some((is_different, snapshot)))
    }

    /// A line that the script of a frame wrote, with its numbers.
    pub(crate) fn line(&self, tab: &Tab, frame: &Frame, line: OneLine) -> String {
        let shown: Vec<Shown> = line
            .refs
            .into_iter()
            .map(|raw| shown(tab, frame, raw, false))
            .collect();
        numbered(&line.text, &shown, &mut self.shared.refs())
    }
}

impl Session {
    /// The line of an element that says something else now. The caller has seen it with this.
    pub(crate) fn changed_line(&self, tab: &Tab, frame: &Frame, line: OneLine) -> String {
        self.line(tab, frame, line)
    }
}

fn budget(options: &LookOptions) -> usize {
    let wanted = options.max_characters;
    let wanted = wanted.unwrap_or(limits::BROWSER_SNAPSHOT_DEFAULT_CHARACTERS);
    wanted.clamp(200, limits::BROWSER_SNAPSHOT_MAX_CHARACTERS)
}

/// What the script is asked for: lines that are likely to be shown, or all of them where they are searched.
fn asked(options: &LookOptions, budget: usize, query: &HashSet<String>) -> Value {
    if !query.is_empty() {
        let mut asked = json!({});
        search(&mut asked, options, query);
        return asked;
    }
    let mode = match options.mode {
        LookMode::Page => "page",
        LookMode::Controls => "controls",
        LookMode::Outline => "outline",
    };
    json!({ "room": budget, "offset": options.offset, "mode": mode })
}

/// Has the script unfold what is folded, and give a reference to each line with these words unless only controls are wanted.
fn search(asked: &mut Value, options: &LookOptions, words: &HashSet<String>) {
    if words.is_empty() {
        return;
    }
    asked["unfolded"] = true.into();
    if options.mode != LookMode::Controls {
        asked["words"] = words.iter().map(String::as_str).collect();
    }
}

fn words(options: &LookOptions) -> HashSet<String> {
    let query = options.query.as_deref().unwrap_or_default();
    query.split_whitespace().map(str::to_lowercase).collect()
}
