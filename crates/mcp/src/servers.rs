//! The servers of one toolkit, and what may be requested of them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use rmcp::model::{
    ClientRequest, GetPromptRequestParams, JsonObject, ListPromptsRequest,
    ListResourceTemplatesRequest, ListResourcesRequest, ListSkillsRequest, ListToolsRequest,
    ReadResourceRequestParams, ReadResourceResult, Skill,
};
use rmcp::service::ServiceError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tenon_contract::{CancellationToken, ErrorCode, ToolError};

use crate::call::ToolCall;
use crate::error::{cancelled, failed};
use crate::host::{McpHost, ServerContext};
use crate::http::address;
use crate::lists::{Page, all, usable};
use crate::server::Server;
use crate::skills::loaded;
use crate::spec::{ServerSpec, Way};

/// What the facade wants of a server.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
pub enum Request {
    /// Enters a server. Starts nothing.
    Add {
        /// What the host says about it.
        server: Box<ServerSpec>,
    },
    /// Starts it, if it does not run.
    Start {
        /// The server.
        id: String,
    },
    /// Ends the connection; the next request begins another one.
    Restart {
        /// The server.
        id: String,
    },
    /// Its tools, all pages.
    Tools {
        /// The server.
        id: String,
    },
    /// Calls a tool.
    #[serde(rename_all = "camelCase")]
    Call {
        /// The server.
        id: String,
        /// The tool, as the server names it.
        name: String,
        /// Its arguments.
        arguments: Option<JsonObject>,
        /// How the host knows the call that progress belongs to.
        #[serde(default)]
        call: Value,
        /// Whether the call may be made a second time when the connection is lost.
        #[serde(default)]
        again: bool,
    },
    /// Its prompts, all pages.
    Prompts {
        /// The server.
        id: String,
    },
    /// One prompt.
    Prompt {
        /// The server.
        id: String,
        /// The prompt.
        name: String,
        /// Its arguments.
        arguments: Option<JsonObject>,
    },
    /// Its resources, all pages.
    Resources {
        /// The server.
        id: String,
    },
    /// The templates of its resources, all pages.
    Templates {
        /// The server.
        id: String,
    },
    /// Reads a resource.
    Read {
        /// The server.
        id: String,
        /// The resource.
        uri: String,
    },
    /// Its skills, all pages, and what is wrong with some.
    Skills {
        /// The server.
        id: String,
    },
    /// The text of a skill, which is verified.
    Skill {
        /// The server.
        id: String,
        /// The skill, as the list names it.
        name: String,
    },
    /// Begins an authorisation, or ends it with the address that the browser was led back to.
    Authorize {
        /// The server.
        id: String,
        /// That address.
        callback: Option<String>,
    },
    /// Ends all servers for good.
    Close,
}

/// The servers of one toolkit. Cheap to clone; the last clone ends them.
#[derive(Clone)]
pub struct Servers(Arc<Inner>);

struct Inner {
    context: ServerContext,
    host: Arc<dyn McpHost>,
    table: Mutex<BTreeMap<String, Arc<Server>>>,
}

impl fmt::Debug for Servers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Servers")
            .field(&self.table().keys())
            .finish()
    }
}

/// All pages of a list of a server.
macro_rules! listed {
    ($servers:expr, $id:expr, $method:ident, $entries:ident, $name:literal, $key:literal, $request:ident) => {{
        let server = $servers.server(&$id)?;
        // Many wait for a list: one that is not there by then does not come.
        let limit = server.spec.start_limit();
        server
            .request(true, |live| async move {
                let live = &live;
                let pages = all(|params| async move {
                    let listed = live.peer().$method(params.clone());
                    let page = match within(limit, listed).await {
                        // What is wrong with it is in the answer.
                        Err(ServiceError::UnexpectedResponse) => {
                            let mut request = $request::default();
                            request.params = params;
                            let request = ClientRequest::$request(request);
                            let asked = live.peer().send_request(request);
                            let answer = json_of(within(limit, asked).await?)?;
                            return usable($name, $key, &answer);
                        }
                        listed => listed?,
                    };
                    Ok(Page {
                        entries: page.$entries,
                        next: page.next_cursor,
                        ttl_ms: page.ttl_ms,
                        faults: Vec::new(),
                    })
                });
                pages.await
            })
            .await
    }};
}

impl Servers {
    /// No servers yet.
    #[must_use]
    pub fn new(context: ServerContext, host: Arc<dyn McpHost>) -> Self {
        Self(Arc::new(Inner {
            context,
            host,
            table: Mutex::default(),
        }))
    }

    fn table(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Server>>> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn server(&self, id: &str) -> Result<Arc<Server>, ToolError> {
        self.table().get(id).cloned().ok_or_else(|| {
            let message = format!("There is no MCP server `{id}`. Add it to `mcpServers`.");
            failed(id, ErrorCode::NotFound, message)
        })
    }

    /// What is known of every server, by name. Asks none of them.
    #[must_use]
    pub fn status(&self) -> Vec<Value> {
        self.table()
            .values()
            .map(|server| server.status())
            .collect()
    }

    /// Serves a request until it is cancelled.
    ///
    /// # Errors
    /// What the server, its transport or its start say.
    pub async fn request(
        &self,
        request: Request,
        cancellation: &CancellationToken,
    ) -> Result<Value, ToolError> {
        tokio::select! {
            biased;
            answer = self.serve(request) => answer,
            () = cancellation.cancelled() => Err(cancelled()),
        }
    }

    async fn serve(&self, request: Request) -> Result<Value, ToolError> {
        match request {
            Request::Add { server } => {
                let inner = &self.0;
                let id = server.id.clone();
                let (context, host) = (inner.context.clone(), Arc::clone(&inner.host));
                let entered = Arc::new(Server::new(*server, context, host));
                self.table().insert(id, entered);
                Ok(Value::Null)
            }
            Request::Start { id } => {
                let server = self.server(&id)?;
                server.live().await?;
                Ok(server.status())
            }
            Request::Restart { id } => {
                self.server(&id)?.restart().await;
                Ok(Value::Null)
            }
            Request::Call {
                id,
                name,
                arguments,
                call: key,
                again,
            } => {
                let call = ToolCall {
                    name,
                    arguments,
                    key,
                };
                self.server(&id)?.call(call, again).await
            }
            Request::Authorize { id, callback } => self.authorize(&id, callback).await,
            Request::Close => {
                self.close().await;
                Ok(Value::Null)
            }
            other => self.read(other).await,
        }
    }

    /// What changes nothing, and may therefore be requested twice.
    async fn read(&self, request: Request) -> Result<Value, ToolError> {
        match request {
            Request::Prompt {
                id,
                name,
                arguments,
            } => {
                let mut params = GetPromptRequestParams::new(name);
                params.arguments = arguments;
                let server = self.server(&id)?;
                let limit = server.spec.max_call_limit();
                let got = server.request(true, |live| {
                    let params = params.clone();
                    async move { json_of(within(limit, live.service.get_prompt(params)).await?) }
                });
                got.await
            }
            Request::Read { id, uri } => {
                let params = ReadResourceRequestParams::new(uri);
                let server = self.server(&id)?;
                let read = resource(&server, params).await?;
                server.skills.verify(&id, &read.contents)?;
                serde_json::to_value(read).map_err(ToolError::internal)
            }
            Request::Skills { id } => {
                let (skills, remarks) = self.skills(&id).await?;
                Ok(json!({ "skills": skills, "remarks": remarks }))
            }
            Request::Skill { id, name } => {
                let (skills, _) = self.skills(&id).await?;
                let Some(skill) = skills.iter().find(|skill| skill.name() == name) else {
                    return Ok(Value::Null);
                };
                let server = self.server(&id)?;
                let params = ReadResourceRequestParams::new(skill.uri.clone());
                let read = resource(&server, params).await?;
                server.skills.verify(&id, &read.contents)?;
                loaded(&id, skill, &read.contents)
            }
            list => self.list(list).await,
        }
    }

    /// The skills of a server, with a sentence about each that cannot be used.
    async fn skills(&self, id: &str) -> Result<(Vec<Skill>, Vec<String>), ToolError> {
        let list = self.list(Request::Skills { id: id.to_owned() }).await?;
        let (skills, mut remarks) = {
            let entries = list.get("entries").unwrap_or(&Value::Null);
            self.server(id)?.skills.learn(entries)
        };
        let cut = list.get("cut").and_then(Value::as_str);
        remarks.extend(cut.map(str::to_owned));
        Ok((skills, remarks))
    }

    /// A list of a server, all pages.
    async fn list(&self, request: Request) -> Result<Value, ToolError> {
        match request {
            Request::Tools { id } => listed!(
                self,
                id,
                list_tools,
                tools,
                "tools/list",
                "tools",
                ListToolsRequest
            ),
            Request::Prompts { id } => listed!(
                self,
                id,
                list_prompts,
                prompts,
                "prompts/list",
                "prompts",
                ListPromptsRequest
            ),
            Request::Resources { id } => listed!(
                self,
                id,
                list_resources,
                resources,
                "resources/list",
                "resources",
                ListResourcesRequest
            ),
            Request::Templates { id } => listed!(
                self,
                id,
                list_resource_templates,
                resource_templates,
                "resources/templates/list",
                "resourceTemplates",
                ListResourceTemplatesRequest
            ),
            Request::Skills { id } => listed!(
                self,
                id,
                list_skills,
                skills,
                "skills/list",
                "skills",
                ListSkillsRequest
            ),
            _ => Err(ToolError::internal("the request is not served here")),
        }
    }

    async fn authorize(&self, id: &str, callback: Option<String>) -> Result<Value, ToolError> {
        let server = self.server(id)?;
        let Way::Address { url, .. } = &server.spec.way else {
            let message = format!(
                "The MCP server `{id}` is a program, which is given its credentials by `mcpServers.{id}.env`."
            );
            return Err(failed(id, ErrorCode::InvalidParams, message));
        };
        if let Some(callback) = callback {
            server.authorization.complete(&callback).await?;
            server.restart().await;
            return Ok(json!({ "authorized": true }));
        }
        let url = address(id, url)?;
        server.authorization.begin(&server.context, &url).await
    }

    /// Ends all servers: politely, and then not.
    pub async fn close(&self) {
        let servers: Vec<_> = self.table().values().cloned().collect();
        join_all(servers.iter().map(|server| server.close())).await;
    }
}

/// The answer, if it comes in time.
async fn within<T>(
    limit: Duration,
    answer: impl Future<Output = Result<T, ServiceError>>,
) -> Result<T, ServiceError> {
    let waited = tokio::time::timeout(limit, answer).await;
    waited.unwrap_or(Err(ServiceError::Timeout { timeout: limit }))
}

/// A resource of a server.
async fn resource(
    server: &Arc<Server>,
    params: ReadResourceRequestParams,
) -> Result<ReadResourceResult, ToolError> {
    let limit = server.spec.max_call_limit();
    let read = server.request(true, |live| {
        let params = params.clone();
        async move { within(limit, live.service.read_resource(params)).await }
    });
    read.await
}

/// An answer of a server as JSON.
fn json_of(answer: impl Serialize) -> Result<Value, ServiceError> {
    serde_json::to_value(answer).map_err(|_| ServiceError::UnexpectedResponse)
}
