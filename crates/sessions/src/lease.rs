//! Who still runs: leases that are renewed, and runs whose process is gone.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use tenon_store::{StoreError, Watch};

use crate::control::{Control, ControlParts};
use crate::engine::{Engine, note};
use crate::model::{Budget, Live, Status};
use crate::records::{Records, Transaction, millis};
use crate::run::{close_run, mail_of};

impl Engine {
    /// Sees to it that leases are renewed while this engine has runs. Nothing wakes when it has none.
    pub(crate) fn tick(&self) {
        if self.0.is_ticking.swap(true, Ordering::AcqRel) {
            return;
        }
        let engine = self.clone();
        tokio::spawn(async move {
            let _watch = engine.watch();
            loop {
                engine.keep_leases().await;
                // Under the lock of the runs, so that one that is added now finds nobody ticking.
                let local = engine.local();
                if local.is_empty() || engine.0.closed.is_cancelled() {
                    engine.0.is_ticking.store(false, Ordering::Release);
                    return;
                }
            }
        });
    }

    /// Has those who wait here look again when another process changes the tree, where the store reports changes. Until
    /// it is dropped.
    pub(crate) fn watch(&self) -> Option<Arc<Watch>> {
        let mut shared = self.0.watch.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watch) = shared.upgrade() {
            return Some(watch);
        }
        let hears = Arc::downgrade(&self.0);
        let on_change = Arc::new(move || {
            if let Some(engine) = hears.upgrade() {
                Self(engine).bump();
            }
        });
        let watch = Arc::new(self.0.records.store.watch(Records::watched(), on_change)?);
        *shared = Arc::downgrade(&watch);
        Some(watch)
    }

    /// Renews until a run of this engine has ended or the next renewal is due.
    async fn keep_leases(&self) {
        let lease = self.0.lease;
        let mut changed = self.0.changed.subscribe();
        let due = tokio::time::sleep(lease.renewal);
        tokio::pin!(due);
        loop {
            let is_waiting = self.look_after().await;
            if self.local().is_empty() {
                return;
            }
            tokio::select! {
                () = &mut due => {
                    // What fails now is tried again with the next one; a lease holds for several.
                    let _ = self.renew().await;
                    return;
                }
                _ = changed.changed() => {}
                () = tokio::time::sleep(lease.poll), if is_waiting => {}
                () = self.0.closed.cancelled() => return,
            }
        }
    }

    /// Ends runs that others have ended, and starts those for which there is a place. Whether some still wait.
    async fn look_after(&self) -> bool {
        let Ok(tree) = self.0.records.tree().await else {
            return true;
        };
        let guard = self.0.lock.lock().await;
        let gone: Vec<Arc<Control>> = {
            let local = self.local();
            let is_live = |run: &str| tree.live.iter().any(|live| live.run == run);
            local
                .values()
                .filter(|control| !is_live(&control.run))
                .cloned()
                .collect()
        };
        // A run that was added or has ended since the row was read is looked at under the lock.
        let current = if gone.is_empty() {
            None
        } else {
            self.0.records.tree().await.ok()
        };
        drop(guard);
        if let Some(current) = current {
            for control in gone {
                if !current.live.iter().any(|live| live.run == control.run) {
                    self.let_go(&control);
                }
            }
        }
        let waits = |live: &Live| !live.is_running && live.owner == self.0.owner;
        if tree.live.iter().any(waits) {
            let _ = self.promote().await;
            return true;
        }
        false
    }

    /// Ends a run here that has ended in the store.
    pub(crate) fn let_go(&self, control: &Control) {
        control.abort.cancel();
        self.local().remove(&control.run);
        control.end();
        self.bump();
    }

    async fn renew(&self) -> Result<(), StoreError> {
        let mut attempt = 0;
        loop {
            let guard = self.0.lock.lock().await;
            let mut transaction = self.0.records.begin().await?;
            let until = transaction.now + millis(self.0.lease.time);
            let mut renewed = 0;
            for live in &mut transaction.tree.live {
                if live.owner == self.0.owner {
                    live.lease_until = until;
                    renewed += 1;
                }
            }
            let lost = self.reap(&mut transaction).await?;
            if (renewed == 0 && lost.is_empty()) || transaction.commit().await? {
                drop(guard);
                self.report_lost(lost);
                return Ok(());
            }
            drop(guard);
            attempt += 1;
            Records::pause(attempt).await?;
        }
    }

    /// Takes runs out whose lease has ended or whose process is gone. What becomes of them is in the same change.
    pub(crate) async fn reap(
        &self,
        transaction: &mut Transaction<'_>,
    ) -> Result<Vec<Control>, StoreError> {
        let (now, me) = (transaction.now, &self.0.owner);
        // What a store has written that reported a failure is known to nobody here.
        let own: HashSet<String> = self.local().keys().cloned().collect();
        // After a suspend the others have to come to their next renewal first.
        let renewal = self.0.lease.renewal;
        let counts = self.0.leaps.none_for(renewal + renewal / 2);
        let is_lost = |live: &Live| {
            if live.owner == *me {
                return !own.contains(&live.run);
            }
            (counts && live.lease_until <= now) || (self.0.is_gone)(&live.owner)
        };
        let lost: Vec<Live> = transaction
            .tree
            .live
            .iter()
            .filter(|live| is_lost(live))
            .cloned()
            .collect();
        transaction.tree.live.retain(|live| !is_lost(live));
        let mut asked = Vec::new();
        for live in lost {
            let records = &self.0.records;
            let (run, session) = (
                records.run(&live.run).await?,
                records.session(&live.session).await?,
            );
            let (Some(mut run), Some(mut session)) = (run, session) else {
                continue;
            };
            close_run(&mut run, &mut session, Status::Lost, now);
            run.code = Some("lost".to_owned());
            if let Some(changes_of) = self.0.changes_of.get().filter(|_| live.is_running) {
                run.changes = changes_of(&run.id).await;
            }
            let control = control_of(&live, &session.agent, session.depth);
            transaction.run(&run)?;
            transaction.mail(&run.id, &mail_of(&control, false))?;
            note(transaction, &live.parent, &session, &run, Status::Lost)?;
            transaction.session(session)?;
            asked.push(control);
        }
        Ok(asked)
    }

    pub(crate) fn report_lost(&self, lost: Vec<Control>) {
        for control in &lost {
            self.emit("ended", control, Status::Lost, "");
        }
        if !lost.is_empty() {
            self.bump();
        }
    }

    /// Looks for runs of processes that are gone, where somebody asks how things are.
    pub(crate) async fn sweep(&self) -> Result<(), StoreError> {
        let tree = self.0.records.tree().await?;
        let others = tree.live.iter().any(|live| live.owner != self.0.owner);
        if others { self.promote().await } else { Ok(()) }
    }
}

/// A run as far as it can be reported, where this process never had it.
pub(crate) fn control_of(live: &Live, agent: &str, depth: usize) -> Control {
    Control::new(ControlParts {
        session: live.session.clone(),
        run: live.run.clone(),
        label: live.label.clone(),
        depth,
        agent: agent.to_owned(),
        parent: live.parent.clone(),
        origin: None,
        call_id: None,
        ticket: 0,
        budget: Budget::default(),
        on_update: None,
    })
}
