//! Innermost: runs the operation.

use tenon_contract::{Output, PreparedCall, ToolContext, ToolError};

use crate::service::Service;

pub(crate) struct Invoke;

/// A prepared call with what it may use.
pub(crate) struct Invocation {
    pub(crate) prepared: Box<dyn PreparedCall>,
    pub(crate) context: ToolContext,
}

impl Service<Invocation> for Invoke {
    type Answer = Box<dyn Output>;

    async fn call(&self, invocation: Invocation) -> Result<Box<dyn Output>, ToolError> {
        invocation.prepared.run(invocation.context).await
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("invoke");
    }
}
