//! The operations: one file each, in the order parameters, output, tool, work.
//!
//! An operation takes its services in its constructor, states what it will touch, and answers a
//! typed output. How that is spelled and rendered is the business of `tenon-dialects`; whether it may
//! happen is decided before, elsewhere.

mod anchors;
mod aside;
mod ask_user;
mod blocking;
mod browser;
mod canvas;
mod commit;
mod cron;
mod delete;
mod diagnostics;
mod edit;
mod execute;
mod exit_plan;
mod find;
mod freshness;
mod git_status;
mod grep;
mod host;
mod list;
mod lsp;
mod memory;
mod message;
mod notebook_edit;
mod outputs;
mod patch;
mod placeholder;
mod process;
mod read;
mod review;
mod run_tests;
mod searching;
mod session;
mod sessions;
mod shell_word;
mod skill;
mod task;
mod todo;
mod visible;
mod wait_for;
mod web_fetch;
mod web_request;
mod web_search;
mod write;

pub use anchors::{AnchoredLines, AnchoredPair, InsertAt, ShownFiles};
pub use ask_user::{AskUser, AskUserOutput, AskUserParams, Choice, Question, REPEATS, repeated};
pub use blocking::{FollowUp, follow_up, in_any_case, off_thread, on_thread, processors, soon};
pub use browser::{
    Browser, BrowserAction, BrowserField, BrowserOutput, BrowserParams, BrowserPlan, BrowserResult,
    BrowserView, MouseButton, PageWrites, PictureFormat, SavedFile, Seat, SeatOptions,
    ShownPicture,
};
pub use canvas::{Canvas, CanvasAction, CanvasOutput, CanvasParams, CanvasPlan, CanvasServices};
pub use cron::{
    Cron, CronAction, CronOutput, CronParams, CronService, JobView, LastRunView, RunView,
    shown_time,
};
pub use delete::{Delete, DeleteOutput, DeleteParams, DeletePlan};
pub use diagnostics::{
    Diagnostics, DiagnosticsKind, DiagnosticsOutput, DiagnosticsParams, DiagnosticsPlan,
};
pub use edit::{Edit, EditOutput, EditPair, EditParams, EditPlan, LineInsertion, MatchFact};
pub use execute::{
    BackgroundReason, ChangedFiles, Execute, ExecuteDefaults, ExecuteOutput, ExecuteParams,
    ExecutePlan, ExecuteStatus, InBackground, InSandbox, OnTimeout, OutputStyle, ShownOutput,
    StreamOutput,
};
pub use exit_plan::{ExitPlan, ExitPlanOutput, ExitPlanParams, PlanGate};
pub use find::{Find, FindOrder, FindOutput, FindParams, FindPlan, FoundFile};
pub use git_status::{GitStatus, GitStatusOutput, GitStatusParams, GitStatusPlan};
pub use grep::{Grep, GrepMode, GrepOutput, GrepParams, GrepPlan};
pub use host::{HostCallback, HostFuture, HostListener};
pub use list::{List, ListEntry, ListOutput, ListParams, ListPlan};
pub use lsp::{
    ActionFact, CallFact, ChangedFileFact, ChangesFact, FindingFact, Listed, Lsp, LspFound,
    LspOperation, LspOutput, LspParams, LspPlan, PlaceFact, Shortfall, SymbolFact,
};
pub use memory::{
    Memory, MemoryCommand, MemoryDirectory, MemoryEntry, MemoryFact, MemoryOutput, MemoryParams,
    MemoryPlan,
};
pub use message::{
    ChannelTarget, Message, MessageAction, MessageChannel, MessageOutput, MessageParams,
    MessagePart, MessagePlan, MessageService, MessageStatus, MessageTarget, SentMessages,
};
pub use notebook_edit::{
    CellType, NotebookEdit, NotebookEditMode, NotebookEditOutput, NotebookEditParams,
    NotebookEditPlan,
};
pub use outputs::{Outputs, is_address};
pub use patch::{Patch, PatchOutput, PatchParams, PatchPlan, PatchedFile};
pub use process::{
    LoggedSession, PolledSession, Process, ProcessAction, ProcessOutput, ProcessParams,
    ProcessPlan, SentInput, SentKind, SessionView,
};
pub use read::{
    FilePlan, ImageOutput, PageOrImage, PageOutput, PartPlan, Read, ReadEncoding, ReadOutput,
    ReadParams, ReadPart, ReadPlan, ShownPart, WholeOutput,
};
pub use run_tests::{
    Coverage, FailedTest, RunTests, RunTestsOutput, RunTestsParams, RunTestsPlan, TestScope,
};
pub use searching::SearchSettings;
pub use session::{EditRules, FileSession, Strictness};
pub use sessions::{
    ContextName, HistoryEntryFact, ResultFact, SendModeName, SessionFact, SessionStatus,
    SessionStatusOutput, SessionStatusParams, Sessions, SessionsHistory, SessionsHistoryOutput,
    SessionsHistoryParams, SessionsList, SessionsListOutput, SessionsListParams, SessionsSend,
    SessionsSendOutput, SessionsSendParams, SessionsSendPlan, SessionsSpawn, SessionsSpawnOutput,
    SessionsSpawnParams, StoppedFact, Subagents, SubagentsAction, SubagentsOutput, SubagentsParams,
    WaitModeName,
};
pub use shell_word::file_word;
pub use skill::{
    ListedSkills, LoadedSkill, Skill, SkillAction, SkillDirectories, SkillDirectory, SkillFact,
    SkillOutput, SkillParams, SkillPlan,
};
pub use task::{Task, TaskOutput, TaskParams};
pub use tenon_edit::shown_name;
pub use todo::{
    ONE_IN_PROGRESS, TodoOutput, TodoRead, TodoReadParams, TodoWrite, TodoWriteParams,
    further_in_progress,
};
pub use visible::KeptBack;
pub use wait_for::WaitFor;
pub use web_fetch::{
    FetchedImage, FetchedPage, PageFormat, Summariser, WebFetch, WebFetchOutput, WebFetchParams,
    WebFetchPlan,
};
pub use web_request::{WebRequest, WebRequestOutput, WebRequestParams, WebRequestPlan};
pub use web_search::{WebSearch, WebSearchOutput, WebSearchParams, WebSearchPlan};
pub use write::{Write, WriteOutput, WriteParams, WritePlan};
