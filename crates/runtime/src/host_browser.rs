//! A browser that the host brings: its messages go over the part `browser`.

use std::sync::Arc;

use serde_json::{Value, json};
use tenon_browser::{BrowserError, Connector, Remote, RemoteFuture};
use tenon_tools::HostCallback;

/// Connects to the browser of the host.
pub(crate) struct HostBrowser(pub(crate) Arc<dyn HostCallback>);

struct Conversation {
    part: Arc<dyn HostCallback>,
    id: u64,
    is_local: bool,
}

/// Asks the host. What no call asked for keeps none waiting.
async fn asked(part: &Arc<dyn HostCallback>, mut request: Value) -> Result<Value, BrowserError> {
    if let Some(request) = request.as_object_mut() {
        request.insert("ticket".to_owned(), json!(0));
    }
    let answer = part.ask(request, None).await;
    answer.map_err(|error| BrowserError::Unavailable(error.message))
}

impl Connector for HostBrowser {
    fn connect(&self) -> RemoteFuture<Arc<dyn Remote>> {
        let part = Arc::clone(&self.0);
        Box::pin(async move {
            let answer = asked(&part, json!({ "op": "connect" })).await?;
            let id = answer.get("id").and_then(Value::as_u64).ok_or_else(|| {
                BrowserError::Unavailable(
                    "`host.browser.connect` did not connect to a browser.".to_owned(),
                )
            })?;
            let is_local = answer.get("isLocal") == Some(&Value::Bool(true));
            let conversation = Conversation { part, id, is_local };
            Ok(Arc::new(conversation) as Arc<dyn Remote>)
        })
    }
}

impl Conversation {
    fn ask(&self, mut request: Value) -> RemoteFuture<Value> {
        if let Some(request) = request.as_object_mut() {
            request.insert("id".to_owned(), json!(self.id));
        }
        let part = Arc::clone(&self.part);
        Box::pin(async move {
            let answer = asked(&part, request).await?;
            match answer.get("over") {
                Some(Value::Bool(true)) => Err(BrowserError::Closed),
                _ => Ok(answer),
            }
        })
    }
}

impl Remote for Conversation {
    fn send(&self, messages: Vec<String>) -> RemoteFuture<()> {
        let sent = self.ask(json!({ "op": "send", "messages": messages }));
        Box::pin(async move { sent.await.map(drop) })
    }

    fn receive(&self) -> RemoteFuture<Vec<String>> {
        let received = self.ask(json!({ "op": "receive" }));
        Box::pin(async move {
            let mut answer = received.await?;
            let messages = answer.get_mut("messages").map(Value::take);
            let messages = messages.and_then(|messages| serde_json::from_value(messages).ok());
            Ok(messages.unwrap_or_default())
        })
    }

    fn close(&self) -> RemoteFuture<()> {
        let closed = self.ask(json!({ "op": "close" }));
        Box::pin(async move { closed.await.map(drop) })
    }

    fn is_local(&self) -> bool {
        self.is_local
    }
}
