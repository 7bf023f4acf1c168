//! Ends what toolkits still run when their Node environment goes away: a worker that ends, or the
//! process that exits.

use std::sync::{Mutex, PoisonError, Weak};

use napi::Env;

use crate::toolkit::Shared;

/// The toolkits of one environment. Lives in its instance data, which Node gives back when the
/// environment (a worker, an embedded instance) is torn down.
#[derive(Default)]
struct Toolkits(Vec<Weak<Shared>>);

/// The toolkits of all environments. `process.exit()` tears no environment down, so this is the only
/// way to find them then.
static ALL: Mutex<Toolkits> = Mutex::new(Toolkits(Vec::new()));

/// Enters a toolkit, so that it is ended with its environment and with the process.
///
/// # Errors
/// When Node refuses the instance data.
pub(crate) fn enter(env: &Env, toolkit: Weak<Shared>) -> napi::Result<()> {
    let toolkits = if let Some(toolkits) = env.get_instance_data::<Toolkits>()? {
        toolkits
    } else {
        env.set_instance_data(Toolkits::default(), (), |mut context| context.value.end())?;
        env.get_instance_data::<Toolkits>()?
            .ok_or_else(|| napi::Error::from_reason("the instance data of the addon is gone"))?
    };
    toolkits.enter(toolkit.clone());
    ALL.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .enter(toolkit);
    end_with_process();
    Ok(())
}

impl Toolkits {
    fn enter(&mut self, toolkit: Weak<Shared>) {
        self.0.retain(|known| known.strong_count() > 0);
        self.0.push(toolkit);
    }

    fn end(&mut self) {
        self.0
            .drain(..)
            .filter_map(|known| known.upgrade())
            .for_each(|toolkit| toolkit.end_now());
    }
}

/// Sees to it, once, that toolkits are ended when the process exits.
#[cfg(unix)]
fn end_with_process() {
    static REGISTER: std::sync::Once = std::sync::Once::new();

    extern "C" fn end_all() {
        // Nothing may unwind into the C library, and the process ends anyway.
        let _ = std::panic::catch_unwind(|| {
            ALL.lock().unwrap_or_else(PoisonError::into_inner).end();
        });
    }

    REGISTER.call_once(|| {
        #[expect(
            unsafe_code,
            reason = "the standard library has no way to run code at exit"
        )]
        // SAFETY: `end_all` is a function without arguments that does not unwind, and it stays mapped:
        // napi pins the image of the addon as soon as a threadsafe function is made. A failure (no
        // memory) leaves commands of the last moment running, as if the process had been killed.
        let _ = unsafe { libc::atexit(end_all) };
    });
}

/// Windows ends what a process started by the job that the process layer puts it in.
#[cfg(not(unix))]
fn end_with_process() {}
