//! Mouse and keyboard, as the browser takes them.

use serde_json::{Value, json};

use crate::BrowserError;
use crate::page::keys::{self, Key};
use crate::page::tab::Tab;

/// A button of the mouse and what is held.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Press {
    pub(crate) button: &'static str,
    pub(crate) modifiers: u8,
    pub(crate) is_double: bool,
}

impl Press {
    /// A plain click.
    pub(crate) const LEFT: Self = Self {
        button: "left",
        modifiers: 0,
        is_double: false,
    };
}

/// Letters that are typed one by one; more are put in at once.
pub(crate) const TYPED_MAX: usize = 200;

impl Tab {
    async fn mouse(
        &self,
        kind: &str,
        x: f64,
        y: f64,
        press: Option<(Press, u8)>,
    ) -> Result<(), BrowserError> {
        let (button, count, modifiers) = match press {
            Some((press, count)) => (press.button, count, press.modifiers),
            None => ("none", 0, 0),
        };
        let event = json!({
            "type": kind, "x": x, "y": y, "button": button, "clickCount": count, "modifiers": modifiers,
        });
        let _: Value = self
            .call(&self.session, "Input.dispatchMouseEvent", event)
            .await?;
        Ok(())
    }

    pub(crate) async fn move_to(&self, x: f64, y: f64) -> Result<(), BrowserError> {
        self.mouse("mouseMoved", x, y, None).await
    }

    /// Moves with the left button down.
    pub(crate) async fn drag_to(&self, x: f64, y: f64) -> Result<(), BrowserError> {
        let event = json!({ "type": "mouseMoved", "x": x, "y": y, "button": "left", "buttons": 1 });
        let _: Value = self
            .call(&self.session, "Input.dispatchMouseEvent", event)
            .await?;
        Ok(())
    }

    pub(crate) async fn down(
        &self,
        x: f64,
        y: f64,
        press: Press,
        count: u8,
    ) -> Result<(), BrowserError> {
        self.state().pressed = Some((x, y));
        self.mouse("mousePressed", x, y, Some((press, count))).await
    }

    pub(crate) async fn up(
        &self,
        x: f64,
        y: f64,
        press: Press,
        count: u8,
    ) -> Result<(), BrowserError> {
        let done = self
            .mouse("mouseReleased", x, y, Some((press, count)))
            .await;
        self.state().pressed = None;
        done
    }

    pub(crate) async fn click_at(&self, x: f64, y: f64, press: Press) -> Result<(), BrowserError> {
        self.move_to(x, y).await?;
        for count in 1..=(if press.is_double { 2 } else { 1 }) {
            self.down(x, y, press, count).await?;
            self.up(x, y, press, count).await?;
        }
        Ok(())
    }

    pub(crate) async fn press_key(&self, key: &Key) -> Result<(), BrowserError> {
        let event = |kind: &str, text: Option<&String>| {
            json!({
                "type": kind, "key": key.key, "code": key.code, "windowsVirtualKeyCode": key.number,
                "nativeVirtualKeyCode": key.number, "modifiers": key.modifiers,
                "text": text.map(String::as_str).unwrap_or_default(),
                "unmodifiedText": text.map(String::as_str).unwrap_or_default(),
            })
        };
        let kind = if key.text.is_some() {
            "keyDown"
        } else {
            "rawKeyDown"
        };
        let down = event(kind, key.text.as_ref());
        let _: Value = self
            .call(&self.session, "Input.dispatchKeyEvent", down)
            .await?;
        let up = event("keyUp", None);
        let _: Value = self
            .call(&self.session, "Input.dispatchKeyEvent", up)
            .await?;
        Ok(())
    }

    /// Puts a text in where the caret is, in the session of the frame that has it.
    pub(crate) async fn insert(&self, session: &str, text: &str) -> Result<(), BrowserError> {
        let text = json!({ "text": text });
        let _: Value = self.call(session, "Input.insertText", text).await?;
        Ok(())
    }

    /// Types a text, letter by letter where it is short.
    pub(crate) async fn type_text(&self, session: &str, text: &str) -> Result<(), BrowserError> {
        if text.chars().count() > TYPED_MAX {
            return self.insert(session, text).await;
        }
        for letter in text.chars() {
            match keys::letter(letter) {
                // The key would take the focus to the next field.
                Some(key) if letter != '\t' => self.press_key(&key).await?,
                _ => {
                    self.insert(session, letter.encode_utf8(&mut [0; 4]))
                        .await?
                }
            }
        }
        Ok(())
    }
}
