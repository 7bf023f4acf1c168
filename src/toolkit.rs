//! The class that JavaScript holds.

use std::path::PathBuf;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Either, Function};
use napi_derive::napi;
use tenon_border::{
    Bound, Call, End, Host, Input, Listener, Reply, Wire, WrittenParams, envelope, explained,
    failure, to_json,
};
use tenon_contract::ToolError;

use crate::channel::{Arguments, Channel, Content, crossed, crossing};
use crate::environment;
use crate::executor::executor;
use crate::task::{start, start_elsewhere};

/// The tools of one dialect over one workspace. Talks in JSON; `js/toolkit.js` is its only user.
#[napi]
pub struct NativeToolkit(Arc<Shared>);

/// What a toolkit shares with its running calls.
pub(crate) struct Shared {
    bound: Arc<Bound>,
    channel: Arc<Channel>,
}

impl Shared {
    /// Ends everything that still runs, at once and without waiting.
    pub(crate) fn end_now(&self) {
        self.bound.end_now();
    }
}

impl Drop for NativeToolkit {
    /// Collected by JavaScript's garbage collector: nobody can call it any more.
    fn drop(&mut self) {
        self.0.end_now();
    }
}

/// The end of a call that was known at once.
#[napi(object, object_from_js = false)]
pub struct NativeEnd {
    /// The details of the answer, or the error, as JSON.
    pub json: String,
    /// The content of the answer; absent when the call failed.
    pub content: Option<Content>,
}

impl From<End> for NativeEnd {
    fn from(end: End) -> Self {
        match end.result {
            Ok((json, content)) => Self {
                json,
                content: Some(crossing(content)),
            },
            Err(json) => Self {
                json,
                content: None,
            },
        }
    }
}

/// Parameters up to this size are worked on at once, on the JavaScript thread, which parsing them
/// must not hold up.
const AT_ONCE_MAX_BYTES: usize = 8 * 1024;

#[napi]
impl NativeToolkit {
    /// Makes a toolkit, or the JSON of the error why it cannot be made.
    ///
    /// `deliver(kind, key, json, content, columns)` receives everything that happens later. It must not throw.
    /// `parts` names what the host supplies, see `host_callbacks.rs`. `helper` is the helper program of the platform package.
    #[napi(catch_unwind, ts_return_type = "NativeToolkit | string")]
    pub fn create(
        env: Env,
        options: String,
        #[napi(
            ts_arg_type = "(kind: number, key: number, json: string, content: string | string[], columns?: string[]) => void"
        )]
        deliver: Function<'_, Arguments, ()>,
        parts: Vec<String>,
        helper: Option<String>,
    ) -> napi::Result<Either<NativeToolkit, String>> {
        let channel = Channel::new(&deliver)?;
        let helper = helper.map(PathBuf::from);
        Self::made(&env, channel, &parts, helper, |host| {
            Bound::open(&options, host)
        })
    }

    /// Makes the toolkit of a workspace that is on another machine, or the JSON of the error why it cannot be made: it refuses by the
    /// words of calls. `deliver` and `parts` are as for `create`.
    #[napi(catch_unwind, ts_return_type = "NativeToolkit | string")]
    pub fn elsewhere(
        env: Env,
        options: String,
        #[napi(
            ts_arg_type = "(kind: number, key: number, json: string, content: string | string[], columns?: string[]) => void"
        )]
        deliver: Function<'_, Arguments, ()>,
        parts: Vec<String>,
    ) -> napi::Result<Either<NativeToolkit, String>> {
        let channel = Channel::new(&deliver)?;
        Self::made(&env, channel, &parts, None, |host| {
            Bound::elsewhere(&options, host)
        })
    }

    /// Makes the toolkit of a run of a sub-agent, or the JSON of the error why it cannot be made. `deliver`, `parts` and
    /// `helper` are as for `create`.
    #[napi(catch_unwind, ts_return_type = "NativeToolkit | string")]
    pub fn child(
        &self,
        env: Env,
        run: String,
        #[napi(
            ts_arg_type = "(kind: number, key: number, json: string, content: string | string[], columns?: string[]) => void"
        )]
        deliver: Function<'_, Arguments, ()>,
        parts: Vec<String>,
        helper: Option<String>,
    ) -> napi::Result<Either<NativeToolkit, String>> {
        let channel = Channel::new(&deliver)?;
        let parent = Arc::clone(&self.0.bound);
        let helper = helper.map(PathBuf::from);
        Self::made(&env, channel, &parts, helper, |host| {
            parent.child(&run, host)
        })
    }

    /// The exposed tools: the JSON of an array.
    #[napi(catch_unwind)]
    pub fn catalog(&self) -> String {
        envelope("toolkit", Ok(self.0.bound.toolkit.catalog()))
    }

    /// A document of a canvas, for a host of MCP Apps: the JSON of it, or of null.
    #[napi(catch_unwind)]
    pub fn canvas(&self, uri: String) -> String {
        envelope("toolkit", Ok(self.0.bound.toolkit.canvas(&uri)))
    }

    /// What is shown: the JSON of a list of `[uri, title]`, or of null where the agent shows no pages.
    #[napi(catch_unwind)]
    pub fn canvases(&self) -> String {
        envelope("toolkit", Ok(self.0.bound.toolkit.canvases()))
    }

    /// Starts a call. Returns its end when that is known at once, else nothing: then `deliver` is
    /// informed of its updates and of its end. `faults` is what JavaScript has found wrong with the parameters, here and
    /// below: the JSON of `HostFaults`.
    #[napi(catch_unwind)]
    #[allow(
        clippy::too_many_arguments,
        reason = "plain values cross the border faster than the members of an object"
    )]
    pub fn call(
        &self,
        env: Env,
        key: u32,
        tool: String,
        id: String,
        params: String,
        listens: bool,
        automatic: Option<bool>,
        approved: Option<String>,
        max_tokens: Option<u32>,
        faults: Option<String>,
        lineage: Option<String>,
    ) -> napi::Result<Option<NativeEnd>> {
        let bound = Arc::clone(&self.0.bound);
        let executor = executor().map_err(|error| napi::Error::from_reason(error.message))?;
        let cancellation = bound.calls.start(key);
        // A toolkit that is closed refuses at once. Where paths may lead over a network, the thread of JavaScript does not wait.
        let is_quick = params.len() <= AT_ONCE_MAX_BYTES && !bound.toolkit.may_hang();
        let is_at_once = is_quick || self.0.channel.has_ended();
        let listener =
            listens.then(|| Listener::new(key, Arc::clone(&bound.wire), executor.handle().clone()));
        let call = Call {
            key,
            tool,
            id,
            params: Input::Written {
                json: params,
                faults,
            },
            automatic: automatic.unwrap_or(false),
            approved,
            max_tokens,
            lineage,
            listener,
            bound,
        };
        let work = Box::pin(call.run(cancellation));
        let channel = Arc::clone(&self.0.channel);
        let later = move |end: End| _ = channel.send(end.into());
        if !is_at_once {
            self.0.channel.hold(&env)?;
            start_elsewhere(executor.handle(), work, later);
            return Ok(None);
        }
        let Some(end) = start(executor.handle(), work, later) else {
            self.0.channel.hold(&env)?;
            return Ok(None);
        };
        if self.0.channel.is_empty() {
            return Ok(Some(end.into()));
        }
        // What the call reported on its way, such as telemetry, comes before its end.
        self.0.channel.hold(&env)?;
        self.0.channel.send(end.into());
        Ok(None)
    }

    /// Cancels a running call. Its failure is reported as every other.
    #[napi(catch_unwind)]
    pub fn cancel(&self, env: Env, key: u32) -> napi::Result<()> {
        if self.0.bound.calls.cancel(key) {
            self.0.channel.cancelled(key, &env)?;
        }
        Ok(())
    }

    /// The host's answer to a request that `deliver` received, or why there is none.
    #[napi(catch_unwind)]
    pub fn answer(
        &self,
        env: Env,
        request: u32,
        is_ok: bool,
        json: String,
        content: Option<Content>,
    ) -> napi::Result<()> {
        self.0.channel.answered(request, &env)?;
        self.0.bound.answer(request, reply(is_ok, json, content));
        Ok(())
    }

    /// A part of the host's answer to a request.
    #[napi(catch_unwind)]
    pub fn progress(&self, request: u32, json: String, content: Option<Content>) {
        self.0.bound.progress(request, reply(true, json, content));
    }

    /// Takes a tool of the host in: the JSON of what became of it.
    #[napi(catch_unwind)]
    pub fn register(&self, definition: String) -> String {
        envelope("registerTool", self.0.bound.register(&definition))
    }

    /// Takes a tool out; whether there was one.
    #[napi(catch_unwind)]
    pub fn unregister(&self, tool: String) -> bool {
        self.0.bound.toolkit.unregister(&tool)
    }

    /// Parameters in the spelling of the tool.
    #[napi(catch_unwind)]
    pub fn repair(&self, tool: String, params: String, faults: Option<String>) -> String {
        envelope(
            &tool,
            self.0
                .bound
                .repair(&tool, written(&params, faults.as_ref())),
        )
    }

    /// Checks parameters and runs nothing.
    #[napi(catch_unwind)]
    pub fn validate(&self, tool: String, params: String, faults: Option<String>) -> String {
        envelope(
            &tool,
            self.0
                .bound
                .validate(&tool, written(&params, faults.as_ref())),
        )
    }

    /// Whether a call is refused by its words alone, wherever its files are.
    #[napi(catch_unwind)]
    pub fn refuses(&self, tool: String, params: String, faults: Option<String>) -> bool {
        self.0
            .bound
            .refuses(&tool, written(&params, faults.as_ref()))
    }

    /// What policy would decide. Runs nothing and asks nobody. `question` is what the tool itself wants to have asked.
    #[napi(catch_unwind)]
    pub fn decide(
        &self,
        tool: String,
        params: String,
        question: Option<String>,
        faults: Option<String>,
    ) -> String {
        let params = written(&params, faults.as_ref());
        let result = self.0.bound.decide(&tool, params, question.as_deref());
        explained(&tool, result)
    }

    /// What policy would decide, with what each command of the call does. Runs nothing and asks nobody.
    #[napi(catch_unwind)]
    pub fn explain(
        &self,
        tool: String,
        params: String,
        question: Option<String>,
        faults: Option<String>,
    ) -> String {
        let params = written(&params, faults.as_ref());
        let result = self.0.bound.explain(&tool, params, question.as_deref());
        explained(&tool, result)
    }

    /// What an approver would be asked; `null` where nothing requires approval.
    #[napi(catch_unwind)]
    pub fn approval_request(
        &self,
        tool: String,
        params: String,
        question: Option<String>,
        faults: Option<String>,
    ) -> String {
        let params = written(&params, faults.as_ref());
        let bound = &self.0.bound;
        let result = bound.approval_request(&tool, params, question.as_deref());
        envelope(&tool, result)
    }

    /// The same, of all that the call touches, where that takes asking somebody; `deliver` receives it, or what is wrong with the call.
    #[napi(catch_unwind)]
    pub fn found_approval_request(
        &self,
        env: Env,
        key: u32,
        tool: String,
        params: String,
        question: Option<String>,
        faults: Option<String>,
    ) -> napi::Result<()> {
        let shared = Arc::clone(&self.0);
        self.later(&env, key, "approvalRequest", async move {
            let params = written(&params, faults.as_ref());
            let asked = shared
                .bound
                .found_approval_request(&tool, params, question.as_deref());
            to_json(&asked.await?)
        })
    }

    /// What present and other permissions say to calls that were made: the JSON of an array.
    #[napi(catch_unwind)]
    pub fn simulate(&self, calls: String, permissions: String) -> String {
        let result = self.0.bound.simulate(&calls, &permissions);
        envelope("simulate", result)
    }

    /// What the host should hear about its rules and settings.
    #[napi(catch_unwind)]
    pub fn notices(&self) -> String {
        envelope("toolkit", Ok(self.0.bound.toolkit.notices()))
    }

    /// Remarks on the rules: the JSON of an array.
    #[napi(catch_unwind)]
    pub fn lint(&self) -> String {
        envelope("toolkit", Ok(self.0.bound.toolkit.lint()))
    }

    /// Holds the text of a file as an editor has it; calls then edit that.
    #[napi(catch_unwind)]
    pub fn hold_draft(&self, path: String, text: String) -> String {
        envelope("files", self.0.bound.toolkit.hold_draft(&path, &text))
    }

    /// Lets go of such a text: the JSON of it where it was changed, else of null.
    #[napi(catch_unwind)]
    pub fn release_draft(&self, path: String) -> String {
        envelope("files", self.0.bound.toolkit.release_draft(&path))
    }

    /// Marks the present state of the files: the JSON of its id.
    #[napi(catch_unwind)]
    pub fn checkpoint(&self) -> String {
        envelope("checkpoint", self.0.bound.toolkit.checkpoint())
    }

    /// Restores the files that tools changed since; `deliver` receives which, or why not.
    #[napi(catch_unwind)]
    pub fn rollback(
        &self,
        env: Env,
        key: u32,
        id: String,
        force: bool,
        lineage: Option<String>,
    ) -> napi::Result<()> {
        let shared = Arc::clone(&self.0);
        self.later(&env, key, "rollback", async move {
            let lineage = lineage.unwrap_or_default();
            let restored = shared.bound.toolkit.rollback_within(&lineage, &id, force);
            to_json(&restored.await?)
        })
    }

    /// Restores the files that a call changed; `deliver` receives which, or why not.
    #[napi(catch_unwind)]
    pub fn undo(
        &self,
        env: Env,
        key: u32,
        call: String,
        lineage: Option<String>,
    ) -> napi::Result<()> {
        let shared = Arc::clone(&self.0);
        self.later(&env, key, "undo", async move {
            let lineage = lineage.unwrap_or_default();
            to_json(&shared.bound.toolkit.undo_within(&lineage, &call).await?)
        })
    }

    /// The files that tools changed since; `deliver` receives them, or why not.
    #[napi(catch_unwind)]
    pub fn diff(&self, env: Env, key: u32, since: Option<String>) -> napi::Result<()> {
        let shared = Arc::clone(&self.0);
        self.later(&env, key, "diff", async move {
            to_json(&shared.bound.toolkit.diff(since.as_deref()).await?)
        })
    }

    /// The last stored calls of the session, before the one of this number; `deliver` receives them, or why not.
    #[napi(catch_unwind)]
    pub fn stored_calls(
        &self,
        env: Env,
        key: u32,
        before: Option<f64>,
        limit: u32,
    ) -> napi::Result<()> {
        let shared = Arc::clone(&self.0);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "JavaScript has checked that it is an integer"
        )]
        let before = before.map(|number| number as u64);
        self.later(&env, key, "storedCalls", async move {
            to_json(
                &shared
                    .bound
                    .toolkit
                    .stored_calls(before, limit as usize)
                    .await?,
            )
        })
    }

    /// The places that text came from which the agents have read; `deliver` receives them.
    #[napi(catch_unwind)]
    pub fn sources(&self, env: Env, key: u32) -> napi::Result<()> {
        let shared = Arc::clone(&self.0);
        self.later(&env, key, "sources", async move {
            to_json(&shared.bound.toolkit.sources().await)
        })
    }

    /// Notes that the host has given text of this place to the model; `deliver` receives when that is stored, or why not.
    #[napi(catch_unwind)]
    pub fn add_source(&self, env: Env, key: u32, source: String, from: String) -> napi::Result<()> {
        let shared = Arc::clone(&self.0);
        self.later(&env, key, "addSource", async move {
            to_json(&shared.bound.toolkit.add_source(&source, &from).await?)
        })
    }

    /// Removes what the store keeps of a session, of the own one without a name; `deliver` receives whether there was
    /// anything, or why not.
    #[napi(catch_unwind)]
    pub fn forget(&self, env: Env, key: u32, session: Option<String>) -> napi::Result<()> {
        let shared = Arc::clone(&self.0);
        self.later(&env, key, "forget", async move {
            to_json(&shared.bound.toolkit.forget(session.as_deref()).await?)
        })
    }

    /// Serves a request to an MCP server; `deliver` receives the JSON that comes of it, or why nothing does. `cancel` ends
    /// it as it ends a call.
    #[napi(catch_unwind)]
    pub fn mcp(&self, env: Env, key: u32, request: String) -> napi::Result<()> {
        let bound = Arc::clone(&self.0.bound);
        self.later(
            &env,
            key,
            "mcp",
            async move { bound.mcp(key, &request).await },
        )
    }

    /// What is known of the MCP servers: the JSON of a list.
    #[napi(catch_unwind)]
    pub fn mcp_status(&self) -> String {
        envelope("toolkit", Ok(self.0.bound.toolkit.mcp_status()))
    }

    /// Keeps a long text in a private file; `deliver` receives a sentence that says where, or null.
    #[napi(catch_unwind)]
    pub fn keep_output(&self, env: Env, key: u32, text: String) -> napi::Result<()> {
        let shared = Arc::clone(&self.0);
        self.later(&env, key, "mcp", async move {
            to_json(&shared.bound.toolkit.keep_output(&text).await)
        })
    }

    /// The name of the permission mode.
    #[napi(catch_unwind)]
    pub fn mode(&self) -> String {
        self.0.bound.toolkit.mode().name().to_owned()
    }

    /// Switches the permission mode: the JSON of nothing, or why not.
    #[napi(catch_unwind)]
    pub fn set_mode(&self, mode: String) -> String {
        let set = executor().and_then(|executor| {
            let _entered = executor.enter();
            self.0.bound.set_mode(&mode)
        });
        envelope("setMode", set)
    }

    /// Whether `deliver` receives the stream of events from now on.
    #[napi(catch_unwind)]
    pub fn listen(&self, listens: bool) -> napi::Result<()> {
        let executor = executor().map_err(|error| napi::Error::from_reason(error.message))?;
        let _entered = executor.enter();
        self.0.bound.listen(listens);
        Ok(())
    }

    /// Sends the command of a running call to the background. Whether there is one.
    #[napi(catch_unwind)]
    pub fn background(&self, id: String) -> bool {
        self.0.bound.toolkit.background(&id)
    }

    /// The calls so far.
    #[napi(catch_unwind)]
    pub fn history(&self) -> String {
        envelope("toolkit", Ok(self.0.bound.toolkit.history()))
    }

    /// Ends everything; `deliver` receives when it is done, and what could not be cleared away.
    #[napi(catch_unwind)]
    pub fn close(&self, env: Env, key: u32) -> napi::Result<()> {
        let bound = Arc::clone(&self.0.bound);
        let executor = executor().map_err(|error| napi::Error::from_reason(error.message))?;
        self.0.channel.hold(&env)?;
        executor.spawn(async move { bound.close(key).await });
        Ok(())
    }

    /// Ends everything at once, without waiting. For the exit of the process.
    #[napi(catch_unwind)]
    pub fn end_now(&self) {
        self.0.end_now();
    }
}

impl NativeToolkit {
    fn made(
        env: &Env,
        channel: Arc<Channel>,
        parts: &[String],
        helper: Option<PathBuf>,
        make: impl FnOnce(Host<'_>) -> Result<Bound, ToolError>,
    ) -> napi::Result<Either<NativeToolkit, String>> {
        let wire = Arc::clone(&channel) as Arc<dyn Wire>;
        // Services of the toolkit may need the runtime when they are made.
        let made = executor().and_then(|executor| {
            let _entered = executor.enter();
            make(Host {
                wire,
                parts,
                helper,
            })
        });
        match made {
            Ok(bound) => {
                let bound = Arc::new(bound);
                let shared = Arc::new(Shared { bound, channel });
                environment::enter(env, Arc::downgrade(&shared))?;
                Ok(Either::A(Self(shared)))
            }
            Err(error) => Ok(Either::B(failure("toolkit", &error).to_string())),
        }
    }

    /// Works in the background and delivers the JSON that comes of it, or the error.
    fn later(
        &self,
        env: &Env,
        key: u32,
        name: &'static str,
        work: impl Future<Output = Result<String, ToolError>> + Send + 'static,
    ) -> napi::Result<()> {
        let bound = Arc::clone(&self.0.bound);
        let executor = executor().map_err(|error| napi::Error::from_reason(error.message))?;
        self.0.channel.hold(env)?;
        executor.spawn(async move { bound.report_end(key, name, work).await });
        Ok(())
    }
}

fn written<'w>(json: &'w str, faults: Option<&'w String>) -> WrittenParams<'w> {
    let faults = faults.map(String::as_str);
    WrittenParams { json, faults }
}

fn reply(is_ok: bool, json: String, content: Option<Content>) -> Reply {
    Reply {
        is_ok,
        json,
        content: crossed(content.unwrap_or_else(|| Either::B(Vec::new()))),
    }
}
