//! A change of one file before it is done.

use tenon_contract::ChangeKind;

use super::committed::CommittedChange;
use super::mode::ModeChange;
use super::plan::PlannedChange;
use super::transaction::ApplyMode;
use crate::truncate::wide;
use crate::{FileSnapshot, Located};

/// One planned change with all that it needs.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Create {
        to: Located,
        bytes: Vec<u8>,
        mode: Option<ModeChange>,
    },
    Update {
        old: FileSnapshot,
        bytes: Vec<u8>,
        mode: Option<ModeChange>,
    },
    Delete {
        old: FileSnapshot,
    },
    Move {
        old: FileSnapshot,
        to: Located,
        bytes: Option<Vec<u8>>,
        mode: Option<ModeChange>,
    },
}

impl Change {
    pub(crate) fn planned(&self) -> PlannedChange<'_> {
        match self {
            Self::Create { to, bytes, mode } => PlannedChange {
                claim: to.claim(),
                kind: ChangeKind::Create,
                from: None,
                old: None,
                new: Some(bytes),
                mode: *mode,
            },
            Self::Update { old, bytes, mode } => PlannedChange {
                claim: old.located().claim(),
                kind: ChangeKind::Update,
                from: None,
                old: Some(old.bytes()),
                new: Some(bytes),
                mode: *mode,
            },
            Self::Delete { old } => PlannedChange {
                claim: old.located().claim(),
                kind: ChangeKind::Delete,
                from: None,
                old: Some(old.bytes()),
                new: None,
                mode: None,
            },
            Self::Move {
                old,
                to,
                bytes,
                mode,
            } => PlannedChange {
                claim: to.claim(),
                kind: ChangeKind::Move,
                from: Some(old.located().claim()),
                old: Some(old.bytes()),
                new: Some(bytes.as_deref().unwrap_or(old.bytes())),
                mode: *mode,
            },
        }
    }

    /// The file that was read for it, if there is one.
    pub(crate) const fn old(&self) -> Option<&FileSnapshot> {
        match self {
            Self::Create { .. } => None,
            Self::Update { old, .. } | Self::Delete { old } | Self::Move { old, .. } => Some(old),
        }
    }

    /// The file that it makes, if it makes one.
    pub(super) const fn new_place(&self) -> Option<&Located> {
        match self {
            Self::Create { to, .. } | Self::Move { to, .. } => Some(to),
            Self::Update { .. } | Self::Delete { .. } => None,
        }
    }

    /// How many files it touches: a move makes one and removes one.
    pub(crate) const fn steps(&self) -> usize {
        match self {
            Self::Move { .. } => 2,
            Self::Create { .. } | Self::Update { .. } | Self::Delete { .. } => 1,
        }
    }

    /// The file afterwards; before, for a removal.
    pub(crate) const fn place(&self) -> &Located {
        match self {
            Self::Create { to, .. } | Self::Move { to, .. } => to,
            Self::Update { old, .. } | Self::Delete { old } => old.located(),
        }
    }

    pub(super) fn done(&self, manner: ApplyMode) -> CommittedChange {
        let planned = self.planned();
        CommittedChange {
            path: planned.claim.name.clone(),
            kind: planned.kind,
            from: planned.from.map(|from| from.name.clone()),
            bytes: wide(planned.new.map_or(0, <[u8]>::len)),
            in_place: manner.in_place,
            other_names: manner.other_names,
        }
    }
}
