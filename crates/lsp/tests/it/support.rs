//! A project in a directory of its own, and the servers that the cache holds.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use tenon_lsp::{
    Address, AskError, LanguageServers, LspOptions, Query, QueryAnswer, Question, Reply, Report,
    file_path,
};
use tenon_process::{ProcessOptions, Processes};
use tenon_workspace::Workspace;
use tokio_util::sync::CancellationToken;

/// Later than a busy machine takes.
pub(crate) const SOON: Duration = Duration::from_secs(120);

/// Where `scripts/language-servers.mjs` installs.
fn cache() -> PathBuf {
    if let Some(given) = std::env::var_os("TENON_LANGUAGE_SERVERS") {
        return given.into();
    }
    let caches = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    caches.unwrap_or_default().join("tenon/language-servers")
}

/// The directory with the program of a server. Without it the test that asks is skipped, and says so.
pub(crate) fn installed(program: &str) -> Option<PathBuf> {
    let cache = cache();
    let directories = [
        "bash",
        "typescript",
        "pyright",
        "vscode",
        "yaml",
        "vtsls",
        "tsgo",
    ]
    .map(|name| cache.join(name).join("node_modules/.bin"));
    let mut found = directories
        .into_iter()
        .chain([cache.join("python/bin")])
        .find(|directory| directory.join(program).exists());
    if matches!(program, "rust-analyzer" | "gopls") {
        found = of_the_system(program);
    }
    if found.is_none() {
        println!("skipped: `{program}` is not installed; run node scripts/language-servers.mjs");
    }
    found
}

/// Where a server lies that comes with its compiler. rustup has a program of every name; what counts is that it runs.
fn of_the_system(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).find(|directory| {
        let version = match program {
            "gopls" => "version",
            _ => "--version",
        };
        let ran = std::process::Command::new(directory.join(program))
            .arg(version)
            .output();
        ran.is_ok_and(|ran| ran.status.success())
    })
}

/// A project and its servers.
pub(crate) struct Project {
    pub(crate) directory: TempDir,
    pub(crate) servers: LanguageServers,
    pub(crate) processes: Processes,
}

impl Project {
    /// The files, and only this server in `PATH` beside what every system has. `None` when it is not installed.
    pub(crate) fn with(program: &str, files: &[(&str, &str)]) -> Option<Self> {
        let bin = installed(program)?;
        let linters = installed("shellcheck").filter(|_| program.starts_with("bash"));
        let bins: Vec<&Path> = [Some(&bin), linters.as_ref()]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
            .collect();
        Some(Self::at(&bins, files, LspOptions::default()))
    }

    pub(crate) fn at(bins: &[&Path], files: &[(&str, &str)], options: LspOptions) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            write(directory.path(), name, text);
        }
        let node = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .find(|path| path.join("node").exists())
            .unwrap_or_default();
        let system = ["/usr/bin", "/bin"].map(PathBuf::from);
        let path = bins
            .iter()
            .map(|bin| bin.to_path_buf())
            .chain([node])
            .chain(system);
        let mut process_options = ProcessOptions::default();
        process_options
            .environment
            .add
            .insert("PATH".to_owned(), std::env::join_paths(path).unwrap());
        let processes = Processes::new(process_options);
        let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
        let servers = LanguageServers::new(workspace, processes.clone(), options);
        Self {
            directory,
            servers,
            processes,
        }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(self.directory.path(), name, text);
    }

    pub(crate) fn question(&self, name: &str, place: (u32, u32), query: Query) -> Question {
        Question {
            file: self.servers.workspace().locate(name).unwrap(),
            address: Address {
                line: Some(place.0),
                character: Some(place.1),
                symbol: None,
                place: None,
            },
            query,
        }
    }

    pub(crate) async fn try_ask(
        &self,
        name: &str,
        place: (u32, u32),
        query: Query,
    ) -> Result<Reply, AskError> {
        let question = self.question(name, place, query);
        tokio::time::timeout(SOON, self.servers.ask(&question, &CancellationToken::new()))
            .await
            .unwrap()
    }

    /// Asks, and reports the answer in short: places as `file:line:character`, from 1 and in UTF-16.
    pub(crate) async fn ask(&self, name: &str, place: (u32, u32), query: Query) -> Vec<String> {
        let reply = self.try_ask(name, place, query).await.unwrap();
        self.reported(&reply)
    }

    pub(crate) fn reported(&self, reply: &Reply) -> Vec<String> {
        let mut reported = Vec::new();
        match &reply.answer {
            QueryAnswer::Places(places) => {
                for place in places {
                    reported.push(self.place(reply, &place.uri, place.span.start));
                }
            }
            QueryAnswer::Hover(text) => reported.push(text.clone()),
            QueryAnswer::Symbols(symbols) => symbols
                .iter()
                .for_each(|symbol| self.symbol(reply, symbol, "", &mut reported)),
            QueryAnswer::Items(items) => {
                for item in items {
                    let uri = item.symbol.uri.as_ref().unwrap();
                    reported.push(format!(
                        "{} {}",
                        item.symbol.name,
                        self.place(reply, uri, item.symbol.selection.start)
                    ));
                }
            }
        }
        if !matches!(reply.answer, QueryAnswer::Symbols(_)) {
            reported.sort();
        }
        reported
    }

    fn symbol(
        &self,
        reply: &Reply,
        symbol: &tenon_lsp::RawSymbol,
        indent: &str,
        reported: &mut Vec<String>,
    ) {
        let uri = symbol
            .uri
            .clone()
            .unwrap_or_else(|| reply.document.uri.clone());
        let place = self.place(reply, &uri, symbol.selection.start);
        reported.push(format!("{indent}{} {} {place}", symbol.kind, symbol.name));
        for child in &symbol.children {
            self.symbol(reply, child, &format!("{indent} "), reported);
        }
    }

    fn place(&self, reply: &Reply, uri: &str, start: tenon_lsp::Position) -> String {
        let path = file_path(uri).unwrap();
        let name = match self.servers.workspace().name_of(&path) {
            Some(name) => name,
            None => return format!("outside:{}", path.file_name().unwrap().to_string_lossy()),
        };
        let text = tenon_lsp::LineText::new(fs::read_to_string(&path).unwrap());
        let start = text.position(
            text.offset(start, reply.encoding),
            tenon_lsp::Encoding::Utf16,
        );
        format!("{name}:{}:{}", start.line + 1, start.character + 1)
    }

    pub(crate) async fn report(&self, name: &str) -> Report {
        let file = self.servers.workspace().locate(name).unwrap();
        let never = CancellationToken::new();
        tokio::time::timeout(SOON, self.servers.diagnostics(&file, &never))
            .await
            .unwrap()
            .unwrap()
    }

    /// The findings as `severity line:character message`, from 1 and in UTF-16.
    pub(crate) async fn diagnose(&self, name: &str) -> Vec<String> {
        let report = self.report(name).await;
        assert!(report.is_answered, "{report:?}");
        let reported = report.findings.iter().map(|finding| {
            let start = finding.span.start;
            format!(
                "{} {}:{} {}",
                finding.severity.as_str(),
                start.line + 1,
                start.character + 1,
                finding.message
            )
        });
        reported.collect()
    }

    /// Ends everything and looks that nothing is left.
    pub(crate) async fn close(self) {
        tokio::time::timeout(SOON, self.servers.close())
            .await
            .unwrap();
        assert_eq!(self.processes.running(), 0);
        self.processes.close().await.unwrap();
    }
}

fn write(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    // `ROOT` is the directory of the project.
    fs::write(
        path,
        text.replace(
            "ROOT",
            &directory.canonicalize().unwrap().display().to_string(),
        ),
    )
    .unwrap();
}
