//! Every numeric limit and default of the product, in one table, with the unit in the name.

use std::time::Duration;

/// Time limit of every call that does not bring its own.
pub const CALL_TIMEOUT: Duration = Duration::from_millis(120_000);
/// Shortest time between two updates of one call: at most 20 a second.
pub const UPDATE_INTERVAL: Duration = Duration::from_millis(50);

/// Most lines that a text answer shows (the de-facto standard of pi).
pub const TEXT_MAX_LINES: usize = 2000;
/// Most bytes that a text answer shows.
pub const TEXT_MAX_BYTES: usize = 50 * 1024;
/// Last line of defence for every answer, custom tools included: bytes of all text parts together.
pub const ANSWER_MAX_BYTES: usize = 1024 * 1024;
/// The same for the message of an error.
pub const ERROR_MAX_BYTES: usize = 16 * 1024;

/// Most directories of workspaces that a process holds open at once. Further ones are opened when they are used again.
pub const ROOTS_HELD: usize = 8;
/// How long the record of a change that a crash left half done is kept when nothing of it is there any more.
pub const RECORD_OF_NOTHING_KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Longest single line that a read shows before it is cut with a mark, in bytes.
pub const READ_LINE_MAX_BYTES: usize = 50 * 1024;
/// Largest file that is read on the thread that asks for it, if it is in memory, in bytes.
pub const READ_AT_ONCE_MAX_BYTES: u64 = 128 * 1024;
/// Most files that one call reads.
pub const READ_FILES_MAX: usize = 20;
/// Largest file that is answered whole, in bytes.
pub const READ_WHOLE_MAX_BYTES: u64 = 10 * 1024 * 1024;
/// Largest document (notebook, PDF) that is read, in bytes.
pub const READ_DOCUMENT_MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Most codings around one stream of a PDF document that are followed.
pub const PDF_CODINGS_MAX: usize = 6;
/// Most bytes that one stream of a PDF document may unfold to.
pub const PDF_STREAM_MAX_BYTES: u64 = 128 * 1024 * 1024;
/// Most bytes that all streams of a PDF document may unfold to.
pub const PDF_STREAMS_MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// Most bytes of text that are taken out of a PDF document.
pub const PDF_TEXT_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Most letters that are taken from one page of a PDF document.
pub const PDF_PAGE_MAX_GLYPHS: usize = 200_000;
/// How long a PDF document is read before its remaining pages are left out.
pub const PDF_TIME: Duration = Duration::from_millis(20_000);
/// Largest image file that is read, in bytes.
pub const READ_IMAGE_MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Most pixels of an image that is decoded.
pub const IMAGE_MAX_PIXELS: u64 = 100_000_000;
/// Most bytes that decoding an image may take at once.
pub const IMAGE_DECODE_MAX_BYTES: u64 = 512 * 1024 * 1024;
/// Longest side of an image that a model is shown, in pixels. Larger ones make whole requests fail.
pub const IMAGE_MAX_SIDE: u32 = 2000;
/// Most bytes of an image that a model is shown, as base64.
pub const IMAGE_MAX_BASE64_BYTES: usize = 4_718_592;
/// Largest file that is edited in memory, in bytes.
pub const EDIT_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Largest text whose syntax is looked at when it is changed, in bytes.
pub const SYNTAX_MAX_BYTES: usize = 512 * 1024;
/// Longest time that one call looks at the syntax of the files it changes.
pub const SYNTAX_MAX_TIME: Duration = Duration::from_millis(250);
/// Most bytes of a diff in the details of a call; a longer one is cut behind a line, and says so.
pub const DIFF_MAX_BYTES: usize = 1024 * 1024;
/// Most lines of a change that are looked at for placeholders.
pub const PLACEHOLDER_MAX_LINES: usize = 500_000;
/// Most bytes of the diff that a user is shown with a question for approval.
pub const PREVIEW_DIFF_MAX_BYTES: usize = 64 * 1024;
/// How often one call is asked about before it is refused, when its files change each time in between.
pub const APPROVAL_MAX_ROUNDS: usize = 3;
/// Lines of context around a change in a unified diff.
pub const DIFF_CONTEXT_LINES: usize = 3;

/// How long a call waits for other processes that change the same file.
pub const PROCESS_LOCK_WAIT: Duration = Duration::from_millis(30_000);
/// How long the opening of a workspace waits for calls that use files which a recovery concerns.
pub const RECOVERY_LOCK_WAIT: Duration = Duration::from_millis(2_000);
/// Largest file whose content a session remembers by its hash, in bytes; a larger one by size and time.
pub const LEDGER_HASH_MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Largest file whose lines are shown with anchors, in bytes: it is read as a whole for them.
pub const ANCHORED_MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Most files whose anchors a session remembers.
pub const ANCHORED_FILES_MAX: usize = 64;
/// Largest text that a session remembers as a whole, in bytes.
pub const LEDGER_TEXT_MAX_BYTES: usize = 512 * 1024;
/// Most bytes of all texts that a session remembers.
pub const LEDGER_TEXTS_MAX_BYTES: usize = 16 * 1024 * 1024;
/// Most files that a session remembers.
pub const LEDGER_MAX_FILES: usize = 4_096;
/// Most bytes of the present text of a place that an error shows.
pub const FRESH_REGION_MAX_BYTES: usize = 8 * 1024;
/// Most bytes of old content that are kept for the checkpoints of one session.
pub const JOURNAL_MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// Calls of a toolkit of which a repetition under the same id is known.
pub const REPEATS_MAX_CALLS: usize = 1_000;
/// Bytes of results that are kept for repeated calls; beyond, the oldest are not.
pub const REPEATS_MAX_BYTES: usize = 16 * 1024 * 1024;
/// How long a session with an id takes a call for one that still runs, after its process said so last.
pub const REPEATS_LEASE: Duration = Duration::from_secs(6);
/// How often a process says so.
pub const REPEATS_RENEWAL: Duration = Duration::from_secs(2);
/// How often another process that waits for the call looks.
pub const REPEATS_LOOK: Duration = Duration::from_millis(100);
/// How long a session with an id knows that a call was made.
pub const REPEATS_MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Largest result that a session with an id keeps for a repeated call of another process, in bytes.
pub const REPEATS_STORED_MAX_BYTES: usize = 1024 * 1024;
/// Places that a tree of agents remembers to have read text from; of more, only that there was such a source.
pub const SOURCES_MAX: usize = 64;
/// Places that the result of one call names as its sources.
pub const SOURCES_OF_CALL_MAX: usize = 16;
/// Longest name of a place that text came from, in bytes.
pub const SOURCE_NAME_MAX_BYTES: usize = 512;
/// Changes of calls that can be undone; of more, the oldest cannot.
pub const JOURNAL_CALLS_MAX: usize = 1_000;
/// How long a change can be undone, where the host does not say.
pub const JOURNAL_MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Old content that a session keeps in its own directory beyond its process, where the host does not say, in bytes.
pub const JOURNAL_KEPT_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Old content that a session keeps in a store of the host, where the host does not say, in bytes.
pub const JOURNAL_STORED_MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The bytes of one row with old content in a store of the host, before they become text.
pub const JOURNAL_STORED_CHUNK_BYTES: usize = 256 * 1024;
/// How old content is that nothing uses before it is removed: somebody may just be keeping it.
pub const JOURNAL_COLLECT_AFTER: Duration = Duration::from_secs(10 * 60);
/// Largest file of which `diff` returns lines, in bytes.
pub const JOURNAL_DIFF_FILE_MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Most bytes of the diff of one file that `diff` returns.
pub const JOURNAL_DIFF_MAX_BYTES: usize = 256 * 1024;
/// Checkpoints of a session; of more, the oldest expires.
pub const JOURNAL_CHECKPOINTS_MAX: usize = 1_000;
/// Runs of sub-agents whose changes can be taken back; of more, the oldest cannot.
pub const JOURNAL_RUNS_MAX: usize = 100;

/// Default number of entries of a directory listing.
pub const LIST_DEFAULT_ENTRIES: usize = 500;
/// Default number of paths that a file search answers.
pub const FIND_DEFAULT_PATHS: usize = 1000;
/// Default number of matches that a content search answers in the `agent` dialect.
pub const GREP_DEFAULT_MATCHES: usize = 100;
/// Most matches, paths or entries of one answer, whatever was asked for: each of them is an object for JavaScript.
pub const RESULTS_MAX: usize = 50_000;
/// Most files and directories of one path in the memory, which are moved or deleted together or not at all.
pub const MEMORY_FILES_MAX: usize = 10_000;
/// Longest file of the memory: notes, which are read as a whole.
pub const MEMORY_FILE_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Most places of one edit that are reported.
pub const EDIT_PLACES_MAX: usize = 1_000;
/// Longest JSON of the details of one answer, in bytes. JavaScript takes no text of 512 MiB.
pub const DETAILS_MAX_BYTES: usize = 128 * 1024 * 1024;
/// Longest line of a content search before it is cut, in characters.
pub const GREP_LINE_MAX_CHARACTERS: usize = 500;
/// How long a search without a result may look for the reason, at most. In all it is a [part](SEARCH_EXPLAIN_PART) of
/// what the search itself took, but at least [`SEARCH_EXPLAIN_LEAST`], or in a small tree [`SEARCH_EXPLAIN_SMALL_LEAST`].
pub const SEARCH_EXPLAIN_BUDGET: Duration = Duration::from_millis(250);
/// One part in so many of the time of a search is what the look for a reason may take.
pub const SEARCH_EXPLAIN_PART: u32 = 34;
/// How long a search without a result may look for the reason, however quick it was: nobody notices that.
pub const SEARCH_EXPLAIN_LEAST: Duration = Duration::from_micros(300);
/// The same in a tree of at most [`SEARCH_EXPLAIN_SMALL_FILES`], which are soon looked at.
pub const SEARCH_EXPLAIN_SMALL_LEAST: Duration = Duration::from_millis(20);
/// Files of a small tree.
pub const SEARCH_EXPLAIN_SMALL_FILES: u64 = 50;
/// How long before its time limit, at most, a search ends and answers what it has.
pub const SEARCH_ANSWER_RESERVE: Duration = Duration::from_millis(1_000);
/// How long it may take to look how the files stand before a command, and again after it.
pub const EXECUTE_CHANGES_BUDGET: Duration = Duration::from_secs(2);
/// Files that are looked at for that.
pub const EXECUTE_CHANGES_FILES_MAX: usize = 100_000;
/// Files of which there are copies before a command, so that what it does can be taken back.
pub const EXECUTE_COPIES_FILES_MAX: usize = 50_000;
/// Most bytes of all these copies.
pub const EXECUTE_COPIES_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Largest file of which there is a copy, in bytes.
pub const EXECUTE_COPIES_FILE_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How long it may take before one command to copy what has no copy yet.
pub const EXECUTE_COPIES_BUDGET: Duration = Duration::from_secs(2);
/// A file that was changed so shortly before it was looked at may be changed again without its times showing it.
pub const EXECUTE_COPIES_RACY: Duration = Duration::from_millis(50);
/// Changed files that an answer names.
pub const EXECUTE_CHANGES_NAMED_MAX: usize = 50;
/// Largest file that a content search looks into, in bytes.
pub const GREP_FILE_MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Bytes of command output that an answer keeps from its start and its end together.
pub const EXECUTE_OUTPUT_MAX_BYTES: usize = 50 * 1024;
/// Tokens of command output that a result shows.
pub const EXECUTE_OUTPUT_MAX_TOKENS: usize = 10_000;
/// Longest output of which the lines to show are chosen from all of it; of longer ones only both ends are looked at.
pub const CONDENSE_MAX_BYTES: u64 = 8 * 1024 * 1024;
/// Fewest tokens that a budget of a result can be.
pub const BUDGET_MIN_TOKENS: usize = 200;
/// Most bytes of one command's output that are kept on disk.
pub const EXECUTE_SPILL_MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// Most whole outputs of commands that can be opened by their address; older ones can not be any more.
pub const OUTPUTS_MAX: usize = 1000;
/// Time between the polite and the final signal to a process group.
pub const EXECUTE_KILL_GRACE: Duration = Duration::from_millis(2_000);
/// How long output is awaited after the shell has ended while something still holds its pipes.
pub const EXECUTE_DRAIN: Duration = Duration::from_millis(100);
/// Longest time limit that a command may be given, in milliseconds.
pub const EXECUTE_TIMEOUT_MAX_MS: u64 = 2_147_483_000;
/// Longest command text that fits in one argument (Linux `MAX_ARG_STRLEN`, 128 KiB with its NUL).
pub const EXECUTE_ARGUMENT_MAX_BYTES: usize = 128 * 1024 - 1;

/// Bytes of the output of a run of tests that are kept to read its report from.
pub const TESTS_OUTPUT_MAX_BYTES: usize = 16 * 1024 * 1024;
/// Failed tests that an answer names.
pub const TESTS_FAILED_NAMED_MAX: usize = 100;
/// Longest account of one failed test, in bytes.
pub const TESTS_ERROR_MAX_BYTES: usize = 4 * 1024;
/// Bytes of output that are shown while tests run, and where they could not be run.
pub const TESTS_SHOWN_MAX_BYTES: usize = 8 * 1024;
/// Largest file, in bytes, that is looked into to find out how a project is tested.
pub const TESTS_MANIFEST_MAX_BYTES: u64 = 1024 * 1024;
/// Entries of a directory that are looked at for that.
pub const TESTS_DIRECTORY_MAX_ENTRIES: usize = 2_000;
/// How long between two looks for changed files while tests are watched.
pub const TESTS_WATCH_INTERVAL: Duration = Duration::from_millis(500);

/// Most commands of a toolkit that run in the background at the same time.
pub const SESSIONS_MAX_RUNNING: usize = 64;
/// Most background commands that are remembered after their end.
pub const SESSIONS_MAX_FINISHED: usize = 50;
/// How long a background command is remembered after its end.
pub const SESSION_KEEP_FINISHED: Duration = Duration::from_secs(30 * 60);
/// How long an ending of a background command is awaited: its grace, the killing, the last output.
pub const SESSION_END_PATIENCE: Duration = Duration::from_secs(10);
/// How long a write to a command waits for it to read.
pub const SESSION_WRITE_PATIENCE: Duration = Duration::from_secs(5);
/// Silence after which a command that could read seems to wait for input.
pub const SESSION_INPUT_IDLE: Duration = Duration::from_secs(15);
/// The same after something that looks like a prompt.
pub const SESSION_PROMPT_IDLE: Duration = Duration::from_secs(1);
/// Lines of output that a log answers when nothing else is asked.
pub const SESSION_LOG_DEFAULT_LINES: u64 = 200;
/// Most lines of output that a log answers.
pub const SESSION_LOG_MAX_LINES: u64 = 2_000;
/// Most bytes of output that a log answers.
pub const SESSION_LOG_MAX_BYTES: usize = 50 * 1024;
/// How long it is waited for a command to be ready when nothing else is said.
pub const SESSION_READY_PATIENCE: Duration = Duration::from_secs(30);
/// Longest time that a call may wait for a background command, in milliseconds.
pub const SESSION_WAIT_MAX_MS: u64 = 3_600_000;

/// Lines of the terminal of a command that asks for one and names no size.
pub const TERMINAL_ROWS: u16 = 30;
/// Characters on a line of such a terminal.
pub const TERMINAL_COLUMNS: u16 = 120;
/// Most lines of a terminal.
pub const TERMINAL_ROWS_MAX: u16 = 500;
/// Most characters on a line of a terminal.
pub const TERMINAL_COLUMNS_MAX: u16 = 1000;

/// Most bytes that git may write of the state of a repository.
pub const GIT_OUTPUT_MAX_BYTES: usize = 8 * 1024 * 1024;

/// Most bytes of a text in an event of the stream.
pub const EVENT_TEXT_MAX_BYTES: usize = 2 * 1024;
/// Most characters of details and of previews in an event of the stream.
pub const EVENT_VALUE_MAX_CHARACTERS: usize = 8_000;
/// Size at which the file of `record` is renamed, where the host does not say, in bytes.
pub const RECORD_MAX_BYTES: u64 = 10 * 1024 * 1024;
/// Longest time of one hook, where the host does not say.
pub const HOOK_TIMEOUT: Duration = Duration::from_secs(60);
/// Most output of the command of a hook that is read, in bytes.
pub const HOOK_OUTPUT_MAX_BYTES: usize = 1024 * 1024;
/// Most characters of parameters that the history keeps of one call.
pub const HISTORY_PARAMS_MAX_CHARACTERS: usize = 2_000;
/// Most calls that the history keeps.
pub const HISTORY_MAX_CALLS: usize = 1_000;
/// Deepest nesting of arrays and objects in parameters.
pub const PARAMS_MAX_DEPTH: usize = 64;
/// Largest parameters of one call, in bytes of JSON.
pub const PARAMS_MAX_BYTES: usize = 256 * 1024 * 1024;

/// Longest web address that is asked, in bytes.
pub const WEB_URL_MAX_BYTES: usize = 16 * 1024;

/// Largest message that is taken from a language server, in bytes.
pub const LSP_MESSAGE_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Most bytes that wait for a language server to read them before it is given up.
pub const LSP_QUEUE_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Largest file that is opened in a language server, in bytes.
pub const LSP_DOCUMENT_MAX_BYTES: u64 = 8 * 1024 * 1024;
/// Most files that are open in one language server at a time; the one that was asked about longest ago is closed.
pub const LSP_OPEN_DOCUMENTS_MAX: usize = 48;
/// How long a language server may take to answer `initialize` before it is killed.
pub const LSP_START_TIMEOUT: Duration = Duration::from_millis(45_000);
/// How long one call waits for a language server that starts, and for the answer to a simple question: hovers,
/// definitions, symbols.
pub const LSP_ANSWER_TIMEOUT: Duration = Duration::from_millis(20_000);
/// How long a language server may take to answer any other request.
pub const LSP_REQUEST_TIMEOUT: Duration = Duration::from_millis(30_000);
/// How long a question about the whole project waits for the language server to know it.
pub const LSP_READY_TIMEOUT: Duration = Duration::from_millis(30_000);
/// Longest hover text, in bytes.
pub const LSP_HOVER_MAX_BYTES: usize = 16 * 1024;
/// How long a language server may take to read files that changed before its answer counts as incomplete.
pub const LSP_CATCH_UP_TIMEOUT: Duration = Duration::from_millis(5_000);
/// How long the diagnostics of a file are awaited.
pub const LSP_DIAGNOSTICS_TIMEOUT: Duration = Duration::from_millis(10_000);
/// How long a call that changes a file waits for its diagnostics, before and again behind the change, where the host
/// wants to know what the change did to them and says nothing else.
pub const LSP_AFTER_EDIT_TIMEOUT: Duration = Duration::from_millis(2_500);
/// Most files of one call whose diagnostics are compared.
pub const LSP_AFTER_EDIT_FILES_MAX: usize = 4;
/// Most other files that name the changed ones and whose diagnostics are compared as well.
pub const LSP_AFTER_EDIT_DEPENDENTS_MAX: usize = 6;
/// How long is looked for them.
pub const LSP_AFTER_EDIT_SEARCH: Duration = Duration::from_millis(300);
/// Most findings of one file that are reported as new, and as many as gone.
pub const LSP_AFTER_EDIT_FINDINGS_MAX: usize = 20;
/// Time for `shutdown`, `exit`, and the end of a language server together, before it is killed.
pub const LSP_SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(2_000);
/// A language server that was asked nothing for this long is ended.
pub const LSP_IDLE_TIMEOUT: Duration = Duration::from_millis(600_000);
/// Most starts of one language server within [`LSP_START_WINDOW`].
pub const LSP_STARTS_MAX: usize = 4;
/// The time over which starts are counted.
pub const LSP_START_WINDOW: Duration = Duration::from_millis(180_000);
/// Bytes of a language server's standard error that are kept.
pub const LSP_STDERR_MAX_BYTES: usize = 16 * 1024;
/// Most places, symbols or diagnostics of one answer of a language server; the rest is counted.
pub const LSP_RESULTS_MAX: usize = 100;
/// Most lines of source that are shown around a definition.
pub const LSP_EXCERPT_MAX_LINES: usize = 40;
/// Longest line of source that stands beside a place, in characters.
pub const LSP_LINE_MAX_CHARACTERS: usize = 300;
/// Time limit of one fetch, its redirects included; a user's answer to a question does not count.
pub const WEB_TIMEOUT: Duration = Duration::from_millis(30_000);
/// Longest time that a connection may take to be made.
pub const WEB_CONNECT_TIMEOUT: Duration = Duration::from_millis(10_000);
/// Most bytes of one body, on the wire and with its codings undone.
pub const WEB_BODY_MAX_BYTES: usize = 5 * 1024 * 1024;
/// Most bytes of all headers of one answer.
pub const WEB_HEADERS_MAX_BYTES: usize = 64 * 1024;
/// Most headers of one answer.
pub const WEB_HEADERS_MAX: usize = 256;
/// Most redirects that one fetch follows.
pub const WEB_REDIRECTS_MAX: usize = 5;
/// Most content codings of one body.
pub const WEB_CODINGS_MAX: usize = 4;
/// Most bytes that pass between two content codings of one body.
pub const WEB_CODING_STEP_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Largest window of a Zstandard frame, in bytes (RFC 9659).
pub const WEB_ZSTD_WINDOW_MAX_BYTES: u64 = 8 * 1024 * 1024;
/// How long a fetched page is answered from memory.
pub const WEB_CACHE_TTL: Duration = Duration::from_secs(15 * 60);
/// Most bytes of pages that a toolkit keeps.
pub const WEB_CACHE_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Most pages that a toolkit keeps.
pub const WEB_CACHE_MAX_PAGES: usize = 256;
/// Deepest nesting of elements that is kept of a page; what is below keeps its text.
pub const WEB_HTML_MAX_DEPTH: usize = 256;
/// Most nodes of the tree of a page.
pub const WEB_HTML_MAX_NODES: usize = 1_000_000;
/// Longest time that the parser of a page may take; what came until then counts.
pub const WEB_PARSE_TIME: Duration = Duration::from_millis(5_000);
/// Letters times depth up to which the article of a page is looked for; beyond, the whole page is taken.
pub const WEB_EXTRACT_MAX_WORK: usize = 200_000_000;
/// Time limit of one search, all attempts together.
pub const WEB_SEARCH_TIMEOUT: Duration = Duration::from_millis(15_000);
/// How often a provider is asked at most for one page of results.
pub const WEB_SEARCH_ATTEMPTS: u32 = 3;
/// The pause after the first attempt that failed; it doubles.
pub const WEB_SEARCH_FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Largest answer of a provider, in bytes.
pub const WEB_SEARCH_BODY_MAX_BYTES: usize = 2 * 1024 * 1024;
/// Default number of search results.
pub const WEB_SEARCH_DEFAULT_RESULTS: usize = 5;
/// Longest search query, in characters; search providers take no more.
pub const WEB_SEARCH_QUERY_MAX_CHARACTERS: usize = 400;
/// Most search results.
pub const WEB_SEARCH_MAX_RESULTS: usize = 20;
/// Characters of a page that one call answers by default.
pub const WEB_FETCH_DEFAULT_CHARACTERS: usize = 20_000;
/// Most characters of a page that one call answers.
pub const WEB_FETCH_MAX_CHARACTERS: usize = 200_000;
/// Most characters of the passages that answer a question.
pub const WEB_PASSAGES_MAX_CHARACTERS: usize = 8_000;
/// Most characters of the body of a failed request that an error shows.
pub const WEB_ERROR_MAX_CHARACTERS: usize = 1_000;
/// Largest body of a request, in bytes.
pub const WEB_REQUEST_BODY_MAX_BYTES: usize = 10 * 1024 * 1024;

/// Most named sessions that are kept in memory, those of agents included; the one that was used longest ago is forgotten
/// first, as a whole.
pub const STORE_MAX_SESSIONS: usize = 4_096;
/// Most bytes that all named sessions keep in memory.
pub const STORE_MEMORY_MAX_BYTES: usize = 256 * 1024 * 1024;
/// Most rows of the agents of named sessions that are kept in memory: some three for each run.
pub const STORE_MEMORY_AGENT_ROWS: usize = 10_000;
/// How often a row is read and written again when others change it in between.
pub const STORE_SWAP_ATTEMPTS: usize = 20;
/// How long a store of the host may take to answer.
pub const STORE_HOST_TIMEOUT: Duration = Duration::from_millis(10_000);
/// How long a toolkit that closes waits for its history to be stored.
pub const STORE_CLOSE_PATIENCE: Duration = Duration::from_millis(5_000);
/// Longest name in a store (space, key, log, id of an entry), in bytes.
pub const STORE_NAME_MAX_BYTES: usize = 512;
/// Largest value in a store, in bytes of JSON.
pub const STORE_VALUE_MAX_BYTES: usize = 16 * 1024 * 1024;
/// Most operations of one commit, and most keys of one `get`.
pub const STORE_OPERATIONS_MAX: usize = 1_000;
/// Most rows of one page of a scan, whatever was asked for.
pub const STORE_PAGE_MAX_ROWS: usize = 1_000;
/// Most bytes of one page of a scan; the first row is always in it.
pub const STORE_PAGE_MAX_BYTES: usize = 32 * 1024 * 1024;
/// How long a store waits for another process that writes.
pub const STORE_BUSY_TIMEOUT: Duration = Duration::from_millis(5_000);
/// How long appends are collected for one transaction while more of them are queued.
pub const STORE_BATCH_TIME: Duration = Duration::from_millis(50);
/// How often a watched store looks for changes of other processes.
pub const STORE_WATCH_INTERVAL: Duration = Duration::from_millis(1_000);
/// How far the clock that a store remembers may be ahead of the system's; beyond, the remembered one was wrong.
pub const STORE_CLOCK_MAX_AHEAD: Duration = Duration::from_secs(24 * 60 * 60);
/// Most entries of the history of one session.
pub const STORE_HISTORY_MAX_ENTRIES: u64 = 10_000;
/// How long an entry of a log is kept.
pub const STORE_LOG_MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How many commits pass between two looks for what is too old.
pub const STORE_RETENTION_INTERVAL: u64 = 500;
/// Most hits of one search in a store.
pub const STORE_HITS_MAX: usize = 100;
/// Most words of a search in a store that count.
pub const STORE_SEARCH_MAX_WORDS: usize = 32;
/// Entries that a search looks through, newest first, for words too short for the index.
pub const STORE_SEARCH_SCAN_MAX: usize = 10_000;
/// Entries that are taken into the search index in one transaction.
pub const STORE_INDEX_BATCH: usize = 500;
/// Longest excerpt of a hit, in characters.
pub const STORE_SNIPPET_MAX_CHARACTERS: usize = 200;
/// Most entries of a task list.
pub const TODOS_MAX: usize = 500;
/// Largest `SKILL.md` that is read, in bytes.
pub const SKILL_MAX_BYTES: u64 = 1024 * 1024;
/// Largest front matter of a skill, in bytes.
pub const SKILL_HEAD_MAX_BYTES: usize = 64 * 1024;
/// Longest name of a skill, in characters (the Agent Skills format).
pub const SKILL_NAME_MAX_CHARACTERS: usize = 64;
/// Longest description of a skill that is reported, in characters (the Agent Skills format).
pub const SKILL_DESCRIPTION_MAX_CHARACTERS: usize = 1024;
/// Most entries of one directory of skills that are looked at.
pub const SKILL_DIRECTORY_MAX_ENTRIES: usize = 500;
/// Longest answer of a user to one question, in characters.
pub const ANSWER_MAX_CHARACTERS: usize = 20_000;
/// Sub-agents of one tree that run at a time, unless the host sets another number.
pub const AGENTS_MAX_CONCURRENT: usize = 4;
/// How deep sub-agents may start further ones, unless the host sets another number.
pub const AGENTS_MAX_DEPTH: usize = 2;
/// Sub-agents of one tree that run or wait to run, unless the host sets another number.
pub const AGENTS_MAX_TOTAL: usize = 100;
/// How often the lease of a run is renewed.
pub const AGENT_LEASE_RENEWAL: Duration = Duration::from_millis(10_000);
/// How long a lease holds without being renewed.
pub const AGENT_LEASE_TIME: Duration = Duration::from_millis(30_000);
/// The same of runs and jobs whose rows the host keeps in JavaScript: a host that blocks its event loop for a minute renews
/// nothing meanwhile, and still runs.
pub const HOST_STORE_LEASE_TIME: Duration = Duration::from_millis(150_000);
/// How long an agent whose time is over may take to end.
pub const AGENT_GRACE: Duration = Duration::from_millis(5_000);
/// How often a tree is read again by runs that wait for those of another process.
pub const AGENT_POLL_INTERVAL: Duration = Duration::from_millis(1_000);
/// How often calls of a session that outlives its process look for what other processes have put into its mailbox.
pub const AGENT_MAIL_INTERVAL: Duration = Duration::from_millis(1_000);
/// How long an unread result stays unread.
pub const AGENT_UNREAD_MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How long sessions, runs and results are kept.
pub const AGENT_RESULT_MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Longest wait of a call for other agents.
pub const AGENT_WAIT_MAX: Duration = Duration::from_secs(600);
/// How often the row of a tree is written again when others change it in between.
pub const AGENT_SWAP_ATTEMPTS: usize = 200;
/// Most sessions of a workspace that one call reads.
pub const AGENT_SESSIONS_SCAN_MAX: usize = 20_000;
/// Largest result of an agent that is stored whole, in bytes.
pub const AGENT_RESULT_MAX_BYTES: usize = 12 * 1024 * 1024;
/// Largest state that an agent hands to its next run, in bytes of JSON.
pub const AGENT_STATE_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Most bytes of a message that a notice repeats.
pub const AGENT_NOTICE_MESSAGE_MAX_BYTES: usize = 2_000;
/// Longest part of one message in a history of a session, in characters.
pub const AGENT_HISTORY_TEXT_MAX_CHARACTERS: usize = 4_000;
/// Most bytes of the history of a session that one call returns.
pub const AGENT_HISTORY_MAX_BYTES: usize = 80 * 1024;
/// Most bytes of a list of sessions that one call returns.
pub const AGENT_LIST_MAX_BYTES: usize = 64 * 1024;
/// Most bytes of a sub-agent's summary; the rest is cut with a mark.
pub const AGENT_SUMMARY_MAX_BYTES: usize = 50 * 1024;

/// How long a browser may take to start.
pub const BROWSER_START_TIMEOUT: Duration = Duration::from_millis(20_000);
/// How long a browser has to end by itself when it is closed, before it is killed.
pub const BROWSER_CLOSE_TIMEOUT: Duration = Duration::from_millis(1_500);
/// How long one command to a browser may take that waits for nothing of the page.
pub const BROWSER_COMMAND_TIMEOUT: Duration = Duration::from_millis(15_000);
/// A browser in which nothing was done for this long is ended.
pub const BROWSER_IDLE_TIMEOUT: Duration = Duration::from_millis(300_000);
/// Largest message that is taken from a browser, in bytes; a larger one is skipped.
pub const BROWSER_MESSAGE_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of a browser's standard error that are kept.
pub const BROWSER_STDERR_MAX_BYTES: usize = 16 * 1024;
/// Most tabs of a session of a browser.
pub const BROWSER_TABS_MAX: usize = 10;
/// Most frames of a tab that are looked into.
pub const BROWSER_FRAMES_MAX: usize = 50;
/// Time limit of one navigation, unless the call gives another.
pub const BROWSER_NAVIGATION_TIMEOUT: Duration = Duration::from_millis(20_000);
/// Longest time limit of one navigation.
pub const BROWSER_NAVIGATION_TIMEOUT_MAX: Duration = Duration::from_millis(120_000);
/// Time limit of one action on a page, unless the call gives another.
pub const BROWSER_ACTION_TIMEOUT: Duration = Duration::from_millis(8_000);
/// Longest time limit of one action on a page.
pub const BROWSER_ACTION_TIMEOUT_MAX: Duration = Duration::from_millis(60_000);
/// Longest time that is waited for a text or an address.
pub const BROWSER_WAIT_MAX: Duration = Duration::from_millis(30_000);
/// How long a question of a page (`confirm`, `prompt`) stays open before it is dismissed.
pub const BROWSER_DIALOG_PATIENCE: Duration = Duration::from_millis(30_000);
/// Characters of a snapshot of a page when nothing else is asked.
pub const BROWSER_SNAPSHOT_DEFAULT_CHARACTERS: usize = 12_000;
/// Most characters of a snapshot of a page.
pub const BROWSER_SNAPSHOT_MAX_CHARACTERS: usize = 80_000;
/// Most characters of folded rows or options that are searched for words.
pub const BROWSER_SEARCH_MAX_CHARACTERS: usize = 2_000_000;
/// Most characters of what changed on a page after an action.
pub const BROWSER_DELTA_MAX_CHARACTERS: usize = 4_000;
/// Characters of the text of a page when nothing else is asked.
pub const BROWSER_TEXT_DEFAULT_CHARACTERS: usize = 20_000;
/// Most elements of a session that a number leads to; the oldest are forgotten first.
pub const BROWSER_REFS_MAX: usize = 20_000;
/// Entries of the console and of the network that are kept for each tab.
pub const BROWSER_LOG_MAX_ENTRIES: usize = 500;
/// Longest text of one entry of a console, in characters.
pub const BROWSER_LOG_MAX_CHARACTERS: usize = 1_000;
/// Longest expression that is evaluated in a page, in characters.
pub const BROWSER_EXPRESSION_MAX_CHARACTERS: usize = 20_000;
/// Most characters of the value of an expression.
pub const BROWSER_VALUE_MAX_CHARACTERS: usize = 20_000;
/// Largest download, in bytes.
pub const BROWSER_DOWNLOAD_MAX_BYTES: u64 = 50 * 1024 * 1024;
/// Largest file that is uploaded, in bytes.
pub const BROWSER_UPLOAD_MAX_BYTES: u64 = 50 * 1024 * 1024;
/// Shortest time between two runs of a scheduled job.
pub const CRON_INTERVAL_MIN: Duration = Duration::from_secs(60);
/// Most scheduled jobs of a workspace.
pub const CRON_JOBS_MAX: usize = 100;
/// Runs of a scheduled job that are kept.
pub const CRON_RUNS_KEPT: u64 = 500;
/// How long the runs of a removed job are kept.
pub const CRON_REMOVED_RUNS_MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Scheduled jobs that run at once in one process; more stay due.
pub const CRON_RUNS_AT_ONCE: usize = 16;
/// The longest sleep between two looks at the clock.
pub const CRON_LOOK_INTERVAL: Duration = Duration::from_secs(60);
/// An occurrence that is later than this was missed.
pub const CRON_LATE_AFTER: Duration = Duration::from_secs(60);
/// How late a missed occurrence still counts, unless the job says otherwise.
pub const CRON_WINDOW: Duration = Duration::from_secs(3_600);
/// Missed occurrences that are run one after the other where all are wanted.
pub const CRON_CATCH_UP_MAX: usize = 20;
/// Missed occurrences that are counted one by one.
pub const CRON_MISSED_COUNTED_MAX: u64 = 10_000;
/// Time limit of a run, unless the job says otherwise.
pub const CRON_RUN_TIMEOUT: Duration = Duration::from_secs(3_600);
/// Longest time limit of a run.
pub const CRON_RUN_TIMEOUT_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a run that was stopped may take to end.
pub const CRON_STOP_PATIENCE: Duration = Duration::from_secs(5);
/// How long a run counts as running after its owner last said so.
pub const CRON_LEASE: Duration = Duration::from_secs(30);
/// How often the owner of a run says that it runs.
pub const CRON_LEASE_RENEWAL: Duration = Duration::from_secs(10);
/// How long a job waits after its first failure in a row, its second, and so on.
pub const CRON_BACK_OFF: [Duration; 5] = [
    Duration::from_secs(30),
    Duration::from_secs(60),
    Duration::from_secs(300),
    Duration::from_secs(900),
    Duration::from_secs(3_600),
];
/// Failures in a row after which a job is disabled.
pub const CRON_FAILURES_MAX: u32 = 5;
/// Longest prompt of a scheduled job, in bytes.
pub const CRON_PROMPT_MAX_BYTES: usize = 100_000;
/// Largest `data` of a scheduled job as JSON, in bytes.
pub const CRON_DATA_MAX_BYTES: usize = 64 * 1024;
/// Longest summary of a run that is kept, in bytes.
pub const CRON_SUMMARY_MAX_BYTES: usize = 16 * 1024;
/// Longest text of a schedule, in bytes.
pub const CRON_SCHEDULE_MAX_BYTES: usize = 200;
/// Longest text of a message, in characters; longer ones than a channel takes are sent in parts.
pub const MESSAGE_TEXT_MAX_CHARACTERS: usize = 100_000;
/// Most parts of a message.
pub const MESSAGE_PARTS_MAX: usize = 50;
/// Most files of a message.
pub const MESSAGE_MEDIA_MAX: usize = 10;
/// Size of all files of a message, in bytes.
pub const MESSAGE_MEDIA_MAX_BYTES: u64 = 20 * 1024 * 1024;
/// How long it is known what was sent.
pub const MESSAGE_ROWS_MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Most rows of what was sent that are kept in memory.
pub const MESSAGE_ROWS_MAX: usize = 10_000;

/// Most canvases of a session; the oldest goes when another is shown.
pub const CANVAS_MAX: usize = 32;
/// Largest HTML of a canvas, in bytes.
pub const CANVAS_HTML_MAX_BYTES: usize = 256 * 1024;
/// Largest data of a canvas, in bytes of JSON.
pub const CANVAS_DATA_MAX_BYTES: usize = 256 * 1024;
/// Longest title of a canvas, in characters.
pub const CANVAS_TITLE_MAX_CHARACTERS: usize = 120;
/// Longest name of a canvas, in characters.
pub const CANVAS_NAME_MAX_CHARACTERS: usize = 64;
/// Most parts of a canvas that is described in JSON.
pub const CANVAS_PARTS_MAX: usize = 50;
/// Most rows of one part of a canvas.
pub const CANVAS_ROWS_MAX: usize = 1_000;
/// Most columns of one part of a canvas.
pub const CANVAS_COLUMNS_MAX: usize = 30;
/// Most origins of one list of a canvas.
pub const CANVAS_ORIGINS_MAX: usize = 20;
/// Most events that a canvas may report in a second; more are dropped and counted.
pub const CANVAS_EVENTS_PER_SECOND: u32 = 10;
/// Events of a canvas that are kept; the oldest go first.
pub const CANVAS_EVENTS_KEPT: usize = 200;
/// Largest event of a canvas, in bytes of JSON.
pub const CANVAS_EVENT_MAX_BYTES: usize = 16 * 1024;
/// Connections to the pages of a toolkit at a time; more are refused.
pub const CANVAS_CONNECTIONS_MAX: usize = 128;
/// Width of a picture of a canvas, in pixels, when nothing else is asked.
pub const CANVAS_SNAPSHOT_WIDTH: u32 = 800;
/// How long a canvas may take to draw itself before its picture is taken.
pub const CANVAS_SETTLE: Duration = Duration::from_millis(400);
/// Time limit of a picture of a canvas.
pub const CANVAS_SNAPSHOT_TIMEOUT: Duration = Duration::from_millis(60_000);

/// Largest frame of a connection to an engine elsewhere, in bytes with its kind.
pub const REMOTE_FRAME_MAX_BYTES: usize = 1024 * 1024;
/// Largest message that crosses in one frame, in bytes; larger ones cross in chunks.
pub const REMOTE_INLINE_MAX_BYTES: usize = 64 * 1024;
/// Size of a chunk, in bytes.
pub const REMOTE_CHUNK_BYTES: usize = 64 * 1024;
/// How much of a message in chunks may be on its way before the other side has taken it, in bytes.
pub const REMOTE_CREDIT_BYTES: usize = 256 * 1024;
/// Largest message, in bytes.
pub const REMOTE_MESSAGE_MAX_BYTES: usize = 768 * 1024 * 1024;
/// Answers that a host has not acknowledged are kept up to this many bytes; of later ones only their failure.
pub const REMOTE_KEPT_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Calls of which an engine knows that it has answered them.
pub const REMOTE_ANSWERS_KNOWN: usize = 10_000;
/// Time between two signs of life on a connection that is quiet.
pub const REMOTE_KEEP_ALIVE: Duration = Duration::from_secs(20);
/// A connection without a sign of life for this long is closed.
pub const REMOTE_SILENCE_MAX: Duration = Duration::from_secs(60);
/// How long a connection may take to say who it is.
pub const REMOTE_HELLO_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a session of a listener outlives its connection.
pub const REMOTE_LINGER: Duration = Duration::from_secs(600);
/// How long a session outlives its connection where `tenon attach` has started the engine.
pub const REMOTE_LINGER_ATTACHED: Duration = Duration::from_secs(60);
/// Most sessions of one engine.
pub const REMOTE_SESSIONS_MAX: usize = 1_000;
/// How long `tenon attach` waits for the engine that it has started.
pub const REMOTE_START_TIMEOUT: Duration = Duration::from_secs(10);
