use std::sync::Mutex;

use tenon_contract::{AnyTool, CancellationToken};
use tenon_store::MemoryStore;

use super::*;
use crate::host::{HostFuture, HostListener};

type Answer = dyn Fn(&Value) -> Result<Value, ToolError> + Send + Sync;

struct Host {
    asked: Mutex<Vec<Value>>,
    answer: Box<Answer>,
}

impl HostCallback for Host {
    fn ask(&self, request: Value, _: Option<HostListener>) -> HostFuture {
        let answer = (self.answer)(&request);
        self.asked.lock().unwrap().push(request);
        Box::pin(async move { answer })
    }
}

struct World {
    tool: Arc<Message>,
    host: Arc<Host>,
    directory: tempfile::TempDir,
    store: Arc<MemoryStore>,
}

fn world(answer: impl Fn(&Value) -> Result<Value, ToolError> + Send + Sync + 'static) -> World {
    let directory = tempfile::tempdir().unwrap();
    let host = Arc::new(Host {
        asked: Mutex::default(),
        answer: Box::new(answer),
    });
    let store = Arc::new(MemoryStore::default());
    let mut world = World {
        tool: Arc::new(Message::new(None)),
        host,
        directory,
        store,
    };
    world.tool = world.again();
    world
}

impl World {
    /// The tool of another process over the same store.
    fn again(&self) -> Arc<Message> {
        let channels = json!([{"id": "slack", "actions": ["send", "edit", "delete", "react"], "maxText": 20, "targets": [{"id": "C1", "label": "#ops"}]}]);
        let none: &[&std::path::Path] = &[];
        Arc::new(Message::new(Some(MessageService {
            host: self.host.clone(),
            channels: Some(Arc::new(Host {
                asked: Mutex::default(),
                answer: Box::new(move |_| Ok(channels.clone())),
            })),
            workspace: Workspace::open(self.directory.path(), none).unwrap(),
            sent: SentMessages::new(self.store.clone(), "session"),
        })))
    }

    async fn call(&self, id: &str, params: Value) -> Result<MessageOutput, ToolError> {
        call(&self.tool, id, params).await
    }

    fn asked(&self) -> Vec<Value> {
        self.host.asked.lock().unwrap().clone()
    }
}

async fn call(tool: &Arc<Message>, id: &str, params: Value) -> Result<MessageOutput, ToolError> {
    let context = ToolContext::new(id, CancellationToken::new());
    let prepared = tool.clone().prepare(params.into())?;
    let prepared = if prepared.is_provisional() {
        prepared.survey(context.clone()).await?
    } else {
        prepared
    };
    let output: Box<dyn std::any::Any> = prepared.run(context).await?;
    Ok(*output.downcast::<MessageOutput>().unwrap())
}

fn statuses(output: &MessageOutput) -> Vec<MessageStatus> {
    match output {
        MessageOutput::Done { parts, .. } => parts.iter().map(|part| part.status).collect(),
        MessageOutput::Channels(_) => Vec::new(),
    }
}

fn is_repeated(output: &MessageOutput) -> bool {
    matches!(
        output,
        MessageOutput::Done {
            is_repeated: true,
            ..
        }
    )
}

fn send(text: &str) -> Value {
    json!({"action": "send", "channel": "slack", "target": "ops", "text": text})
}

use MessageStatus::{Failed, Queued, Sent as Out, Suppressed, Unknown};

#[tokio::test]
async fn the_same_call_again_sends_nothing_and_another_call_does() {
    let world = world(|_| Ok(json!({"id": "m1"})));
    let first = world.call("call_a", send("hello")).await.unwrap();
    let again = world.call("call_a", send("hello")).await.unwrap();
    assert_eq!((statuses(&first), is_repeated(&first)), (vec![Out], false));
    assert_eq!((statuses(&again), is_repeated(&again)), (vec![Out], true));
    assert_eq!(world.asked().len(), 1);
    world.call("call_b", send("hello")).await.unwrap();
    world.call("call_a", send("other")).await.unwrap();
    assert_eq!(world.asked().len(), 3);
    assert_eq!(world.asked()[0]["target"], "C1");
    assert_eq!(world.asked()[0]["targetLabel"], "#ops");
}

#[tokio::test]
async fn a_crash_while_it_was_sent_leaves_it_unknown_for_good() {
    let world = world(|_| Ok(json!("m1")));
    // The row of a process that died between its claim and the answer.
    let tool = world.again();
    let context = ToolContext::new("call_a", CancellationToken::new());
    let prepared = tool
        .clone()
        .prepare(send("hello").into())
        .unwrap()
        .survey(context)
        .await
        .unwrap();
    drop(prepared);
    let service = tool.service().unwrap();
    let params: MessageParams = serde_json::from_value(send("hello")).unwrap();
    let channels = service
        .channels(&ToolContext::new("x", CancellationToken::new()))
        .await
        .unwrap()
        .unwrap();
    let place = channel::resolve(&channels, params.action, Some("slack"), Some("ops")).unwrap();
    let context = ToolContext::new("call_a", CancellationToken::new());
    let sending = Sending {
        service,
        params: &params,
        place: &place,
        context: &context,
    };
    let key = service
        .sent
        .key("call_a", &sending.content(&["hello".to_owned()]), 0);
    assert!(matches!(
        service.sent.claim(&key).await.unwrap(),
        Claim::Ours(_)
    ));
    for _ in 0..2 {
        let output = world.call("call_a", send("hello")).await.unwrap();
        assert_eq!(
            (statuses(&output), is_repeated(&output)),
            (vec![Unknown], true)
        );
    }
    assert_eq!(world.asked(), Vec::<Value>::new());
}

#[tokio::test]
async fn what_the_host_says_is_what_became_of_it_and_nothing_is_unknown() {
    for (said, status) in [
        (Ok(json!("id")), Out),
        (Ok(json!({"id": 5})), Out),
        (Ok(json!({"status": "queued"})), Queued),
        (Ok(json!({"id": "x", "status": "suppressed"})), Suppressed),
        (Ok(json!(null)), Unknown),
        (Ok(json!({})), Unknown),
        (Ok(json!({"id": []})), Unknown),
        (Ok(json!({"status": "flying"})), Unknown),
        (Ok(json!(true)), Unknown),
        (Err(ToolError::new(ErrorCode::HandlerFailed, "no")), Failed),
        (Err(ToolError::new(ErrorCode::Timeout, "late")), Unknown),
    ] {
        let reported = Mutex::new(Some(said));
        let world = world(move |_| reported.lock().unwrap().take().unwrap());
        let output = world.call("a", send("x")).await.unwrap();
        assert_eq!(statuses(&output), [status]);
    }
}

#[tokio::test]
async fn a_long_text_is_sent_in_parts_until_one_fails() {
    let world = world(|request| {
        if request["part"] == 2 {
            Ok(Value::Null)
        } else {
            Ok(json!("m"))
        }
    });
    let output = world
        .call(
            "a",
            send(&format!("{}👩‍🚀 and a long rest of it", "x".repeat(18))),
        )
        .await
        .unwrap();
    assert_eq!(statuses(&output), [Out, Unknown]);
    let texts: Vec<Value> = world
        .asked()
        .iter()
        .map(|asked| asked["text"].clone())
        .collect();
    assert_eq!(texts, ["x".repeat(18), "👩‍🚀 and a long ".to_owned()]);
    assert_eq!(world.asked()[1]["parts"], 3);
}

#[tokio::test]
async fn a_dry_run_sends_nothing() {
    let world = world(|_| Ok(json!("m")));
    let mut params = send("hello");
    params["dry_run"] = json!(true);
    let output = world.call("a", params).await.unwrap();
    assert_eq!(
        (statuses(&output), output.status()),
        (vec![Suppressed], Suppressed)
    );
    assert_eq!(world.asked(), Vec::<Value>::new());
}

#[tokio::test]
async fn files_are_judged_as_reads_and_sent_as_they_are_then() {
    let world = world(|_| Ok(json!("m")));
    std::fs::write(world.directory.path().join("a.txt"), "data").unwrap();
    let mut params = send("see");
    params["media"] = json!(["a.txt", "https://example.com/x.png"]);
    let context = ToolContext::new("a", CancellationToken::new());
    let prepared = world
        .tool
        .clone()
        .prepare(params.clone().into())
        .unwrap()
        .survey(context.clone())
        .await
        .unwrap();
    let access = prepared.access();
    assert_eq!(
        access
            .reads
            .iter()
            .map(|claim| claim.name.as_str())
            .collect::<Vec<_>>(),
        ["a.txt"]
    );
    assert_eq!(
        access
            .hosts
            .iter()
            .map(|claim| claim.host.as_str())
            .collect::<Vec<_>>(),
        ["example.com"]
    );
    assert_eq!(access.names, ["slack:#ops"]);
    assert_eq!(access.also_named, ["slack:C1"]);
    let message = access.message.clone().unwrap();
    assert_eq!(
        (message.text.as_deref(), message.media.as_slice()),
        (
            Some("see"),
            [
                "a.txt (4 bytes)".to_owned(),
                "https://example.com/x.png".to_owned()
            ]
            .as_slice()
        )
    );
    prepared.run(context).await.unwrap();
    assert_eq!(
        world.asked()[0]["media"],
        json!([{"name": "a.txt", "mimeType": "text/plain", "size": 4, "data": "ZGF0YQ=="}, {"url": "https://example.com/x.png"}])
    );
    params["media"] = json!(["../outside"]);
    assert!(world.call("b", params).await.is_err());
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let world = world(|_| Ok(json!("m")));
    let message = |params: Value| {
        let tool = world.tool.clone();
        async move { call(&tool, "a", params).await.unwrap_err().message }
    };
    assert_eq!(
        message(json!({"action": "send", "text": " "})).await,
        "`text` is required for `send`."
    );
    assert_eq!(
        message(json!({"action": "edit", "text": "x"})).await,
        "`messageId` is required for `edit`."
    );
    assert_eq!(
        message(json!({"action": "react", "message_id": "1"})).await,
        "`emoji` is required for `react`."
    );
    assert!(
        message(send(&"x".repeat(2000)))
            .await
            .contains("needs 100 parts")
    );
    let none = Arc::new(Message::new(None));
    let error = call(&none, "a", send("x")).await.unwrap_err();
    assert!(
        error.message.contains("`host.sendMessage`"),
        "{}",
        error.message
    );
}
