//! Clicking, hovering, pressing, dragging, scrolling: on an element only while it is and says what it was shown as.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tenon_contract::limits;

use crate::actions::aim::{Found, Located, Lost};
use crate::page::input::Press;
use crate::page::keys;
use crate::page::tab::Tab;
use crate::session::Session;
use crate::{ActionResult, BrowserError, CancellationToken};

/// What an action is done to.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// An element, by its reference.
    Ref(String),
    /// A point of the last screenshot.
    Point {
        /// From its left side, in its pixels.
        x: f64,
        /// From its top.
        y: f64,
    },
}

/// What holds for every action.
#[derive(Debug, Clone, Default)]
pub struct ActionOptions {
    /// The tab. Default: that of the reference, or the active one.
    pub tab: Option<String>,
    /// Time limit. Default: 8 s, of which a page has 3 s to make an element ready; at most 60 s.
    pub timeout: Option<Duration>,
}

/// An end of what is dragged.
enum Place<'a> {
    Element(Box<Located<'a>>),
    Point { tab: Arc<Tab>, x: f64, y: f64 },
}

impl Place<'_> {
    const fn tab(&self) -> &Arc<Tab> {
        match self {
            Self::Element(located) => &located.tab,
            Self::Point { tab, .. } => tab,
        }
    }
}

/// How is clicked.
#[derive(Debug, Clone, Default)]
pub struct Click {
    /// `left`, `right` or `middle`. Default: `left`.
    pub button: Option<String>,
    /// `Alt`, `Control`, `Meta`, `Shift`.
    pub modifiers: Vec<String>,
    /// Twice.
    pub double: bool,
}

/// How long an element may be hidden, disabled, moving or covered before that is an error, where no limit was given.
const READY: Duration = Duration::from_millis(3_000);

impl ActionOptions {
    pub(crate) fn limit(&self) -> Duration {
        self.timeout
            .unwrap_or(limits::BROWSER_ACTION_TIMEOUT)
            .min(limits::BROWSER_ACTION_TIMEOUT_MAX)
    }

    pub(crate) fn patience(&self) -> Duration {
        self.timeout.map_or(READY, |_| self.limit())
    }
}

impl Session {
    /// Clicks.
    ///
    /// # Errors
    /// When the element is gone, says something else, is covered, hidden or disabled.
    pub async fn click(
        &self,
        target: &Target,
        click: &Click,
        options: &ActionOptions,
        abort: &CancellationToken,
    ) -> Result<ActionResult, BrowserError> {
        let press = Press {
            button: match click.button.as_deref() {
                None | Some("left") => "left",
                Some("right") => "right",
                Some("middle") => "middle",
                Some(other) => {
                    return Err(BrowserError::Invalid(format!(
                        "`{other}` is no button. Use `left`, `right` or `middle`."
                    )));
                }
            },
            modifiers: keys::modifiers(&click.modifiers)?,
            is_double: click.double,
        };
        self.run(abort, async {
            match target {
                Target::Point { x, y } => {
                    let tab = self.tab(options.tab.as_deref())?;
                    let before = self.before(&tab).await;
                    let (x, y) = self.pointed(&tab, *x, *y).await?;
                    match tab.click_at(x, y, press).await {
                        Ok(()) | Err(BrowserError::DialogOpen(_) | BrowserError::NoTab(_)) => {}
                        Err(error) => return Err(error),
                    }
                    self.after(&tab, before).await
                }
                Target::Ref(reference) => {
                    let located = self
                        .locate(options.tab.as_deref(), reference, options.limit())
                        .await?;
                    let before = self.before(&located.tab).await;
                    self.click_on(&located, press, options).await?;
                    self.after(&located.tab, before).await
                }
            }
        })
        .await
    }

    pub(crate) async fn click_on(
        &self,
        located: &Located<'_>,
        press: Press,
        options: &ActionOptions,
    ) -> Result<(), BrowserError> {
        let tab = &located.tab;
        let work = async {
            let (x, y) = self.ready(located, options.patience(), true).await?;
            // What shows up under the pointer has its chance before it is looked once more.
            tab.move_to(x, y).await?;
            let (x, y) = self.ready(located, options.patience(), true).await?;
            self.guarded(located, true, tab.click_at(x, y, press))
                .await
                .map(drop)
        };
        let what = format!("Clicking `{}`", located.reference);
        // What keeps it from being ready is a better error than the clock's.
        let limit = options.limit() + Duration::from_millis(700);
        tab.within(limit, &what, work).await
    }

    /// Moves the mouse over an element.
    ///
    /// # Errors
    /// As [`click`](Self::click).
    pub async fn hover(
        &self,
        target: &Target,
        options: &ActionOptions,
        abort: &CancellationToken,
    ) -> Result<ActionResult, BrowserError> {
        self.run(abort, async {
            let (tab, before, x, y) = match target {
                Target::Point { x, y } => {
                    let tab = self.tab(options.tab.as_deref())?;
                    let before = self.before(&tab).await;
                    let (x, y) = self.pointed(&tab, *x, *y).await?;
                    (tab, before, x, y)
                }
                Target::Ref(reference) => {
                    let located = self
                        .locate(options.tab.as_deref(), reference, options.limit())
                        .await?;
                    let before = self.before(&located.tab).await;
                    let (x, y) = self.ready(&located, options.patience(), false).await?;
                    (located.tab, before, x, y)
                }
            };
            match tab
                .within(options.limit(), "Hovering", tab.move_to(x, y))
                .await
            {
                Ok(()) | Err(BrowserError::DialogOpen(_)) => {}
                Err(error) => return Err(error),
            }
            self.after(&tab, before).await
        })
        .await
    }

    /// Drags from one place to another.
    ///
    /// # Errors
    /// As [`click`](Self::click), for both.
    pub async fn drag(
        &self,
        from: &Target,
        to: &Target,
        options: &ActionOptions,
        abort: &CancellationToken,
    ) -> Result<ActionResult, BrowserError> {
        let press = Press::LEFT;
        self.run(abort, async {
            let start = self.place_of(from, options).await?;
            let end = self.place_of(to, options).await?;
            let tab = start.tab();
            if end.tab().name != tab.name {
                return Err(BrowserError::Invalid(
                    "The two ends are in two tabs. Drag within one.".to_owned(),
                ));
            }
            let before = self.before(tab).await;
            let work = async {
                self.point_of(&end, options, false).await?;
                let (x, y) = self.point_of(&start, options, true).await?;
                tab.move_to(x, y).await?;
                let down = tab.down(x, y, press, 1);
                match &start {
                    Place::Element(located) => self.guarded(located, true, down).await.map(drop)?,
                    Place::Point { .. } => down.await?,
                }
                let (to_x, to_y) = match self.point_of(&end, options, false).await {
                    Ok(point) => point,
                    Err(error) => {
                        tab.up(x, y, press, 1).await?;
                        return Err(error);
                    }
                };
                tab.drag(x, y, to_x, to_y, press).await
            };
            tab.within(options.limit(), "Dragging", work).await?;
            self.after(tab, before).await
        })
        .await
    }

    async fn place_of<'a>(
        &self,
        target: &'a Target,
        options: &ActionOptions,
    ) -> Result<Place<'a>, BrowserError> {
        let tab = options.tab.as_deref();
        Ok(match target {
            Target::Ref(reference) => Place::Element(Box::new(
                self.locate(tab, reference, options.limit()).await?,
            )),
            Target::Point { x, y } => Place::Point {
                tab: self.tab(tab)?,
                x: *x,
                y: *y,
            },
        })
    }

    /// Where a place is in the page, as soon as it is ready.
    async fn point_of(
        &self,
        place: &Place<'_>,
        options: &ActionOptions,
        is_click: bool,
    ) -> Result<(f64, f64), BrowserError> {
        match place {
            Place::Element(located) => self.ready(located, options.patience(), is_click).await,
            Place::Point { tab, x, y } => self.pointed(tab, *x, *y).await,
        }
    }

    /// Presses a key, such as `Enter` or `Control+A`: on an element, or on what has the focus.
    ///
    /// # Errors
    /// As [`click`](Self::click), and for names that no key has.
    pub async fn press(
        &self,
        key: &str,
        reference: Option<&str>,
        options: &ActionOptions,
        abort: &CancellationToken,
    ) -> Result<ActionResult, BrowserError> {
        let key = keys::key(key)?;
        self.run(abort, async {
            let (tab, before) = match reference {
                Some(reference) => {
                    let located = self
                        .locate(options.tab.as_deref(), reference, options.limit())
                        .await?;
                    let before = self.before(&located.tab).await;
                    let work = self.with_focus(&located, false, located.tab.press_key(&key));
                    located
                        .tab
                        .within(options.limit(), "Pressing the key", work)
                        .await?;
                    (located.tab, before)
                }
                None => {
                    let tab = self.tab(options.tab.as_deref())?;
                    if let Some(obstacle) = tab.obstacle() {
                        return Err(obstacle);
                    }
                    let before = self.before(&tab).await;
                    let work = tab.press_key(&key);
                    match tab.within(options.limit(), "Pressing the key", work).await {
                        Ok(()) | Err(BrowserError::DialogOpen(_) | BrowserError::NoTab(_)) => {}
                        Err(error) => return Err(error),
                    }
                    (tab, before)
                }
            };
            self.after(&tab, before).await
        })
        .await
    }

    /// Gives an element the focus and does something with the keyboard that no other element gets.
    pub(crate) async fn with_focus(
        &self,
        located: &Located<'_>,
        all: bool,
        work: impl Future<Output = Result<(), BrowserError>>,
    ) -> Result<Option<Lost>, BrowserError> {
        let arguments = located.arguments(&[json!(all)]);
        let found: Found = located
            .tab
            .ask(located.frame()?, "focusOn", &arguments)
            .await?;
        match found.state.as_str() {
            "ok" => {}
            "unfocused" => {
                return Err(BrowserError::NotEditable {
                    reference: located.reference.to_owned(),
                    why: "it does not take the focus".to_owned(),
                });
            }
            _ => return Err(self.fault(located, found).await?),
        }
        self.guarded(located, false, work).await
    }

    /// Scrolls the page, or what an element is in, by so many pixels. Whether anything moved.
    ///
    /// # Errors
    /// When the element is gone.
    pub async fn scroll(
        &self,
        reference: Option<&str>,
        across: f64,
        down: f64,
        options: &ActionOptions,
        abort: &CancellationToken,
    ) -> Result<(bool, ActionResult), BrowserError> {
        #[derive(Deserialize)]
        struct Scrolled {
            moved: bool,
        }
        self.run(abort, async {
            let by = [json!(across), json!(down)];
            let (tab, before, answer): (_, _, Value) = match reference {
                Some(reference) => {
                    let located = self
                        .locate(options.tab.as_deref(), reference, options.limit())
                        .await?;
                    let before = self.before(&located.tab).await;
                    let arguments = located.arguments(&by);
                    let frame = located.frame()?;
                    let answer: Value = located.tab.ask(frame, "scrollBy", &arguments).await?;
                    if answer.get("moved").is_none() {
                        let found =
                            serde_json::from_value(answer).unwrap_or_else(|_| Found::at(0.0, 0.0));
                        return Err(self.fault(&located, found).await?);
                    }
                    (Arc::clone(&located.tab), before, answer)
                }
                None => {
                    let tab = self.tab(options.tab.as_deref())?;
                    let before = self.before(&tab).await;
                    let frame = tab.main_frame().await?;
                    let arguments = [json!(0), Value::Null, json!(""), json!(across), json!(down)];
                    let answer = tab.ask(&frame, "scrollBy", &arguments).await?;
                    (tab, before, answer)
                }
            };
            let moved = serde_json::from_value::<Scrolled>(answer).is_ok_and(|it| it.moved);
            let result = self.after(&tab, before).await?;
            Ok((moved, result))
        })
        .await
    }
}

impl Tab {
    /// Moves with the button down, and lets go; drags of the system are done as the page wants them.
    async fn drag(
        &self,
        x: f64,
        y: f64,
        to_x: f64,
        to_y: f64,
        press: Press,
    ) -> Result<(), BrowserError> {
        const STEPS: i32 = 5;
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            self.drag_to(x + (to_x - x) * part, y + (to_y - y) * part)
                .await?;
        }
        // What is entered by the last step says only at the next one whether it takes what is dropped.
        self.drag_to(to_x, to_y).await?;
        self.up(to_x, to_y, press, 1).await
    }
}
