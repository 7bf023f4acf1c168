//! Forms: typing, filling, choosing.

use serde::Deserialize;
use serde_json::json;

use crate::actions::aim::{Found, Located, Lost};
use crate::page::input::{Press, TYPED_MAX};
use crate::page::keys;
use crate::session::Session;
use crate::{ActionOptions, ActionResult, BrowserError, CancellationToken};

/// A field and what it is to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The field.
    pub reference: String,
    /// Its value: a text, the label of an option, `true` or `false` for what is checked, a date as `2026-01-31`.
    pub value: String,
}

/// What the script says of a field.
#[derive(Deserialize)]
struct Inspected {
    state: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    on: bool,
    #[serde(default)]
    radio: bool,
    #[serde(default)]
    numeric: bool,
    #[serde(default)]
    disabled: bool,
    #[serde(default)]
    readonly: bool,
    #[serde(default)]
    seen: bool,
}

/// What came of choosing or assigning.
#[derive(Default, Deserialize)]
struct Answer {
    state: String,
    #[serde(default)]
    value: String,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    total: usize,
    /// Of a field that refuses a value.
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    min: String,
    #[serde(default)]
    max: String,
    #[serde(default)]
    step: String,
}

/// What fields of a type take.
const TAKEN: &[(&str, &str)] = &[
    ("date", "it takes a date such as `2026-01-31`"),
    ("time", "it takes a time such as `13:45`"),
    (
        "datetime-local",
        "it takes a date with a time such as `2026-01-31T13:45`",
    ),
    ("month", "it takes a month such as `2026-01`"),
    ("week", "it takes a week such as `2026-W05`"),
    ("color", "it takes a colour such as `#00ff00`"),
    ("number", "it takes a number such as `3.5`"),
];

/// Most fields of one call.
const FIELDS_MAX: usize = 100;
/// Longest text of one field, in bytes.
const TEXT_MAX: usize = 1024 * 1024;

impl Session {
    /// Types a text into an element, behind what is there, or into what has the focus; then Enter, if it is to be submitted.
    ///
    /// # Errors
    /// When it takes no text, and as for a click.
    pub async fn type_text(
        &self,
        reference: Option<&str>,
        text: &str,
        submit: bool,
        options: &ActionOptions,
        abort: &CancellationToken,
    ) -> Result<ActionResult, BrowserError> {
        check(text)?;
        self.run(abort, async {
            let Some(reference) = reference else {
                return self.type_at_focus(text, submit, options).await;
            };
            let located = self
                .locate(options.tab.as_deref(), reference, options.limit())
                .await?;
            let before = self.before(&located.tab).await;
            let work = async {
                let inspected = self.editable(&located).await?;
                if !matches!(inspected.kind.as_str(), "text" | "content" | "keys") {
                    return Err(not_editable(
                        &located,
                        "it takes no typed text; use `fill`, `select` or `click`",
                    ));
                }
                let of_number =
                    |letter: char| letter.is_ascii_digit() || ".eE+-\n".contains(letter);
                if inspected.numeric && !text.chars().all(of_number) {
                    let answer = Answer {
                        kind: "number".to_owned(),
                        ..Answer::default()
                    };
                    return Err(refused(&located, text, &answer));
                }
                let tab = &located.tab;
                let session = &located.frame()?.session;
                let typed = self.with_focus(&located, false, tab.type_text(session, text));
                if let Some(lost) = typed.await? {
                    return Err(cut_off(&located, text, lost));
                }
                self.submit(&located, submit).await
            };
            located.tab.within(options.limit(), "Typing", work).await?;
            self.after(&located.tab, before).await
        })
        .await
    }

    /// Types into what has the focus, as a user does after a click.
    async fn type_at_focus(
        &self,
        text: &str,
        submit: bool,
        options: &ActionOptions,
    ) -> Result<ActionResult, BrowserError> {
        let tab = self.tab(options.tab.as_deref())?;
        if let Some(obstacle) = tab.obstacle() {
            return Err(obstacle);
        }
        let before = self.before(&tab).await;
        let work = async {
            let frame = tab.main_frame().await?;
            if !tab.ask::<bool>(&frame, "hasFocus", &[]).await? {
                return Err(BrowserError::Invalid(
                    "Nothing on the page has the focus. Click what is to take the text first, or give `ref`."
                        .to_owned(),
                ));
            }
            tab.type_text(&tab.session, text).await?;
            match submit {
                true => tab.press_key(&keys::key("Enter")?).await,
                false => Ok(()),
            }
        };
        match tab.within(options.limit(), "Typing", work).await {
            Ok(()) | Err(BrowserError::DialogOpen(_) | BrowserError::NoTab(_)) => {}
            Err(error) => return Err(error),
        }
        self.after(&tab, before).await
    }

    /// Fills one field or several, in this order; then Enter in the last, if they are to be submitted.
    ///
    /// # Errors
    /// For the first field that cannot be filled; those before it are filled.
    pub async fn fill(
        &self,
        fields: &[Field],
        submit: bool,
        options: &ActionOptions,
        abort: &CancellationToken,
    ) -> Result<ActionResult, BrowserError> {
        let (Some(first), true) = (fields.first(), fields.len() <= FIELDS_MAX) else {
            return Err(BrowserError::Invalid(format!(
                "`fill` takes 1 to {FIELDS_MAX} fields, each with `ref` and `value`."
            )));
        };
        for field in fields {
            check(&field.value)?;
        }
        self.run(abort, async {
            let located = self
                .locate(options.tab.as_deref(), &first.reference, options.limit())
                .await?;
            let before = self.before(&located.tab).await;
            let tab = std::sync::Arc::clone(&located.tab);
            let mut last = located;
            for (index, field) in fields.iter().enumerate() {
                if index > 0 {
                    last = self
                        .locate(options.tab.as_deref(), &field.reference, options.limit())
                        .await?;
                }
                let what = format!("Filling `{}`", field.reference);
                let filled = self.fill_one(&last, &field.value, options);
                let limit = options.limit();
                tab.within(limit, &what, filled)
                    .await
                    .map_err(|error| match index {
                        0 => error,
                        _ => with_count(error, index),
                    })?;
            }
            self.submit(&last, submit).await?;
            self.after(&tab, before).await
        })
        .await
    }

    async fn submit(&self, located: &Located<'_>, submit: bool) -> Result<(), BrowserError> {
        if !submit {
            return Ok(());
        }
        let enter = keys::key("Enter")?;
        self.with_focus(located, false, located.tab.press_key(&enter))
            .await
            .map(drop)
    }

    async fn fill_one(
        &self,
        located: &Located<'_>,
        value: &str,
        options: &ActionOptions,
    ) -> Result<(), BrowserError> {
        let inspected = self.editable(located).await?;
        let tab = &located.tab;
        let frame = located.frame()?;
        match inspected.kind.as_str() {
            "text" | "content" => {
                if inspected.numeric {
                    self.put_value(located, "accepts", value).await?;
                }
                let put = async {
                    if value.is_empty() {
                        tab.press_key(&keys::key("Delete")?).await
                    } else {
                        tab.insert(&frame.session, value).await
                    }
                };
                self.with_focus(located, true, put).await.map(drop)
            }
            "value" => self.put_value(located, "assign", value).await,
            "check" => self.check(located, value, &inspected, options).await,
            "select" => {
                self.choose(located, std::slice::from_ref(&value.to_owned()))
                    .await
            }
            "file" => Err(not_editable(
                located,
                "files are given by the action `upload`",
            )),
            "keys" => Err(not_editable(
                located,
                "it takes keys only; use `type`, after `press` with `Control+A` to replace what is there",
            )),
            "steps" => Err(not_editable(
                located,
                "it takes no text; `click` it, then `press` arrow keys, `Home` or `End`",
            )),
            _ => Err(not_editable(located, "it takes no text; use `click`")),
        }
    }

    /// Puts a value in, or asks whether it would be taken. What refuses it stays as it is.
    async fn put_value(
        &self,
        located: &Located<'_>,
        function: &str,
        value: &str,
    ) -> Result<(), BrowserError> {
        let arguments = located.arguments(&[json!(value)]);
        let frame = located.frame()?;
        let answer: Answer = located.tab.ask(frame, function, &arguments).await?;
        match answer.state.as_str() {
            "ok" => Ok(()),
            "refused" => Err(refused(located, value, &answer)),
            _ => Err(self.lost(located).await?),
        }
    }

    /// Clicks what is to be checked, unless it is already.
    async fn check(
        &self,
        located: &Located<'_>,
        value: &str,
        inspected: &Inspected,
        options: &ActionOptions,
    ) -> Result<(), BrowserError> {
        let wanted = match value.trim().to_ascii_lowercase().as_str() {
            "true" | "on" | "yes" | "1" | "checked" => true,
            "false" | "off" | "no" | "0" | "unchecked" | "" => false,
            _ => return Err(not_editable(located, "it takes `true` or `false`")),
        };
        if wanted == inspected.on {
            return Ok(());
        }
        if inspected.radio && !wanted {
            return Err(not_editable(
                located,
                "a radio button is not unchecked by itself; check another one of its group",
            ));
        }
        let press = Press::LEFT;
        self.click_on(located, press, options).await
    }

    /// Chooses options of a select by their labels or values.
    ///
    /// # Errors
    /// When there is no such option, and as for a click.
    pub async fn select(
        &self,
        reference: &str,
        values: &[String],
        options: &ActionOptions,
        abort: &CancellationToken,
    ) -> Result<ActionResult, BrowserError> {
        self.run(abort, async {
            let located = self
                .locate(options.tab.as_deref(), reference, options.limit())
                .await?;
            let before = self.before(&located.tab).await;
            let work = async {
                self.editable(&located).await?;
                self.choose(&located, values).await
            };
            located
                .tab
                .within(options.limit(), "Choosing", work)
                .await?;
            self.after(&located.tab, before).await
        })
        .await
    }

    async fn choose(&self, located: &Located<'_>, values: &[String]) -> Result<(), BrowserError> {
        let arguments = located.arguments(&[json!(values)]);
        let frame = located.frame()?;
        let answered = located.tab.ask::<Answer>(frame, "choose", &arguments).await;
        let answer = match answered {
            Ok(answer) => answer,
            // What the choice led to.
            Err(BrowserError::DialogOpen(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        match answer.state.as_str() {
            "ok" => Ok(()),
            "noselect" => Err(not_editable(
                located,
                "it is no `select`; click it, then click what it opens",
            )),
            "disabledoption" => Err(not_editable(
                located,
                &format!("its option `{}` is disabled", beginning(&answer.value)),
            )),
            "single" => Err(not_editable(located, "it takes one option")),
            "nooption" => Err(BrowserError::Invalid(format!(
                "`{}` has no option `{}`. It has {}: {}{}.",
                located.reference,
                beginning(&answer.value),
                answer.total,
                answer.options.join(", "),
                if answer.total > answer.options.len() {
                    ", …"
                } else {
                    ""
                }
            ))),
            _ => Err(self.lost(located).await?),
        }
    }

    /// What the script says of an element that is to be edited, as soon as it can be.
    async fn editable(&self, located: &Located<'_>) -> Result<Inspected, BrowserError> {
        let arguments = located.arguments(&[]);
        let mut left = 20_u32;
        loop {
            let inspected: Inspected = located
                .tab
                .ask(located.frame()?, "find", &arguments)
                .await?;
            if inspected.state != "ok" {
                return Err(self.lost(located).await?);
            }
            let is_ready = !inspected.disabled && (inspected.seen || inspected.kind == "select");
            if is_ready && inspected.readonly && inspected.kind != "check" {
                return Err(not_editable(
                    located,
                    "it is read-only; where a click opens something, choose there",
                ));
            }
            if is_ready {
                return Ok(inspected);
            }
            if left == 0 {
                let reference = located.reference.to_owned();
                return Err(match inspected.disabled {
                    true => BrowserError::Disabled(reference),
                    false => BrowserError::NotVisible(reference),
                });
            }
            left -= 1;
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    }

    /// The error for an element that is gone or says something else.
    async fn lost(&self, located: &Located<'_>) -> Result<BrowserError, BrowserError> {
        let arguments = located.arguments(&[]);
        let found: Found = located
            .tab
            .ask(located.frame()?, "find", &arguments)
            .await?;
        self.fault(located, found).await
    }
}

fn beginning(text: &str) -> String {
    text.chars().take(60).collect()
}

/// The error of a field that does not take a value, with what it takes.
fn refused(located: &Located<'_>, value: &str, answer: &Answer) -> BrowserError {
    let given = |text: &str, other: &str| match text {
        "" => other.to_owned(),
        text => beginning(text),
    };
    let taken = match TAKEN.iter().find(|(kind, _)| *kind == answer.kind) {
        Some((_, taken)) => (*taken).to_owned(),
        // What remains is a range, with its defaults.
        None => format!(
            "it takes numbers from {} to {} in steps of {}",
            given(&answer.min, "0"),
            given(&answer.max, "100"),
            given(&answer.step, "1")
        ),
    };
    let value = beginning(value);
    let kind = &answer.kind;
    not_editable(
        located,
        &format!("a field of the type `{kind}` does not take `{value}`; {taken}"),
    )
}

/// The error of a text of which a part went past the element.
fn cut_off(located: &Located<'_>, text: &str, lost: Lost) -> BrowserError {
    let total = text.chars().count();
    // A long text is put in at once.
    let typed = match total > TYPED_MAX {
        true => 0,
        false => total.saturating_sub(lost.count),
    };
    match lost.error {
        BrowserError::Covered { by, .. } => not_editable(
            located,
            &format!(
                "the focus moved to {by} after {typed} of {total} characters; type the rest there"
            ),
        ),
        error => error,
    }
}

fn not_editable(located: &Located<'_>, why: &str) -> BrowserError {
    BrowserError::NotEditable {
        reference: located.reference.to_owned(),
        why: why.to_owned(),
    }
}

/// The error of a field, with how many before it were filled.
fn with_count(error: BrowserError, done: usize) -> BrowserError {
    match error {
        BrowserError::NotEditable { reference, why } => BrowserError::NotEditable {
            reference,
            why: format!("{why} (the {done} fields before it are filled)"),
        },
        BrowserError::Invalid(text) => {
            BrowserError::Invalid(format!("{text} The {done} fields before it are filled."))
        }
        error => error,
    }
}

fn check(text: &str) -> Result<(), BrowserError> {
    if text.len() > TEXT_MAX {
        return Err(BrowserError::Invalid(format!(
            "The text has {} bytes, a field takes at most {TEXT_MAX}.",
            text.len()
        )));
    }
    Ok(())
}
