//! What other rules would have decided.

use tenon_contract::ToolError;

use super::Toolkit;
use crate::judge::{Judge, engine};
use crate::options::PermissionOptions;
use crate::simulate::{PastCall, Simulated};

impl Toolkit {
    /// What the permissions of other settings would have decided for these calls; runs nothing.
    ///
    /// # Errors
    /// Rules that do not compile.
    pub fn simulate(
        &self,
        calls: Vec<PastCall>,
        permissions: PermissionOptions,
    ) -> Result<Vec<Simulated>, ToolError> {
        let inner = &self.inner;
        let workspace = inner.judge.workspace();
        let mut options = inner.options.clone();
        options.permissions = permissions;
        let exposure = inner.registry.exposure();
        let engine = engine(
            &options,
            exposure,
            inner.has_approver,
            workspace,
            &mut Vec::new(),
        )?;
        let other = Judge::new(engine, workspace.clone(), inner.judge.modes().clone())
            .remembering(inner.judge.taint().cloned());
        Ok(crate::simulate::simulate(
            &inner.registry,
            &inner.judge,
            &other,
            calls,
        ))
    }
}
