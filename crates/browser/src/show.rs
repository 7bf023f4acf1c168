//! What of a page is shown, and what is remembered of it.

use std::collections::HashSet;

use serde_json::json;
use tenon_contract::limits;

use crate::look::{Look, OneLine, numbered, shown, whole};
use crate::refs::Shown;
use crate::session::Session;
use crate::tab::Tab;
use crate::world::Frame;
use crate::{BrowserError, CancellationToken, LookMode, LookOptions, Snapshot};

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
            let limit = limits::BROWSER_NAVIGATION_TIMEOUT;
            match &options.scope {
                Some(scope) => {
                    let (tab, shown) = self.referred(tab, scope)?;
                    tab.within(
                        limit,
                        "The snapshot",
                        self.look_in(&tab, scope, &shown, options),
                    )
                    .await
                }
                None => {
                    let tab = self.tab(tab)?;
                    tab.within(limit, "The snapshot", self.look(&tab, options))
                        .await
                }
            }
        })
        .await
    }

    /// The page as text, remembered as what the caller has seen.
    pub(crate) async fn look(
        &self,
        tab: &Tab,
        options: &LookOptions,
    ) -> Result<Snapshot, BrowserError> {
        let budget = budget(options);
        let query = words(options);
        let asked = json!({ "unfolded": !query.is_empty() });
        let mut look = Look::at(tab, asked).await?;
        let seen = tab
            .state()
            .seen
            .clone()
            .filter(|seen| seen.loader == look.loader);
        if query.is_empty() {
            let now = look.seen();
            tab.state().seen = Some(now);
        } else {
            look.filter(&query);
        }
        if options.mode == LookMode::Controls {
            look.keep(|line| !line.refs.is_empty());
        }
        let outline = options.mode == LookMode::Outline;
        Ok(look.write(
            &mut self.shared.refs(),
            seen.as_ref(),
            options.offset,
            budget,
            outline,
        ))
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
        let asked = if shown.is_fold {
            json!({ "fold": id, "offset": options.offset, "budget": budget - budget / 8, "unfolded": !query.is_empty() })
        } else {
            json!({ "scope": id, "offset": options.offset, "budget": budget - budget / 8, "unfolded": !query.is_empty() })
        };
        let mut look = Look::in_frame(tab, &frames, frame, asked).await?;
        if look.gone {
            return Err(self.stale(tab, frame, scope, shown).await);
        }
        let pages = look.is_counted;
        look.filter(&query);
        if options.mode == LookMode::Controls {
            look.keep(|line| !line.refs.is_empty());
        }
        let offset = if pages {
            0
        } else {
            options.offset.min(look.lines.len())
        };
        let next = look.snapshot.next;
        let outline = options.mode == LookMode::Outline;
        // Of rows and options the script has written no more than fits.
        let budget = if pages { usize::MAX } else { budget };
        let mut snapshot = look.write(&mut self.shared.refs(), None, offset, budget, outline);
        if next.is_some() {
            snapshot.next = next;
            snapshot.truncated = true;
        }
        Ok(snapshot)
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
        let is_different = now.lines != seen.lines;
        tab.state().seen = Some(now);
        look.keep(|line| !seen.lines.contains(&line.hash));
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

fn words(options: &LookOptions) -> HashSet<String> {
    let query = options.query.as_deref().unwrap_or_default();
    query.split_whitespace().map(str::to_lowercase).collect()
}
