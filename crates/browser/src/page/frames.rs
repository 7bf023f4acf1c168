//! The frames of a tab, and the script in the isolated world of each.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tenon_contract::limits;

use crate::BrowserError;
use crate::page::script::SCRIPT;
use crate::page::tab::{Tab, World};
use crate::protocol::message::parse;

/// The one function of the script that takes its time. Waiting for a promise where there is none costs another turn of the page.
const ASYNCHRONOUS: &str = "ready";
/// The name of the isolated worlds.
const WORLD: &str = "tenon";

/// A frame, with the document that is in it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    /// The session of the protocol in which it is.
    pub(crate) session: String,
    /// The number of its document.
    pub(crate) loader: String,
    pub(crate) url: String,
}

#[derive(Deserialize)]
struct FrameTree {
    frame: FrameData,
    #[serde(default, rename = "childFrames")]
    children: Vec<FrameTree>,
}

#[derive(Deserialize)]
struct FrameData {
    id: String,
    #[serde(rename = "parentId")]
    parent: Option<String>,
    #[serde(rename = "loaderId", default)]
    loader: String,
    #[serde(default)]
    url: String,
}

#[derive(Deserialize)]
struct TreeAnswer {
    #[serde(rename = "frameTree")]
    tree: FrameTree,
}

#[derive(Deserialize)]
pub(crate) struct Evaluated {
    pub(crate) result: RemoteObject,
    #[serde(rename = "exceptionDetails")]
    pub(crate) exception: Option<Value>,
}

#[derive(Deserialize)]
pub(crate) struct RemoteObject {
    #[serde(rename = "type", default)]
    pub(crate) kind: String,
    #[serde(rename = "objectId")]
    pub(crate) object: Option<String>,
    #[serde(default)]
    pub(crate) value: Value,
    #[serde(default)]
    pub(crate) description: Option<String>,
    #[serde(rename = "unserializableValue", default)]
    pub(crate) unserializable: Option<String>,
}

impl Tab {
    /// The frames, the main one first, parents before their children.
    pub(crate) async fn frames(&self) -> Result<Vec<Frame>, BrowserError> {
        let mut frames = Vec::new();
        self.frames_of(&self.session, &mut frames).await?;
        let others: Vec<(String, String)> = self
            .state()
            .frame_sessions
            .iter()
            .map(|(frame, session)| (frame.clone(), session.clone()))
            .collect();
        for (_, session) in others {
            if frames.len() >= limits::BROWSER_FRAMES_MAX {
                break;
            }
            // A frame that has just gone, or that hangs, is not seen.
            let looked = self.frames_of(&session, &mut frames);
            let looked = tokio::time::timeout(Duration::from_secs(1), looked).await;
            if let Ok(Err(error @ (BrowserError::DialogOpen(_) | BrowserError::Crashed { .. }))) =
                looked
            {
                return Err(error);
            }
        }
        let parents = self.state().parents.clone();
        for frame in &mut frames {
            if frame.parent.is_none() && frame.id != self.target {
                frame.parent = parents.get(&frame.id).cloned();
            }
        }
        frames.truncate(limits::BROWSER_FRAMES_MAX);
        Ok(frames)
    }

    async fn frames_of(&self, session: &str, into: &mut Vec<Frame>) -> Result<(), BrowserError> {
        let answer: TreeAnswer = self.call(session, "Page.getFrameTree", json!({})).await?;
        let mut open = vec![answer.tree];
        while let Some(FrameTree { frame, children }) = open.pop() {
            if into.iter().any(|known: &Frame| known.id == frame.id) {
                continue;
            }
            into.push(Frame {
                id: frame.id,
                parent: frame.parent,
                session: session.to_owned(),
                loader: frame.loader,
                url: frame.url,
            });
            open.extend(children.into_iter().rev());
            if into.len() >= limits::BROWSER_FRAMES_MAX {
                break;
            }
        }
        Ok(())
    }

    /// The main frame.
    pub(crate) async fn main_frame(&self) -> Result<Frame, BrowserError> {
        let mut frames = Vec::new();
        self.frames_of(&self.session, &mut frames).await?;
        frames.into_iter().next().ok_or(BrowserError::Closed)
    }

    /// The script in this frame, started if it is not.
    pub(crate) async fn world(&self, frame: &Frame) -> Result<World, BrowserError> {
        let known = self.state().worlds.get(&frame.id).cloned();
        if let Some(known) = known
            && known.loader == frame.loader
            && known.session == frame.session
        {
            return Ok(known);
        }
        #[derive(Deserialize)]
        struct Made {
            #[serde(rename = "executionContextId")]
            context: u64,
        }
        let session = &frame.session;
        let wanted =
            json!({ "frameId": frame.id, "worldName": WORLD, "grantUniveralAccess": false });
        let made: Made = self
            .call(session, "Page.createIsolatedWorld", wanted)
            .await?;
        let script = json!({ "expression": SCRIPT, "contextId": made.context, "silent": true });
        let evaluated: Evaluated = self.call(session, "Runtime.evaluate", script).await?;
        let object = match (evaluated.result.object, evaluated.exception) {
            (Some(object), None) => object,
            (_, exception) => {
                return Err(failed_script("the script of a frame", exception.as_ref()));
            }
        };
        let world = World {
            loader: frame.loader.clone(),
            session: session.clone(),
            object,
            context: made.context,
            reported: None,
        };
        self.state().worlds.insert(frame.id.clone(), world.clone());
        Ok(world)
    }

    /// Calls one of the script's functions, which returns JSON.
    pub(crate) async fn ask<R: DeserializeOwned>(
        &self,
        frame: &Frame,
        function: &str,
        arguments: &[Value],
    ) -> Result<R, BrowserError> {
        let arguments: Vec<Value> = arguments
            .iter()
            .map(|value| json!({ "value": value }))
            .collect();
        self.ask_with(frame, function, &arguments).await
    }

    /// The same with arguments as the protocol wants them (`{value}` or `{objectId}`).
    pub(crate) async fn ask_with<R: DeserializeOwned>(
        &self,
        frame: &Frame,
        function: &str,
        arguments: &[Value],
    ) -> Result<R, BrowserError> {
        let evaluated = match self.invoke(frame, function, arguments, true).await {
            // The script may belong to a document that has just been replaced.
            Err(BrowserError::Protocol { fault, .. }) if is_lost(&fault) => {
                self.state().worlds.remove(&frame.id);
                self.invoke(frame, function, arguments, true).await?
            }
            done => done?,
        };
        let malformed = |fault: serde_json::Error| BrowserError::Protocol {
            method: function.to_owned(),
            fault: fault.to_string(),
        };
        match evaluated.result.value {
            Value::String(text) => parse(&text).map_err(malformed),
            other => serde_json::from_value(other).map_err(malformed),
        }
    }

    async fn invoke(
        &self,
        frame: &Frame,
        function: &str,
        arguments: &[Value],
        by_value: bool,
    ) -> Result<Evaluated, BrowserError> {
        let world = self.world(frame).await?;
        let call = json!({
            "objectId": world.object,
            "functionDeclaration": format!("function(...given){{return this.{function}(...given)}}"),
            "arguments": arguments,
            "returnByValue": by_value,
            "awaitPromise": function == ASYNCHRONOUS,
            "silent": true,
        });
        let session = &frame.session;
        let evaluated: Evaluated = self.call(session, "Runtime.callFunctionOn", call).await?;
        match &evaluated.exception {
            None => Ok(evaluated),
            Some(_) => Err(failed_script(function, evaluated.exception.as_ref())),
        }
    }

    /// The element of a number of the script, as the protocol names it.
    pub(crate) async fn element(
        &self,
        frame: &Frame,
        id: u32,
    ) -> Result<Option<String>, BrowserError> {
        let arguments = [json!({ "value": id })];
        let found = self.invoke(frame, "elementOf", &arguments, false).await?;
        Ok(found.result.object)
    }

    /// Makes known to the script which of these elements keep a shadow root to themselves. How many do.
    pub(crate) async fn adopt_closed_roots(
        &self,
        frame: &Frame,
        suspects: &[u32],
    ) -> Result<usize, BrowserError> {
        let looks = suspects.iter().map(|id| self.adopt_closed_root(frame, *id));
        let mut adopted = 0;
        for looked in futures_util::future::join_all(looks).await {
            match looked {
                Ok(found) => adopted += usize::from(found),
                // One that has just gone keeps nothing; what concerns the page concerns the look.
                Err(BrowserError::Protocol { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(adopted)
    }

    async fn adopt_closed_root(&self, frame: &Frame, id: u32) -> Result<bool, BrowserError> {
        let suspect = [json!({ "value": id })];
        let suspect = self.invoke(frame, "suspectOf", &suspect, false).await?;
        let Some(object) = suspect.result.object else {
            return Ok(false);
        };
        let session = &frame.session;
        let described: Value = self
            .call(
                session,
                "DOM.describeNode",
                json!({ "objectId": object, "depth": 0 }),
            )
            .await?;
        let roots = described
            .pointer("/node/shadowRoots")
            .and_then(Value::as_array);
        let is_closed =
            |root: &&Value| root.get("shadowRootType").and_then(Value::as_str) == Some("closed");
        let number = roots
            .and_then(|roots| roots.iter().find(is_closed))
            .and_then(|root| root.get("backendNodeId"));
        let Some(number) = number.and_then(Value::as_u64) else {
            return Ok(false);
        };
        let root = self.node(frame, number).await?;
        let _: Value = self
            .ask_with(frame, "adopt", &[json!({ "objectId": root })])
            .await?;
        Ok(true)
    }

    /// A node by its number in the browser, as an object of the isolated world of this frame.
    async fn node(&self, frame: &Frame, number: u64) -> Result<String, BrowserError> {
        #[derive(Deserialize)]
        struct Resolved {
            object: RemoteObject,
        }
        let world = self.world(frame).await?;
        let wanted = json!({ "backendNodeId": number, "executionContextId": world.context });
        let resolved: Resolved = self.call(&frame.session, "DOM.resolveNode", wanted).await?;
        resolved
            .object
            .object
            .ok_or_else(|| BrowserError::Protocol {
                method: "DOM.resolveNode".to_owned(),
                fault: "it has no object".to_owned(),
            })
    }

    /// The element that holds this frame, in the isolated world of the frame around it.
    pub(crate) async fn owner(
        &self,
        parent: &Frame,
        frame: &Frame,
    ) -> Result<String, BrowserError> {
        #[derive(Deserialize)]
        struct Owner {
            #[serde(rename = "backendNodeId")]
            node: u64,
        }
        let session = &parent.session;
        let wanted = json!({ "frameId": frame.id });
        let owner: Owner = self.call(session, "DOM.getFrameOwner", wanted).await?;
        self.node(parent, owner.node).await
    }
}

/// Whether a fault says that the document is another one by now.
pub(crate) fn is_lost(fault: &str) -> bool {
    [
        "Cannot find context",
        "Could not find object",
        "Invalid remote object",
        "context was destroyed",
        "Inspected target navigated",
        "No frame",
        "Frame with the given",
        "Promise was collected",
        "Session with given id not found",
    ]
    .iter()
    .any(|text| fault.contains(text))
}

pub(crate) fn failed_script(what: &str, exception: Option<&Value>) -> BrowserError {
    let said = exception.and_then(|exception| {
        exception
            .pointer("/exception/description")
            .or_else(|| exception.get("text"))
    });
    let said = said
        .and_then(Value::as_str)
        .unwrap_or("it returned nothing");
    BrowserError::Protocol {
        method: what.to_owned(),
        fault: said.chars().take(400).collect(),
    }
}
