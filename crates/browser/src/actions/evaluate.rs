//! Expressions in a page, where the host allows them.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tenon_contract::limits;

use crate::ActionOptions;
use crate::page::frames::{Evaluated, RemoteObject};
use crate::page::tab::Tab;
use crate::session::Session;
use crate::{BrowserError, CancellationToken};

/// The value of an expression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Value {
    /// As JSON; a text for what has no JSON.
    pub value: String,
    /// Whether it was cut.
    pub truncated: bool,
}

impl Session {
    /// Evaluates an expression in the page, or calls a function there; with an element, one that is given it (`el => el.value`).
    ///
    /// # Errors
    /// When that is not enabled, or the expression throws.
    pub async fn evaluate(
        &self,
        tab: Option<&str>,
        expression: &str,
        reference: Option<&str>,
        timeout: Option<Duration>,
        abort: &CancellationToken,
    ) -> Result<Value, BrowserError> {
        if !self.shared.options.evaluate {
            return Err(BrowserError::EvaluateOff);
        }
        if expression.chars().count() > limits::BROWSER_EXPRESSION_MAX_CHARACTERS {
            return Err(BrowserError::Invalid(format!(
                "The expression is longer than {} characters.",
                limits::BROWSER_EXPRESSION_MAX_CHARACTERS
            )));
        }
        self.run(abort, async {
            let limit = ActionOptions { tab: None, timeout }.limit();
            let (tab, evaluated) = match reference {
                None => {
                    let tab = self.tab(tab)?;
                    let work = self.in_page(&tab, expression);
                    let evaluated = tab.within(limit, "The expression", work).await?;
                    (tab, evaluated)
                }
                Some(reference) => {
                    let located = self.locate(tab, reference, limit).await?;
                    let call = self.on_element(&located, expression);
                    let evaluated = located.tab.within(limit, "The expression", call).await?;
                    (std::sync::Arc::clone(&located.tab), evaluated)
                }
            };
            drop(tab);
            if let Some(exception) = &evaluated.exception {
                let said = exception
                    .pointer("/exception/description")
                    .or_else(|| exception.pointer("/exception/value"))
                    .or_else(|| exception.get("text"));
                let said = said.map(|said| {
                    said.as_str()
                        .map_or_else(|| said.to_string(), str::to_owned)
                });
                let said = said.unwrap_or_default();
                let first: String = said
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .chars()
                    .take(500)
                    .collect();
                return Err(BrowserError::Script(first));
            }
            Ok(shown(evaluated.result))
        })
        .await
    }

    /// Evaluates an expression once, in the world of the page. What is a function is called.
    async fn in_page(&self, tab: &Tab, expression: &str) -> Result<Evaluated, BrowserError> {
        let evaluated = self.value_of(tab, expression).await?;
        let function = match evaluated.result.kind.as_str() {
            "function" => "function () { const own = this; return own() }",
            "object" => "function () { return this }",
            _ => return Ok(evaluated),
        };
        let Some(object) = evaluated
            .result
            .object
            .as_ref()
            .filter(|_| evaluated.exception.is_none())
        else {
            return Ok(evaluated);
        };
        let call = json!({
            "objectId": object, "functionDeclaration": function, "awaitPromise": true, "returnByValue": true,
        });
        let session = &tab.session;
        let value = tab.call(session, "Runtime.callFunctionOn", call).await;
        // The page keeps what is referred to; one that is gone has forgotten it already.
        let release = json!({ "objectId": object });
        let _: Result<serde_json::Value, _> =
            tab.call(session, "Runtime.releaseObject", release).await;
        value
    }

    /// What it is, by reference: a function must not be lost on the way.
    async fn value_of(&self, tab: &Tab, expression: &str) -> Result<Evaluated, BrowserError> {
        let wanted = |takes_await: bool| {
            json!({
                "expression": expression, "awaitPromise": true, "returnByValue": false,
                "replMode": takes_await,
            })
        };
        let evaluated: Evaluated = tab
            .call(&tab.session, "Runtime.evaluate", wanted(false))
            .await?;
        let said = evaluated
            .exception
            .as_ref()
            .and_then(|exception| exception.pointer("/exception/description")?.as_str());
        // Nothing of it has run then. Where `await` is taken at the top, a promise is not waited for by itself.
        if said.is_some_and(|said| said.starts_with("SyntaxError: await is only valid")) {
            return tab
                .call(&tab.session, "Runtime.evaluate", wanted(true))
                .await;
        }
        Ok(evaluated)
    }

    /// Calls a function with an element, in the world of the page.
    async fn on_element(
        &self,
        located: &crate::actions::aim::Located<'_>,
        expression: &str,
    ) -> Result<Evaluated, BrowserError> {
        #[derive(Deserialize)]
        struct Node {
            node: Numbered,
        }
        #[derive(Deserialize)]
        struct Numbered {
            #[serde(rename = "backendNodeId")]
            number: u64,
        }
        #[derive(Deserialize)]
        struct Resolved {
            object: RemoteObject,
        }
        let (tab, frame) = (&located.tab, located.frame()?);
        let Some(own) = tab.element(frame, located.shown.place.id).await? else {
            return Err(self
                .stale(tab, frame, located.reference, &located.shown)
                .await);
        };
        let session = &frame.session;
        let node: Node = tab
            .call(session, "DOM.describeNode", json!({ "objectId": own }))
            .await?;
        let wanted = json!({ "backendNodeId": node.node.number });
        let resolved: Resolved = tab.call(session, "DOM.resolveNode", wanted).await?;
        let Some(object) = resolved.object.object else {
            return Err(self
                .stale(tab, frame, located.reference, &located.shown)
                .await);
        };
        let call = json!({
            "objectId": object,
            "functionDeclaration": format!("function () {{ const own = ({expression}\n); return typeof own === 'function' ? own.call(this, this) : own; }}"),
            "returnByValue": true,
            "awaitPromise": true,
        });
        tab.call(session, "Runtime.callFunctionOn", call).await
    }
}

fn shown(result: RemoteObject) -> Value {
    let text = match (result.unserializable, result.value, result.description) {
        (Some(text), ..) => text,
        (None, serde_json::Value::Null, Some(description)) => description,
        (None, value, _) => value.to_string(),
    };
    let most = limits::BROWSER_VALUE_MAX_CHARACTERS;
    let cut: String = text.chars().take(most).collect();
    Value {
        truncated: cut.len() < text.len(),
        value: cut,
    }
}
