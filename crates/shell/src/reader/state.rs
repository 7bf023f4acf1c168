use std::cell::Cell;
use std::sync::Arc;

use super::cursor::Cursor;
use crate::command::{Assignment, HereDocument, Redirection};
use crate::grammar::ShellGrammar;
use crate::limits::{STEPS_BASE, STEPS_PER_BYTE};
use crate::scope::{Scope, ScopeId, ScopeKind};
use crate::script::{Finding, FindingKind, Mark, MarkKind, Script};
use crate::span::Span;
use crate::word::Word;
use crate::words::Words;

/// For how many bytes of text room is made before they are read.
const MAX_ROOM: usize = 64 * 1024;

/// What one text has given so far, shared by the readers of its derived sources.
pub(super) struct State {
    pub(super) dialect: ShellGrammar,
    /// Whether the reader did not ask yet which shell reads.
    pub(super) reads_alike: Cell<bool>,
    /// The scope in which the reader stands.
    pub(super) scope: ScopeId,
    pub(super) depth: usize,
    pub(super) steps: usize,
    pub(super) step_limit: usize,
    /// How many comments, `case` commands and here-documents were read: bash finds the end of `$((…))` without
    /// knowing of these, so a fallback to commands must not hold any.
    pub(super) irregular: usize,
    /// How many here-documents were begun in the `$(…)` that is being read, those further in left out; `None` outside
    /// of one and in backticks.
    pub(super) substitution_documents: Option<usize>,
    /// Whether a `$(…)`, `<(…)` or `>(…)` is being read, at any depth.
    pub(super) in_parentheses: bool,
    /// How many compound commands, functions, coprocesses, `|&`, `!` and `time` were read.
    pub(super) compounds: usize,
    /// How many times `time` stood before a pipeline.
    pub(super) timed: usize,
    /// How many `case` commands were read.
    pub(super) cases: usize,
    /// Whether the text evaluates values of variables as arithmetic or as names.
    pub(super) evaluates_values: bool,
    /// Whether extended patterns were switched on by the text.
    pub(super) extended_patterns: bool,
    /// Quoted texts that hold a substitution.
    pub(super) quoted_code: Vec<Span>,
    entries: Vec<Entry>,
    scopes: Vec<Scope>,
    documents: Vec<Option<Document>>,
    /// The words of all commands.
    words: Vec<Word>,
    /// Empty lists for the words of commands that are being read.
    spare: Vec<Vec<Word>>,
}

/// A finding, or the place of a here-document whose body comes later in the text than it is evaluated.
enum Entry {
    Finding(Finding),
    Document(usize),
}

impl Entry {
    fn finding(self) -> Option<Finding> {
        match self {
            Self::Finding(finding) => Some(finding),
            Self::Document(_) => None,
        }
    }
}

/// A here-document body that was read.
struct Document {
    content: HereDocument,
    entries: Vec<Entry>,
}

/// A place to go back to.
pub(super) struct Snapshot<'a> {
    cursor: Cursor<'a>,
    scope: ScopeId,
    entries: usize,
    scopes: usize,
    documents: usize,
    words: usize,
    quoted_code: usize,
    evaluates_values: bool,
    extended_patterns: bool,
}

impl State {
    pub(super) fn new(dialect: ShellGrammar, length: usize) -> Self {
        // Room for the shortest of commands: lists that grow are copied, and what is not touched costs nothing.
        let room = length.min(MAX_ROOM);
        let mut scopes = Vec::with_capacity(1 + room / 3);
        scopes.push(Scope {
            kind: ScopeKind::Script,
            parent: None,
            start: 0,
        });
        Self {
            dialect,
            reads_alike: Cell::new(true),
            scope: ScopeId::ROOT,
            depth: 0,
            steps: 0,
            step_limit: length
                .saturating_mul(STEPS_PER_BYTE)
                .saturating_add(STEPS_BASE),
            irregular: 0,
            substitution_documents: None,
            in_parentheses: false,
            compounds: 0,
            timed: 0,
            cases: 0,
            evaluates_values: false,
            extended_patterns: false,
            quoted_code: Vec::new(),
            entries: Vec::with_capacity(room / 3),
            scopes,
            documents: Vec::new(),
            words: Vec::with_capacity(room / 2),
            spare: Vec::new(),
        }
    }

    /// A list for the words of one command.
    pub(super) fn begin_words(&mut self) -> Vec<Word> {
        self.spare.pop().unwrap_or_default()
    }

    /// Keeps the words of one command.
    pub(super) fn keep_words(&mut self, mut words: Vec<Word>) -> Words {
        let start = self.words.len();
        self.words.append(&mut words);
        self.spare.push(words);
        Words::reserved(start, self.words.len())
    }

    /// Opens a scope inside the current one and gives the current one back.
    pub(super) fn open_scope(&mut self, kind: ScopeKind, start: usize) -> ScopeId {
        let outer = self.scope;
        self.scope = ScopeId(self.scopes.len());
        self.scopes.push(Scope {
            kind,
            parent: Some(outer),
            start,
        });
        outer
    }

    /// Says what a scope is, once it is known.
    pub(super) fn set_scope(&mut self, id: ScopeId, kind: ScopeKind) {
        if let Some(scope) = self.scopes.get_mut(id.0) {
            scope.kind = kind;
        }
    }

    pub(super) fn found(&mut self, kind: FindingKind) {
        self.entries.push(Entry::Finding(Finding {
            scope: self.scope,
            kind,
        }));
    }

    pub(super) fn mark(&mut self, kind: MarkKind, span: Span) {
        self.found(FindingKind::Mark(Mark { span, kind }));
    }

    /// How many entries there are, for [`Self::rotate`].
    pub(super) fn entry_count(&self) -> usize {
        self.entries.len()
    }

    /// Puts the entries from `middle` on before those from `start` to `middle`: the redirections of a compound
    /// command stand behind its body and are carried out first.
    pub(super) fn rotate(&mut self, start: usize, middle: usize) {
        let count = self.entries.len().saturating_sub(middle);
        if let Some(entries) = self.entries.get_mut(start..)
            && count <= entries.len()
        {
            entries.rotate_right(count);
        }
    }

    /// Keeps a place for the body of a here-document.
    pub(super) fn reserve_document(&mut self) -> usize {
        let slot = self.documents.len();
        self.documents.push(None);
        self.entries.push(Entry::Document(slot));
        slot
    }

    /// Collects the findings of `inner` apart, as those of a here-document body.
    pub(super) fn begin_document(&mut self) -> Apart {
        Apart(std::mem::take(&mut self.entries))
    }

    /// Ends what [`Self::begin_document`] began. Without content the findings are dropped.
    pub(super) fn end_document(&mut self, apart: Apart, content: Option<HereDocument>) {
        let entries = std::mem::replace(&mut self.entries, apart.0);
        if let Some(content) = content
            && let Some(place) = self.documents.get_mut(content.slot)
        {
            *place = Some(Document { content, entries });
        }
    }

    pub(super) fn snapshot<'a>(&self, cursor: Cursor<'a>) -> Snapshot<'a> {
        Snapshot {
            cursor,
            scope: self.scope,
            entries: self.entries.len(),
            scopes: self.scopes.len(),
            documents: self.documents.len(),
            words: self.words.len(),
            quoted_code: self.quoted_code.len(),
            evaluates_values: self.evaluates_values,
            extended_patterns: self.extended_patterns,
        }
    }

    /// Forgets everything since the snapshot and gives the cursor of that time.
    pub(super) fn restore<'a>(&mut self, snapshot: &Snapshot<'a>) -> Cursor<'a> {
        self.scope = snapshot.scope;
        self.entries.truncate(snapshot.entries);
        self.scopes.truncate(snapshot.scopes);
        self.documents.truncate(snapshot.documents);
        self.words.truncate(snapshot.words);
        self.quoted_code.truncate(snapshot.quoted_code);
        self.evaluates_values = snapshot.evaluates_values;
        self.extended_patterns = snapshot.extended_patterns;
        snapshot.cursor
    }

    pub(super) fn into_script(mut self) -> Script {
        if self.evaluates_values {
            for span in std::mem::take(&mut self.quoted_code) {
                self.mark(MarkKind::DelayedCode, span);
            }
        }
        let mut contents = Vec::new();
        contents.resize_with(self.documents.len(), || None);
        let mut findings: Vec<Finding> = if self.documents.is_empty() {
            // In the same memory.
            let entries = self.entries.into_iter();
            entries.filter_map(Entry::finding).collect()
        } else {
            let mut findings = Vec::with_capacity(self.entries.len());
            let documents = &mut self.documents;
            flatten(self.entries, documents, &mut findings, &mut contents);
            findings
        };
        let (scopes, numbers) = without_plain(self.scopes);
        let mut words = self.words;
        let is_substitution = |scope: &Scope| {
            matches!(
                scope.kind,
                ScopeKind::CommandSubstitution | ScopeKind::ProcessSubstitution
            )
        };
        let mut finish = Finish {
            contents,
            numbers,
            renames: scopes.iter().any(is_substitution),
        };
        words.iter_mut().for_each(|word| finish.word(word));
        let words = Arc::new(words);
        for finding in &mut findings {
            finish.finding(finding, &words);
        }
        Script {
            dialect: self.dialect,
            reads_alike: self.reads_alike.get(),
            findings,
            scopes,
        }
    }
}

/// The entries outside of a here-document body while the body is read.
pub(super) struct Apart(Vec<Entry>);

/// Puts the findings of here-document bodies where their redirections stand. The nesting is bounded by the depth
/// limit of the reader.
fn flatten(
    entries: Vec<Entry>,
    documents: &mut [Option<Document>],
    findings: &mut Vec<Finding>,
    contents: &mut [Option<HereDocument>],
) {
    for entry in entries {
        match entry {
            Entry::Finding(finding) => findings.push(finding),
            Entry::Document(slot) => {
                if let Some(document) = documents.get_mut(slot).and_then(Option::take) {
                    if let Some(content) = contents.get_mut(slot) {
                        *content = Some(document.content);
                    }
                    flatten(document.entries, documents, findings, contents);
                }
            }
        }
    }
}

/// The scopes without the plain ones, and the new number of each.
fn without_plain(scopes: Vec<Scope>) -> (Vec<Scope>, Vec<ScopeId>) {
    let mut kept: Vec<Scope> = Vec::new();
    let mut numbers: Vec<ScopeId> = Vec::with_capacity(scopes.len());
    for mut scope in scopes {
        let parent = scope
            .parent
            .map(|parent| numbers.get(parent.0).copied().unwrap_or(ScopeId::ROOT));
        if scope.kind == ScopeKind::Plain {
            numbers.push(parent.unwrap_or(ScopeId::ROOT));
        } else {
            numbers.push(ScopeId(kept.len()));
            scope.parent = parent;
            kept.push(scope);
        }
    }
    (kept, numbers)
}

/// What findings lack until the whole text is read.
struct Finish {
    /// The bodies of here-documents.
    contents: Vec<Option<HereDocument>>,
    /// The final numbers of the scopes.
    numbers: Vec<ScopeId>,
    /// Whether there are scopes of which words know the number.
    renames: bool,
}

impl Finish {
    fn finding(&mut self, finding: &mut Finding, words: &Arc<Vec<Word>>) {
        self.scope(&mut finding.scope);
        match &mut finding.kind {
            FindingKind::Command(command) => {
                command.words.fill(words);
                for redirection in &mut command.redirections {
                    self.redirection(redirection);
                }
                for assignment in &mut command.assignments {
                    self.assignment(assignment);
                }
            }
            FindingKind::Assignment(assignment) => self.assignment(assignment),
            FindingKind::Redirection(redirection) => self.redirection(redirection),
            FindingKind::Evaluated(evaluated) => self.word(&mut evaluated.word),
            FindingKind::Conditional(conditional) => self.words(&mut conditional.words),
            FindingKind::Case(case) => {
                self.word(&mut case.subject);
                self.words(&mut case.patterns);
            }
            FindingKind::Function(_) | FindingKind::Arithmetic(_) | FindingKind::Mark(_) => {}
        }
    }

    fn scope(&self, id: &mut ScopeId) {
        *id = self.numbers.get(id.0).copied().unwrap_or(ScopeId::ROOT);
    }

    fn word(&self, word: &mut Word) {
        if self.renames {
            word.renumber(&|id| self.scope(id));
        }
    }

    fn words(&self, words: &mut [Word]) {
        words.iter_mut().for_each(|word| self.word(word));
    }

    fn assignment(&self, assignment: &mut Assignment) {
        self.words(&mut assignment.values);
        assignment
            .subscript
            .iter_mut()
            .for_each(|word| self.word(word));
    }

    fn redirection(&mut self, redirection: &mut Redirection) {
        self.word(&mut redirection.target);
        if let Some(document) = &mut redirection.here_document
            && let Some(content) = self.contents.get_mut(document.slot).and_then(Option::take)
        {
            *document = content;
        }
    }
}
