//! Elements that are acted on: found, made ready, and watched while the mouse or the keyboard acts.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::BrowserError;
use crate::page::frames::Frame;
use crate::page::tab::Tab;
use crate::session::Session;
use crate::snapshot::look::OneLine;
use crate::snapshot::raw::RawRef;
use crate::snapshot::refs::Shown;

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(60);

/// An element that was looked up.
pub(crate) struct Located<'a> {
    pub(crate) reference: &'a str,
    pub(crate) tab: Arc<Tab>,
    pub(crate) shown: Shown,
    pub(crate) frames: Vec<Frame>,
    pub(crate) at: usize,
}

/// How the script of a frame found an element.
#[derive(Deserialize)]
pub(crate) struct Found {
    #[serde(default)]
    pub(crate) state: String,
    #[serde(default)]
    pub(crate) x: f64,
    #[serde(default)]
    pub(crate) y: f64,
    #[serde(default)]
    line: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    refs: Vec<RawRef>,
}

#[derive(Deserialize)]
struct Disarmed {
    #[serde(default)]
    landed: bool,
    #[serde(default)]
    lost: usize,
    #[serde(default)]
    failure: Option<Found>,
}

/// Letters of a text that did not get to the element, though the first of them did.
pub(crate) struct Lost {
    pub(crate) count: usize,
    /// What they would have reached.
    pub(crate) error: BrowserError,
}

impl Located<'_> {
    pub(crate) fn frame(&self) -> Result<&Frame, BrowserError> {
        self.frames.get(self.at).ok_or(BrowserError::Closed)
    }

    /// The first arguments of all that is done to it.
    pub(crate) fn arguments(&self, more: &[Value]) -> Vec<Value> {
        let shown = &self.shown;
        let mut arguments = vec![json!(shown.place.id), json!(shown.key), json!(shown.row)];
        arguments.extend_from_slice(more);
        arguments
    }
}

impl Session {
    /// The element of a reference.
    pub(crate) async fn locate<'a>(
        &self,
        tab: Option<&str>,
        reference: &'a str,
        limit: Duration,
    ) -> Result<Located<'a>, BrowserError> {
        let (tab, shown) = self.referred(tab, reference)?;
        if shown.is_fold {
            return Err(BrowserError::Invalid(format!(
                "`{reference}` stands for folded rows. Open them with a snapshot of `scope: \"{reference}\"`, then use a reference that stands there."
            )));
        }
        if let Some(obstacle) = tab.obstacle() {
            return Err(obstacle);
        }
        let find = async {
            let frames = tab.frames().await?;
            let frame = self.frame_of(&frames, &tab, reference, &shown).await?;
            let at = frames.iter().position(|known| known == frame).unwrap_or(0);
            self.release(&tab).await?;
            Ok((frames, at))
        };
        let what = format!("Finding `{reference}`");
        let (frames, at) = tab.within(limit, &what, find).await?;
        Ok(Located {
            reference,
            tab,
            shown,
            frames,
            at,
        })
    }

    /// The error for how an element was found. `None` where it may still become ready.
    pub(crate) async fn fault(
        &self,
        located: &Located<'_>,
        found: Found,
    ) -> Result<BrowserError, BrowserError> {
        let reference = located.reference.to_owned();
        let frame = located.frame()?;
        let tab = &located.tab;
        Ok(match found.state.as_str() {
            "gone" => {
                self.stale(tab, frame, located.reference, &located.shown)
                    .await
            }
            "changed" => {
                let line = OneLine::new(found.line, found.refs);
                BrowserError::ChangedRef {
                    reference,
                    was: located.shown.label(),
                    now: self.changed_line(tab, frame, line),
                }
            }
            "covered" => {
                let line = OneLine::new(found.text, found.refs);
                BrowserError::Covered {
                    reference,
                    by: self.line(tab, frame, line),
                }
            }
            "taken" => {
                let line = OneLine::new(found.text, found.refs);
                BrowserError::Taken {
                    reference,
                    by: self.line(tab, frame, line),
                }
            }
            "disabled" => BrowserError::Disabled(reference),
            "inert" => BrowserError::Inert(reference),
            "moving" => BrowserError::Timeout {
                what: format!("Waiting for `{reference}` to stand still"),
                limit_ms: 0,
                detail: String::new(),
            },
            _ => BrowserError::NotVisible(reference),
        })
    }

    /// Waits until an element can be clicked, or at least pointed at. Its point in the page.
    pub(crate) async fn ready(
        &self,
        located: &Located<'_>,
        patience: Duration,
        is_click: bool,
    ) -> Result<(f64, f64), BrowserError> {
        let until = Instant::now() + patience;
        let arguments = located.arguments(&[json!({ "click": is_click })]);
        loop {
            let frame = located.frame()?;
            let asked = located.tab.ask::<Found>(frame, "ready", &arguments).await;
            let found = match asked {
                Ok(found) if found.state == "ok" => self.outward(located, found.x, found.y).await?,
                Ok(found) => found,
                Err(BrowserError::Protocol { fault, .. })
                    if crate::page::frames::is_lost(&fault) =>
                {
                    return Err(self
                        .stale(&located.tab, frame, located.reference, &located.shown)
                        .await);
                }
                Err(error) => return Err(error),
            };
            match found.state.as_str() {
                "ok" => return Ok((found.x, found.y)),
                "gone" | "changed" => return Err(self.fault(located, found).await?),
                _ if Instant::now() >= until => {
                    let error = self.fault(located, found).await?;
                    return Err(match error {
                        BrowserError::Timeout { what, detail, .. } => BrowserError::Timeout {
                            what,
                            limit_ms: u64::try_from(patience.as_millis()).unwrap_or(u64::MAX),
                            detail,
                        },
                        error => error,
                    });
                }
                _ => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// From a point in a frame to one in the page, through all frames around it.
    async fn outward(&self, located: &Located<'_>, x: f64, y: f64) -> Result<Found, BrowserError> {
        let mut found = Found::at(x, y);
        let mut frame = located.frame()?;
        while let Some(parent) = frame.parent.as_ref() {
            let Some(around) = located.frames.iter().find(|known| known.id == *parent) else {
                break;
            };
            let owner = located.tab.owner(around, frame).await?;
            let arguments = [
                json!({ "objectId": owner }),
                json!({ "value": found.x }),
                json!({ "value": found.y }),
            ];
            found = located.tab.ask_with(around, "outward", &arguments).await?;
            if found.state != "ok" {
                break;
            }
            frame = around;
        }
        Ok(found)
    }

    /// From here on only this element gets what the mouse, or the keyboard, does.
    pub(crate) async fn arm(
        &self,
        located: &Located<'_>,
        pointer: bool,
    ) -> Result<(), BrowserError> {
        for (index, frame) in located.frames.iter().enumerate() {
            let own = located.arguments(&[json!(pointer)]);
            if index == located.at {
                let _: Value = located.tab.ask(frame, "arm", &own).await?;
                continue;
            }
            let none = [json!(0), Value::Null, json!(""), json!(pointer)];
            match located.tab.ask::<Value>(frame, "arm", &none).await {
                // One that is just being replaced has no elements that anybody has seen.
                Ok(_) | Err(BrowserError::Protocol { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Ends that, and says what was stopped.
    pub(crate) async fn disarm(&self, located: &Located<'_>) -> Result<Option<Lost>, BrowserError> {
        let before = located.frame()?.clone();
        let mut lost = None;
        let mut landed = false;
        let mut is_same = false;
        for frame in &located.frames {
            let was: Disarmed = match located.tab.ask(frame, "disarm", &[]).await {
                Ok(was) => was,
                // The page has gone on.
                Err(BrowserError::Protocol { .. }) => continue,
                Err(error) => return Err(error),
            };
            is_same |= frame.id == before.id;
            landed |= was.landed;
            if let Some(failure) = was.failure {
                let error = self.fault(located, failure).await?;
                if !landed {
                    return Err(error);
                }
                let count = was.lost;
                lost = (count > 0).then_some(Lost { count, error }).or(lost);
            }
        }
        let now = located.tab.frames().await?;
        is_same &= now
            .iter()
            .any(|frame| frame.id == before.id && frame.loader == before.loader);
        if landed || !is_same {
            return Ok(lost);
        }
        Err(BrowserError::Covered {
            reference: located.reference.to_owned(),
            by: "something that took the input in its place".to_owned(),
        })
    }

    /// Does something to an element with the mouse, stopped where it would hit another one.
    pub(crate) async fn guarded(
        &self,
        located: &Located<'_>,
        pointer: bool,
        work: impl Future<Output = Result<(), BrowserError>>,
    ) -> Result<Option<Lost>, BrowserError> {
        self.arm(located, pointer).await?;
        let done = Box::pin(work).await;
        match (done, self.disarm(located).await) {
            // A question, or a page that was closed, is what it led to.
            (Err(BrowserError::DialogOpen(_) | BrowserError::NoTab(_)), _)
            | (_, Err(BrowserError::DialogOpen(_) | BrowserError::NoTab(_))) => Ok(None),
            (Err(error), _) | (_, Err(error)) => Err(error),
            (Ok(()), Ok(lost)) => Ok(lost),
        }
    }
}

impl Found {
    pub(crate) fn at(x: f64, y: f64) -> Self {
        Self {
            state: "ok".to_owned(),
            x,
            y,
            line: String::new(),
            text: String::new(),
            refs: Vec::new(),
        }
    }
}
