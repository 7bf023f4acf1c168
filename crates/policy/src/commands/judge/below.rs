//! Programs that go below a directory: what rules are about there.

use std::path::Path;
use std::sync::Arc;

use compact_str::CompactString;

use crate::commands::judge::{CommandJudge, Extent, Found, Usage, Use, part_kind};
use crate::commands::resolve::{DirId, Site};
use crate::commands::words::Selection;
use crate::commands::words::selection::WayOut;
use crate::decision::Why;
use crate::display::capital;
use crate::paths::{ClaimPlaces, go_on, outside_claim, path_text};
use crate::rule::{Kind, Rule};

/// The option by which a program leaves out what a rule is about: the directory of the rule, or the file.
fn way_out(way: WayOut, held: &str, rule: &Rule) -> Option<String> {
    let specifier = rule.text.rule.split_once('(').map(|(_, rest)| rest);
    let directory = specifier.and_then(|rest| rest.strip_suffix("/**)"));
    let directory = directory.and_then(|path| path.rsplit('/').next());
    let plain = |name: &&str| {
        !name.is_empty() && !name.contains(['*', '?', '[', '{', '\\', '\'', ' ', '`'])
    };
    match directory.filter(plain) {
        Some(directory) => way.option(directory, true),
        None => {
            let name = held.rsplit('/').next().filter(plain)?;
            way.option(name, false)
        }
    }
}

/// Whether a `.git` is among the names of a path.
fn is_in_git(path: &str) -> bool {
    let mut names = path.split(['/', '\\']);
    names.any(|name| name.eq_ignore_ascii_case(".git"))
}

impl<'e> CommandJudge<'e, '_> {
    /// A directory through which a program goes: its entries decide whether rules are about something in it.
    pub(crate) fn through(
        &mut self,
        kind: Kind,
        name: &str,
        target: &Path,
        places: &ClaimPlaces<'_>,
        (selection, at): (&Selection, Site<'_>),
    ) {
        // In a `.git` itself its names have none in them.
        let spares_git = selection.spares_git && !is_in_git(name) && !is_in_git(&path_text(target));
        let about = |rule: &&Rule| {
            rule.may_bind_below(kind, places)
                && !rule.binds_file(kind, places, self.user())
                && !(spares_git && rule.lies_within(".git"))
        };
        let mut rules = self.engine.rules.strict_on_files();
        // A link on the way leads to any file.
        let by_links = || {
            let mut rules = self.engine.rules.strict_on_files();
            rules.find(|rule| rule.is_about(kind, self.user()))
        };
        let goes_on = selection.follows && kind == Kind::Read;
        let found = rules.find(about);
        let Some(rule) = found.or_else(|| goes_on.then(by_links).flatten()) else {
            return;
        };
        // What is written may be new.
        let found = match kind {
            Kind::Write => Found::Unknown,
            _ => self.survey(kind, name, target, (selection, at), Use::Search),
        };
        match found {
            Found::Nothing => {}
            Found::Unknown => self.may_hold(kind, name, rule),
            Found::Name(held, by) => {
                let rule = by.unwrap_or(rule);
                let way_out = selection.way_out.and_then(|way| way_out(way, &held, rule));
                self.held_with(kind, name, &held, (rule, way_out));
            }
        }
    }

    /// What lies outside: who goes through a directory there comes to the files in it that rules name, and around the workspace
    /// to all of the workspace.
    pub(crate) fn around(&mut self, usage: Usage<'_>, directory: DirId, path: &str, at: Site<'_>) {
        self.judgement.effect(part_kind(usage.kind), path);
        let Extent::Below(selection) = usage.extent else {
            return;
        };
        let root = &self.engine.root;
        let above = self.path_table.path(directory);
        self.through_outside(usage.kind, (directory, path), (selection, at));
        if !root.starts_with(go_on(&above, path)) {
            return;
        }
        let name = self.path_table.follow(self.path_table.directory(root), ".");
        if let Some(inside) = name.inside() {
            let places = inside.places(&self.engine.compared_root);
            self.through(usage.kind, ".", root, &places, (selection, at));
        }
    }

    /// A directory outside. Where it cannot be determined what lies in it, only rules that name a place there ask: one that
    /// holds in any directory (`.env`) would ask about each large directory of the system.
    fn through_outside(
        &mut self,
        kind: Kind,
        (directory, path): (DirId, &str),
        (selection, at): (&Selection, Site<'_>),
    ) {
        let above = self.path_table.path(directory);
        let claim = outside_claim(&above, path, self.path_table.resolver());
        let places = self.places_of(&claim);
        let path = match path.trim_end_matches('/') {
            "" => "/",
            path => path,
        };
        let rules = || {
            let rules = self.engine.rules.strict_on_files();
            rules.filter(|rule| !rule.binds_file(kind, &places, self.user()))
        };
        let goes_on = selection.follows && kind == Kind::Read;
        let leads = |rule: &&Rule| {
            rule.may_bind_below(kind, &places) || goes_on && rule.is_about(kind, self.user())
        };
        let Some(rule) = rules().find(leads) else {
            return;
        };
        let found = match kind {
            Kind::Write => Found::Unknown,
            _ => self.survey(kind, path, &claim.target, (selection, at), Use::Search),
        };
        match found {
            Found::Nothing => {}
            Found::Unknown => {
                let named = rules().find(|rule| rule.names_a_place_below(kind, &places));
                if let Some(rule) = named {
                    self.may_hold(kind, path, rule);
                }
            }
            Found::Name(held, by) => {
                self.held_with(kind, path, &held, (by.unwrap_or(rule), None));
            }
        }
    }

    /// What is named so comes to a file that a rule is about.
    pub(crate) fn held(&mut self, kind: Kind, name: &str, held: &str, rule: &'e Rule) {
        self.held_with(kind, name, held, (rule, None));
    }

    fn held_with(
        &mut self,
        kind: Kind,
        name: &str,
        held: &str,
        (rule, way_out): (&'e Rule, Option<String>),
    ) {
        let way_out = way_out
            .map(|option| format!(" Leave it out with `{option}`."))
            .unwrap_or_default();
        let reason = format!(
            "{} `{name}` includes `{held}`, which the rule `{}` protects.{way_out}",
            capital(part_kind(kind).words()),
            rule.text.rule
        );
        self.ask_by_rule((part_kind(kind), held), rule, reason);
    }

    /// A directory of which everything is read, changed or removed.
    pub(crate) fn below(&mut self, kind: Kind, name: &str, places: &ClaimPlaces<'_>) {
        if let Some(rule) = self.engine.rules.strict_on_files().find(|rule| {
            rule.may_bind_below(kind, places) && !rule.binds_file(kind, places, self.user())
        }) {
            self.may_hold(kind, name, rule);
        }
    }

    /// A directory that may hold files which a rule protects.
    fn may_hold(&mut self, kind: Kind, name: &str, rule: &'e Rule) {
        self.matched(rule);
        let mut subject = CompactString::from(name);
        subject.push_str("/**");
        let why = Why::Below(Arc::clone(&rule.text), rule.list);
        self.add(self.floor(part_kind(kind), &subject, why));
    }
}
