//! Links that a text makes (and what is moved, unpacked or checked out) change where its later paths lead. What is
//! literal is followed as if it were there already; what is not makes the paths below it unknown.

pub(crate) mod maker;

use std::path::{Component, Path, PathBuf};

use tenon_shell::{Examination, ScopeKind};

use crate::commands::resolve::links::maker::{Maker, makes};
use crate::commands::resolve::{DirId, Directories, Loops, PathTable, Place, directories};
use crate::paths::{is_rooted, lexical, path_text, within};

/// How many links are followed, and how many ways through them.
const MOST: usize = 32;

/// A name that leads elsewhere once the text ran.
pub(crate) struct Link {
    pub(crate) at: Place,
    name: PathBuf,
    /// Where it leads, as it would be written.
    leads: PathBuf,
    /// Whether it is a copy of what was there, which can hold links of its own.
    pub(crate) copy: bool,
}

impl Link {
    /// Where it is.
    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    /// Where it leads, as it would be written.
    pub(crate) fn target(&self) -> String {
        path_text(&self.leads).into_owned()
    }
}

/// A directory in which links can have come to lie.
struct Region {
    at: Place,
    directory: PathBuf,
    /// Whether the directory can be a link itself.
    itself: bool,
    /// Whether what runs before in the text can come after it, or runs at the same time.
    always: bool,
    /// Whether it brings what the repository holds: directories there are rarely links.
    tracked: bool,
}

/// All links of a text.
#[derive(Default)]
pub(crate) struct Links {
    made: Vec<Link>,
    regions: Vec<Region>,
    origins: Vec<Option<Place>>,
    /// Of each text the findings that run beside what follows them.
    beside: Vec<Vec<bool>>,
}

/// Where a path can lead beyond what its text says.
#[derive(Default)]
pub(crate) struct PossibleTargets {
    pub(crate) paths: Vec<String>,
    /// Whether it can lead anywhere.
    pub(crate) unknown: bool,
    /// The same, but for what a repository brings.
    pub(crate) untracked: bool,
}

impl PossibleTargets {
    /// Notes that its target is unknown.
    pub(crate) fn lead_anywhere(&mut self) {
        (self.unknown, self.untracked) = (true, true);
    }

    fn can_be_anywhere(&self) -> bool {
        self.unknown && self.untracked
    }
}

/// Whether two absolute paths without `.` and `..` are the same: their components need not be gone through.
fn is_same(one: &Path, other: &Path) -> bool {
    let last = |path: &Path| path.as_os_str().as_encoded_bytes().last().copied();
    one.as_os_str().len() == other.as_os_str().len()
        && last(one) == last(other)
        && (one.as_os_str() == other.as_os_str() || one == other)
}

/// Whether an absolute path lies in this directory, or is it, both without `.` and `..`.
fn is_within(path: &Path, directory: &Path) -> bool {
    path.as_os_str().len() >= directory.as_os_str().len() && path.starts_with(directory)
}

impl Links {
    pub(crate) fn find(
        examination: &Examination,
        directories: &Directories,
        loops: &Loops,
        path_table: &PathTable<'_>,
    ) -> Self {
        let mut links = Self::default();
        let is_alone = examination.commands().filter(|one| makes(one)).count() == 1;
        let origins = examination.texts.iter().map(|text| text.origin.as_ref());
        let origins = origins.map(|origin| origin.map(|origin| (origin.text, origin.finding)));
        links.origins.extend(origins);
        'texts: for (index, text) in examination.texts.iter().enumerate() {
            for (finding, invocation) in &text.invocations {
                if links.are_too_many() {
                    break 'texts;
                }
                let chain = invocation.chain();
                if !chain.iter().any(|inner| makes(inner)) {
                    continue;
                }
                let mut state = directories.at(index, *finding);
                for inner in chain {
                    state = directories::own(state, inner, path_table);
                    let mut maker = Maker {
                        links: &mut links,
                        path_table,
                        loops,
                        is_alone,
                        at: (index, *finding),
                        from: Vec::new(),
                        always: is_beside(examination, (index, *finding)),
                    };
                    let known = path_table.candidates(state).into_iter().flatten();
                    maker
                        .from
                        .extend(known.map(|directory| path_table.path(directory).to_path_buf()));
                    maker.invocation(inner);
                }
            }
        }
        if !links.regions.is_empty() {
            links.beside = beside(examination);
        }
        if links.are_too_many() {
            links.made.clear();
            links.regions.clear();
            // Nothing stands at this place, so everything sees it.
            let at = (usize::MAX, 0);
            links.regions.push(Region {
                at,
                directory: "/".into(),
                itself: false,
                always: true,
                tracked: false,
            });
        }
        links
    }

    /// Whether they are not distinguished any more.
    fn are_too_many(&self) -> bool {
        self.made.len() + self.regions.len() > MOST
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.made.is_empty() && self.regions.is_empty()
    }

    /// The links that the finding itself makes.
    pub(crate) fn made_at(&self, at: Place) -> impl Iterator<Item = &Link> {
        self.made
            .iter()
            .filter(move |link| link.at == at && !link.copy)
    }

    /// Links of the text, but for those that the finding itself makes.
    pub(crate) fn made_before(&self, at: Place) -> impl Iterator<Item = &Link> {
        self.made
            .iter()
            .filter(move |link| link.at != at && !link.copy)
    }

    /// What the text copies or moves: where to, and from where.
    pub(crate) fn copies(&self) -> Vec<(PathBuf, PathBuf)> {
        let copies = self.made.iter().filter(|link| link.copy);
        copies
            .map(|link| (link.name.clone(), lexical(&link.leads)))
            .collect()
    }

    /// Whether patterns can go through a link.
    pub(crate) fn concern(&self, here: Place) -> bool {
        !self.made.is_empty() || self.regions.iter().any(|region| self.is_seen(region, here))
    }

    /// Whether the text can have brought something into directories when it comes to this place. What is copied was read
    /// under its own name, but a link that is copied can lead elsewhere; where links are not followed that is no matter.
    pub(crate) fn bring(&self, here: Place, follows: bool) -> bool {
        self.made
            .iter()
            .any(|link| link.at != here && (!link.copy || follows))
            || self.regions.iter().any(|region| self.is_seen(region, here))
    }

    /// Whether the region is there when this place of the text is reached.
    fn is_seen(&self, region: &Region, here: Place) -> bool {
        if region.at == here {
            return false;
        }
        let (mut at, mut here) = (region.at, here);
        let runs_on = |place: Place| {
            let text = self.beside.get(place.0);
            text.and_then(|text| text.get(place.1))
                .copied()
                .unwrap_or_default()
        };
        if runs_on(here) {
            return true;
        }
        if at.0 == here.0 {
            return region.always || at.1 < here.1;
        }
        // A text inside of another one has the place of what runs it.
        while at.0 != here.0 {
            let later = if at.0 > here.0 { &mut at } else { &mut here };
            match self.origins.get(later.0).copied().flatten() {
                Some(outer) => *later = outer,
                None => return true,
            }
        }
        region.always || at.1 <= here.1
    }

    /// Where this path can lead from there.
    pub(crate) fn ways(
        &self,
        path_table: &PathTable<'_>,
        directory: DirId,
        path: &str,
        here: Place,
    ) -> PossibleTargets {
        let mut ways = PossibleTargets::default();
        if self.is_empty() {
            return ways;
        }
        // Every path of names goes through what lies below the root.
        let anywhere = |region: &Region| {
            !region.tracked
                && is_same(&region.directory, Path::new("/"))
                && self.is_seen(region, here)
        };
        if self.made.is_empty()
            && self.regions.iter().any(anywhere)
            && !is_rooted(path)
            && !is_same(&path_table.path(directory), Path::new("/"))
        {
            ways.lead_anywhere();
            return ways;
        }
        let whole = within(&path_table.path(directory), path);
        self.walk(&whole, here, 0, false, path_table, &mut ways);
        // A link that is there already can lead to the name.
        if let Some(target) = path_table
            .follow(directory, path)
            .inside()
            .and_then(|inside| inside.target().map(Path::to_path_buf))
        {
            self.walk(&target, here, 0, false, path_table, &mut ways);
        }
        ways
    }

    /// Notes the regions through which a path goes that is at this place now.
    fn note_regions(&self, current: &Path, here: Place, ways: &mut PossibleTargets) {
        for region in &self.regions {
            if ways.can_be_anywhere() {
                return;
            }
            let inside = is_within(current, &region.directory)
                && (region.itself || !is_same(current, &region.directory));
            if inside && self.is_seen(region, here) {
                ways.unknown = true;
                ways.untracked |= !region.tracked;
            }
        }
    }

    fn walk(
        &self,
        path: &Path,
        here: Place,
        depth: usize,
        copied: bool,
        path_table: &PathTable<'_>,
        ways: &mut PossibleTargets,
    ) {
        let mut current = PathBuf::with_capacity(path.as_os_str().len());
        current.push("/");
        let mut components = path.components();
        while let Some(component) = components.next() {
            match component {
                Component::RootDir | Component::Prefix(_) => {
                    current.clear();
                    current.push("/");
                }
                Component::CurDir => {}
                Component::ParentDir => drop(current.pop()),
                Component::Normal(name) if cfg!(windows) => current = within(&current, name),
                Component::Normal(name) => current.push(name),
            }
            self.note_regions(&current, here, ways);
            let met = self.made.iter();
            for link in met.filter(|link| is_same(&link.name, &current)) {
                // Nothing else is known of what was copied.
                if copied && ways.can_be_anywhere() {
                    return;
                }
                if depth > 6 || ways.paths.len() > MOST || (copied && !link.copy) {
                    ways.lead_anywhere();
                    return;
                }
                let target = within(&link.leads, components.as_path());
                self.walk(
                    &target,
                    here,
                    depth + 1,
                    copied || link.copy,
                    path_table,
                    ways,
                );
            }
        }
        if depth == 0 {
            return;
        }
        let text = path_text(&current);
        if !copied {
            ways.paths.push(text.into_owned());
        } else if !path_table.leads_to(&current, &current) {
            // What was copied is a link, or lies behind one.
            ways.lead_anywhere();
        }
    }
}

/// Of each text the findings that run in the background.
fn beside(examination: &Examination) -> Vec<Vec<bool>> {
    let runs_on = |kind: &ScopeKind| matches!(kind, ScopeKind::Background | ScopeKind::Coprocess);
    let texts = examination.texts.iter().map(|text| {
        let findings = text.script.findings.iter();
        findings
            .map(|finding| text.script.ancestry(finding.scope).any(runs_on))
            .collect()
    });
    texts.collect()
}

/// Whether the command runs again, or beside what stands before and behind it.
fn is_beside(examination: &Examination, at: Place) -> bool {
    let mut next = Some(at);
    while let Some((text, finding)) = next {
        let Some(text) = examination.texts.get(text) else {
            return true;
        };
        let scope = text
            .script
            .findings
            .get(finding)
            .map(|finding| finding.scope);
        let mut kinds = scope
            .into_iter()
            .flat_map(|scope| text.script.ancestry(scope));
        if kinds.any(|kind| {
            kind.may_repeat()
                || matches!(
                    kind,
                    ScopeKind::Background
                        | ScopeKind::PipelineElement
                        | ScopeKind::Coprocess
                        | ScopeKind::ProcessSubstitution
                )
        }) {
            return true;
        }
        next = text
            .origin
            .as_ref()
            .map(|origin| (origin.text, origin.finding));
    }
    false
}
