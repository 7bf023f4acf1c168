//! What turns a tool name and JSON into an answer.
//!
//! [`Toolkit::new`] binds the tools of one dialect to one workspace; [`Toolkit::call`] sends a call
//! through the pipeline. The order of the layers, with the reason of each, is in `pipeline.rs`.
//!
//! ```
//! use tenon_runtime::{CallRequest, Options, HostCallbacks, Toolkit};
//!
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
//! let directory = tempfile::tempdir().unwrap();
//! std::fs::write(directory.path().join("a.txt"), "hello\n").unwrap();
//! let options = Options::from_json(&format!("{{\"workspace\": {:?}}}", directory.path())).unwrap();
//! let toolkit = Toolkit::new(options, HostCallbacks::default()).unwrap();
//! let answer = toolkit.call(CallRequest::new("read", serde_json::json!({"file_path": "a.txt"}))).await.unwrap();
//! assert_eq!(answer.details["lines"], 1);
//! # });
//! ```

mod agents;
mod approval;
mod browsers;
mod budget;
mod call_request;
mod catalog;
mod checkpoints;
mod cron;
mod events;
mod exposure;
mod faults;
mod foreign;
mod groups;
mod history;
mod hooks;
mod host_browser;
mod host_callbacks;
mod image_ignores;
mod import;
mod judge;
mod kept_changes;
mod layers;
mod leaving;
mod lsp_options;
mod mcp;
mod mode;
mod options;
mod path_resolutions;
mod permission_mode;
mod pipeline;
mod platforms;
mod processes_seen;
mod programs;
mod proxy;
mod redaction;
mod redirects;
mod registration;
mod registry;
mod repeats;
mod selection;
mod service;
mod session;
mod settings;
mod simulate;
mod state_seen;
mod store_files;
mod stored_calls;
mod streams;
mod taint;
mod toolkit;
mod variable_files;
mod web;

pub use approval::{ApprovalAnswer, ApprovalRequest, CallEffects, OwnQuestion, RequestingSession};
pub use call_request::{CallRequest, Updates};
pub use catalog::{Annotations, CatalogEntry, ExecutionMode, Replay};
pub use checkpoints::{Differences, FileDifference};
pub use events::{
    AnsweredBy, Event, EventKind, EventSink, HookOutcome, LoopKind, ProcessSubject, Subject,
};
pub use faults::read;
pub use foreign::{
    CheckFuture, ContentSource, DeclaredEffects, EffectName, ForeignAnnotations, ForeignCall,
    ForeignDefinition, ForeignFuture, ForeignOutput, ForeignRunner, QuestionFuture,
};
pub use groups::{tool_groups, tool_name};
pub use history::{HistoryEntry, ServerQuestion, TelemetryEvent, TelemetrySink};
pub use hooks::{HookCommand, HookEvent, HookFormat, HookOption, ImportedHooks, import_hooks};
pub use host_callbacks::{AnswerFuture, Approver, HostCallbacks};
pub use import::{ImportedRules, RuleFormat, import_permissions};
pub use lsp_options::{LspOptions, LspServerOptions};
pub use mcp::parse_configuration;
pub use mode::Modes;
pub use options::{
    AgentLimitOptions, Amount, BrowserOption, BrowserOptions, BrowserWindow, BrowserWrites,
    BudgetOptions, CanvasBrowserOptions, CanvasOption, CanvasOptions, CommandLimitOptions,
    CronOptions, EditOptions, EnvironmentOptions, ExecOptions, Hidden, IndexMode, LeftoversName,
    LimitOptions, MemoryOptions, ModeName, NetworkOption, OnTimeoutName, Options, OutputName,
    PermissionOptions, PlaceholderStrictness, ProxyOption, ProxyOptions, ProxyResolution,
    RecordOption, RecordOptions, RedactOption, RedactOptions, RedactPattern, RepeatsName, Rights,
    RuleObject, RuleOption, SandboxMode, SandboxOption, SandboxOptions, SandboxRequirement,
    SearchOptions, SessionOptions, SessionsOptions, ShellOptions, SkillOptions, SyntaxStrictness,
    TaintName, TaintOption, ToolOptions, UndoOption, UndoOptions, VariablesShown, VisibilityName,
    WebFetchOptions, WebOptions, WebSearchOptions, WebSearchProvider, Within,
};
pub use permission_mode::PermissionMode;
pub use platforms::platform_names;
pub use registration::Registered;
pub use registry::{Defaults, Tools, operations};
pub use session::Session;
pub use settings::{Settings, SettingsFiles, SettingsOption};
pub use simulate::{PastCall, Simulated};
pub use state_seen::{SeenState, SeenTemporary, seen_state, seen_temporary};
pub use stored_calls::StoredCall;
pub use taint::{Origin, SourceRead};
pub use tenon_dialects::{HostFaults, Issue, IssueCode, SentParams, mismatch};
pub use tenon_policy::{Danger, describe_program};
pub use tenon_state::{SessionKey, SessionRecords, Warn};
pub use tenon_store as store;
pub use tenon_tokens::count as count_tokens;
pub use tenon_tools::{
    FollowUp, HostCallback, HostFuture, HostListener, follow_up, on_thread, processors,
};
pub use tenon_web::{
    HostSearch, HostSearchFuture, HostSearchRequest, ResolveFuture, Resolver, SearchResult,
};
pub use toolkit::{Explanation, Toolkit, Validation};
pub use web::Web;
