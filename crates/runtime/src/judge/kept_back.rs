//! What the results of a call leave out: files that rules keep back.

use std::any::Any;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tenon_contract::{Operation, PathClaim, RulesIdentity, ToolError, Visibility};
use tenon_policy::{Engine, FileIdentity, PathResolver, Resolved, SourceSet, There};
use tenon_workspace::near_advice;

use super::{Judge, Rules};
use crate::service::Call;

/// What the results of one call must leave out.
struct KeptBack {
    judge: Arc<Judge>,
    operation: Operation,
    tool: String,
    /// What was read before the call.
    sources: SourceSet,
    /// Files with several names, which are kept back under each of them. Looked for when they are asked about.
    shared: OnceLock<Vec<FileIdentity>>,
}

impl Judge {
    /// What the results of a call must leave out; nothing when no rule is about reading files.
    pub(crate) fn visibility(self: &Arc<Self>, call: &Call) -> Option<Arc<dyn Visibility>> {
        let sources = self.sources();
        let kept = || KeptBack {
            judge: Arc::clone(self),
            sources,
            operation: call.tool.operation(),
            tool: call.tool.name().to_owned(),
            shared: OnceLock::new(),
        };
        self.engines(sources)
            .any(Engine::may_hide)
            .then(|| Arc::new(kept()) as Arc<dyn Visibility>)
    }

    /// The error without names that rules keep back: what a missing file resembles is reported like a listing.
    pub(crate) fn without_hidden(
        &self,
        mut error: ToolError,
        kept_back: &dyn Visibility,
    ) -> ToolError {
        let Some(Value::Array(near)) = error.details.get("near") else {
            return error;
        };
        let near: Vec<String> = near
            .iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        let shown = |name: &String| {
            let located = self.workspace.locate(name);
            located.is_ok_and(|located| !kept_back.hides(located.claim()))
        };
        let kept: Vec<String> = near.iter().filter(|name| shown(name)).cloned().collect();
        if kept.len() < near.len() {
            error.message = error
                .message
                .replace(&near_advice(&near), &near_advice(&kept));
            error.source = None;
            if kept.is_empty() {
                error.details.remove("near");
            } else {
                error.details.insert("near".to_owned(), kept.into());
            }
        }
        error
    }
}

impl Visibility for KeptBack {
    fn hides(&self, file: &PathClaim) -> bool {
        let listed = self.judge.as_listed(&file.target).map(|target| PathClaim {
            target,
            name: file.name.clone(),
        });
        let file = listed.as_ref().unwrap_or(file);
        let hides = |engine: &Engine| engine.hides(self.operation, &self.tool, file);
        self.judge.engines(self.sources).any(hides) || self.has_another_name(file)
    }

    fn hides_listed(&self, path: &str, root: &Path) -> bool {
        self.hidden_by(path, root).is_some()
    }

    fn hidden_by(&self, path: &str, root: &Path) -> Option<u8> {
        let engine = self.judge.everybody().engine.after(self.sources);
        let number = |number| u8::try_from(number).unwrap_or(u8::MAX);
        // Elsewhere names are written in more than one way.
        let listed = self.judge.as_listed(&root.join(path));
        let is_plain = cfg!(unix) && listed.is_none() && Path::new(path).is_relative();
        if is_plain && self.shared().is_empty() {
            let hiding = engine.hiding_below(self.operation, &self.tool, path);
            let hides = |other: &Rules| {
                let other = other.after(self.sources);
                other.hides_below(self.operation, &self.tool, path)
            };
            return hiding.map(number).or_else(|| {
                self.judge
                    .everybody()
                    .others
                    .iter()
                    .any(hides)
                    .then_some(u8::MAX)
            });
        }
        let file = PathClaim {
            name: path.to_owned(),
            target: listed.unwrap_or_else(|| root.join(path)),
        };
        let hiding = engine.hiding(self.operation, &self.tool, &file);
        hiding
            .map(number)
            .or_else(|| self.hides(&file).then_some(u8::MAX))
    }

    fn rule(&self, number: u8) -> Option<(String, bool)> {
        let engine = self.judge.everybody().engine.after(self.sources);
        let (rule, denies) = engine.hiding_rule(usize::from(number))?;
        Some((rule.to_owned(), denies))
    }

    fn rules(&self) -> Option<RulesIdentity> {
        let rules = Arc::clone(&self.judge) as Arc<dyn Any + Send + Sync>;
        let sources = self.sources.number();
        // Other rules, where they ignore case by now.
        let ignores_case = self.judge.ignoring_case.get().is_some();
        let user = || {
            let operation = self.operation.name();
            format!("{operation} {} {sources} {ignores_case}", self.tool)
        };
        (cfg!(unix) && self.shared().is_empty()).then(|| RulesIdentity::new(&rules, user()))
    }
}

impl KeptBack {
    /// The files that are kept back and have other names.
    fn shared(&self) -> &[FileIdentity] {
        self.shared.get_or_init(|| {
            let paths = self.judge.paths();
            let engines = self.judge.engines(self.sources);
            engines
                .flat_map(|engine| engine.shared_and_hidden(self.operation, &self.tool, &paths))
                .collect()
        })
    }

    /// Whether it is a file that is kept back, by another name.
    fn has_another_name(&self, file: &PathClaim) -> bool {
        let shared = self.shared();
        !shared.is_empty()
            && matches!(
                self.judge.paths().resolve(Path::new("/"), &file.target.to_string_lossy()),
                Resolved::Inside { there: There::File(Some(identity)), .. }
                    if shared.contains(&identity)
            )
    }
}
