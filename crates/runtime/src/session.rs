//! What the tools of the session work with: its state, its skills, and the host's own parts.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock};

use tenon_contract::ToolError;
use tenon_state::{MemoryStore, SessionKey, Store};
use tenon_tools::{HostPart, SessionState, SkillFolders};
use tenon_workspace::Workspace;

use crate::options::Options;
use crate::ports::Ports;

/// What named sessions know, for as long as the process lives: a host may make a toolkit for each turn.
static NAMED: LazyLock<Arc<MemoryStore>> = LazyLock::new(Arc::default);

/// What the tools of the session work with.
pub struct Session {
    pub(crate) state: SessionState,
    pub(crate) skills: SkillFolders,
    pub(crate) ask_user: Option<Arc<dyn HostPart>>,
    pub(crate) run_agent: Option<Arc<dyn HostPart>>,
}

impl Session {
    pub(crate) fn new(
        options: &Options,
        ports: &Ports,
        workspace: &Workspace,
    ) -> Result<Self, ToolError> {
        // Without a name nobody else can mean it: it goes with its toolkit.
        let own = || Arc::new(MemoryStore::default()) as Arc<dyn Store>;
        let (store, id) = match &options.session.id {
            Some(id) => (NAMED.clone() as Arc<dyn Store>, id.clone()),
            None => (
                own(),
                format!("session_{:016x}", RandomState::new().hash_one("session")),
            ),
        };
        let session = SessionKey {
            workspace: workspace.root().display().to_string(),
            id,
        };
        Ok(Self {
            state: SessionState {
                store: ports.store.clone().unwrap_or(store),
                session,
            },
            skills: options.skills.folders(workspace)?,
            ask_user: ports.ask_user.clone(),
            run_agent: ports.run_agent.clone(),
        })
    }
}
