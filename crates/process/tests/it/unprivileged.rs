//! Endings, escapes, sessions and services once more for a user without privileges. What `guarding` and `sandbox` hold
//! is run so by themselves.

use crate::nobody::as_nobody;

#[test]
fn what_commands_and_sessions_do_wrong_is_borne_without_privileges() {
    as_nobody(
        &[
            "ending::",
            "escaping::",
            "session_faults::",
            "services::",
            "output::",
            "running::a_directory_that_may_not_be_entered",
        ],
        None,
    );
}
