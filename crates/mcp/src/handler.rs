//! Our side of a connection: what a server may ask and report.
#![allow(
    deprecated,
    reason = "roots and sampling are deprecated by the newest revision, and servers of older ones ask for them"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestMethod, CreateMessageRequestParams,
    CreateMessageResult, CustomRequest, CustomResult, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationCapability, ErrorCode, ErrorData, FormElicitationCapability,
    Implementation, InputRequest, InputRequests, InputResponses, JsonObject, ListRootsResult,
    ProtocolVersion, Root, RootsCapabilities, SamplingCapability, TASKS_EXTENSION_ID,
    UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::forms;
use crate::host::McpHost;
use crate::progress::Tokens;
use crate::spec::ServerSpec;

/// What a request is refused with that a user or the host declined.
const REFUSED: ErrorCode = ErrorCode(-1);

/// Our side of the connection to one server.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) spec: Arc<ServerSpec>,
    pub(crate) host: Arc<dyn McpHost>,
    pub(crate) tokens: Tokens,
    /// How many questions to the user are open.
    pub(crate) asking: Arc<AtomicUsize>,
    /// Notified with every sign of life.
    pub(crate) alive: Arc<Notify>,
}

/// Counts a question as long as it is open.
struct Asking<'a>(&'a Handler);

impl<'a> Asking<'a> {
    fn new(handler: &'a Handler) -> Self {
        handler.asking.fetch_add(1, Ordering::Relaxed);
        Self(handler)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.asking.fetch_sub(1, Ordering::Relaxed);
        self.0.alive.notify_waiters();
    }
}

impl Handler {
    /// Asks the user what a server wants to know. Whatever goes wrong is a refusal.
    pub(crate) async fn elicit(&self, params: &ElicitRequestParams) -> ElicitResult {
        let declined = || ElicitResult::new(ElicitationAction::Decline);
        let request = match params {
            ElicitRequestParams::FormElicitationParams {
                message,
                requested_schema,
                ..
            } if self.spec.elicits => {
                json!({ "mode": "form", "message": message, "requestedSchema": requested_schema })
            }
            ElicitRequestParams::UrlElicitationParams { message, url, .. }
                if self.spec.opens_urls =>
            {
                json!({ "mode": "url", "message": message, "url": url })
            }
            _ => return declined(),
        };
        let _asking = Asking::new(self);
        let request = json!({ "type": "elicit", "server": self.spec.id, "request": request });
        match self.host.ask(request).await {
            Ok(answer) => serde_json::from_value(answer).unwrap_or_else(|_| declined()),
            Err(_) => declined(),
        }
    }

    /// Has the host's model complete a conversation of a server, where the host offers that.
    pub(crate) async fn sample(
        &self,
        params: &CreateMessageRequestParams,
    ) -> Result<CreateMessageResult, ErrorData> {
        if !self.spec.samples {
            return Err(ErrorData::method_not_found::<CreateMessageRequestMethod>());
        }
        let _asking = Asking::new(self);
        let mut request = json!({ "type": "sample", "server": self.spec.id, "request": params });
        if let Some(temperature) = params.temperature
            && let Some(asked) = request.get_mut("request").and_then(Value::as_object_mut)
        {
            // As it was written: 0.7, not the nearest number of its type.
            let written = json!(temperature.to_string().parse::<f64>().ok());
            asked.insert("temperature".to_owned(), written);
        }
        let refused = |why: String| ErrorData::new(REFUSED, why, None);
        let answer = self.host.ask(request).await;
        let answer = answer.map_err(|error| refused(error.message))?;
        if answer.is_null() {
            return Err(refused("the user declined the completion".to_owned()));
        }
        serde_json::from_value(answer).map_err(|error| refused(error.to_string()))
    }

    /// The answers to requests that came inside of a result, by their keys.
    pub(crate) async fn inputs(
        &self,
        requests: &InputRequests,
    ) -> Result<InputResponses, ErrorData> {
        let mut responses = InputResponses::new();
        for (key, request) in requests {
            responses.insert(key.clone(), self.input(request).await?);
        }
        Ok(responses)
    }

    fn roots(&self) -> ListRootsResult {
        ListRootsResult::new(self.spec.roots.iter().map(Root::new).collect())
    }

    /// The answer to a request that came inside of a result.
    async fn input(&self, request: &InputRequest) -> Result<Value, ErrorData> {
        let written = |answer: Result<Value, serde_json::Error>| {
            answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))
        };
        match request {
            InputRequest::Elicitation(request) => {
                written(serde_json::to_value(self.elicit(&request.params).await))
            }
            InputRequest::ListRoots(_) => written(serde_json::to_value(self.roots())),
            InputRequest::CreateMessage(request) if self.spec.samples => {
                written(serde_json::to_value(self.sample(&request.params).await?))
            }
            _ => Err(ErrorData::invalid_request(
                "it asked for a completion by a model, which this client does not offer",
                None,
            )),
        }
    }

    pub(crate) fn changed(&self, list: &str) {
        let event = json!({ "type": "changed", "server": self.spec.id, "list": list });
        self.host.report(event);
    }
}

impl ClientHandler for Handler {
    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(self.roots())
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.elicit(&request).await)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != forms::METHOD {
            return Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                request.method,
                None,
            ));
        }
        let params = forms::form(&request.params.unwrap_or_default())?;
        let answer = serde_json::to_value(self.elicit(&params).await);
        let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(CustomResult::new(answer))
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.sample(&params).await
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed("tools");
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed("prompts");
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed("resources");
    }

    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.spec.elicits || self.spec.opens_urls {
            let mut elicitation = ElicitationCapability::new();
            if self.spec.elicits {
                elicitation = elicitation.with_form(FormElicitationCapability::default());
            }
            if self.spec.opens_urls {
                elicitation = elicitation.with_url(UrlElicitationCapability::default());
            }
            capabilities.elicitation = Some(elicitation);
        }
        if !self.spec.roots.is_empty() {
            capabilities.roots = Some(RootsCapabilities::default());
        }
        if self.spec.samples {
            capabilities.sampling = Some(SamplingCapability::default());
        }
        let tasks = (TASKS_EXTENSION_ID.to_owned(), JsonObject::new());
        capabilities.extensions = Some([tasks].into_iter().collect());
        let mut client = Implementation::new("tenon", env!("CARGO_PKG_VERSION"));
        client.title = Some("tenon".to_owned());
        ClientConfig::new(capabilities, client)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}
