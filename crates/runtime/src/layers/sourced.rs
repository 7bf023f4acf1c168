//! Notes where the text of a result comes from, and says it in the details.

use std::path::Path;
use std::sync::Arc;

use tenon_contract::{Effect, Operation, Outcome, ToolError, limits, native_path};
use tenon_policy::{Origins, Source};
use tenon_workspace::Workspace;

use crate::events::Events;
use crate::foreign::ContentSource;
use crate::judge::Judge;
use crate::service::{Call, Service};
use crate::taint::{Bringer, Origin, Taint, place_name};

pub(crate) struct Sourced<S> {
    judge: Arc<Judge>,
    events: Events,
    inner: S,
}

impl<S> Sourced<S> {
    pub(crate) fn new(judge: Arc<Judge>, events: Events, inner: S) -> Self {
        Self {
            judge,
            events,
            inner,
        }
    }
}

impl<S: Service<Call, Answer = Outcome>> Service<Call> for Sourced<S> {
    type Answer = Outcome;

    async fn call(&self, call: Call) -> Result<Outcome, ToolError> {
        let Some(taint) = self.judge.taint() else {
            return self.inner.call(call).await;
        };
        let workspace = self.judge.workspace();
        let mut collected = Collected::new(taint, workspace);
        // As the files are now: what the call itself writes it has not brought in.
        collected.before(&call, &self.judge.origins(&call));
        let (subject, record) = (call.subject(), Arc::clone(&call.record));
        let access = call.prepared.access();
        let written: Vec<_> = access
            .writes
            .iter()
            .map(|claim| claim.target.clone())
            .collect();
        let mut answer = self.inner.call(call).await;
        if !record.has_begun() {
            return answer;
        }
        collected.shown(&record.shown());
        let origins = collected.finish();
        if let Ok(outcome) = &answer {
            let changes = outcome.changes.iter();
            let changed = changes.map(|change| workspace.root().join(&change.path));
            taint.wrote(written.into_iter().chain(changed));
        }
        if origins.is_empty() {
            return answer;
        }
        // An error shows what was read, too.
        let who = Bringer {
            session: self.events.session(),
            call: Some((&subject.tool, &subject.tool_call_id)),
        };
        let new = taint.add(who, &origins).await;
        self.events.sources_added(Some(&subject), &new);
        if let Ok(outcome) = &mut answer {
            say(&origins, outcome)?;
        }
        record.come_from(origins);
        answer
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("sources");
        self.inner.describe(names);
    }
}

/// Says it in the details. What a tool itself calls so stays as it is.
fn say(origins: &[Origin], outcome: &mut Outcome) -> Result<(), ToolError> {
    if outcome.details.is_null() {
        outcome.details = serde_json::json!({ "sources": origins }).into();
    } else if outcome.details.get("sources").is_none() {
        let reported = serde_json::to_value(origins).map_err(ToolError::internal)?;
        outcome.details.insert("sources", &reported);
    }
    Ok(())
}

/// Places while they are collected, each once.
struct Collected<'t> {
    taint: &'t Taint,
    workspace: &'t Workspace,
    origins: Vec<Origin>,
}

impl<'t> Collected<'t> {
    fn new(taint: &'t Taint, workspace: &'t Workspace) -> Self {
        Self {
            taint,
            workspace,
            origins: Vec::new(),
        }
    }

    /// Where the text of a call will come from, as far as its access shows and its commands do.
    fn before(&mut self, call: &Call, commands: &Origins) {
        self.of_tool(call);
        for host in &commands.hosts {
            self.add(Source::Network, host);
        }
        let trees = commands.trees.iter().map(|path| (path, true));
        for (path, below) in commands.files.iter().map(|path| (path, false)).chain(trees) {
            self.file(&native_path(path), below);
        }
        // What a skill of the user says is the user's.
        if call.tool.operation() != Operation::Skill {
            for claim in &call.prepared.access().reads {
                self.file(&claim.target, false);
            }
        }
    }

    /// The files that the result shows.
    fn shown(&mut self, files: &[String]) {
        for file in files {
            self.file(&self.workspace.root().join(file), false);
        }
    }

    fn finish(self) -> Vec<Origin> {
        self.origins
    }

    /// What the tool itself says.
    fn of_tool(&mut self, call: &Call) {
        let (tool, access) = (&call.tool, call.prepared.access());
        let named = || {
            let server = call.wire.get("server").and_then(serde_json::Value::as_str);
            server.unwrap_or_else(|| tool.name()).to_owned()
        };
        if let Some(rest) = tool.rule_name().strip_prefix("mcp__") {
            let server = rest.split_once("__").map_or(rest, |(server, _)| server);
            self.add(Source::Mcp, server);
            return;
        }
        let effects = [call.prepared.effect(), tool.operation().effect()];
        match tool.content_source() {
            Some(ContentSource::Mcp) => return self.add(Source::Mcp, &named()),
            Some(ContentSource::Network) => {}
            None if effects.contains(&Effect::Network) => {}
            None => {
                // A skill of a server has the name of the server in front.
                let skills = access.names.iter().filter_map(|name| name.split_once(':'));
                if tool.operation() == Operation::Skill {
                    for (server, _) in skills {
                        self.add(Source::Mcp, server);
                    }
                }
                return;
            }
        }
        if access.hosts.is_empty() {
            self.add(Source::Network, tool.name());
        }
        for host in &access.hosts {
            self.add(Source::Network, &host.host);
        }
    }

    fn file(&mut self, path: &Path, below: bool) {
        if self.taint.lacks(path, below) {
            let name = path.strip_prefix(self.workspace.root()).unwrap_or(path);
            self.add(Source::Untracked, &name.to_string_lossy());
        }
    }

    fn add(&mut self, source: Source, from: &str) {
        let origin = Origin {
            source,
            from: place_name(from),
        };
        let is_first = self.origins.iter().all(|known| known.source != source);
        let has_room = self.origins.len() < limits::SOURCES_OF_CALL_MAX;
        if (is_first || has_room) && !self.origins.contains(&origin) {
            self.origins.push(origin);
        }
    }
}
