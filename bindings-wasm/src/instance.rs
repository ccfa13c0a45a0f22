//! What one instance of the module holds: the host gives each thread an instance of its own.

use core::cell::UnsafeCell;

use bulkheads_engine::mailbox::{self, Mailbox};
use bulkheads_engine::{Engine, Fault, Handles};

pub(crate) struct Instance {
    pub(crate) engines: Handles<Engine>,
    pub(crate) mail: Mailbox,
    /// What was wrong with the options of the last `open`.
    pub(crate) fault: Option<Fault>,
}

struct Single(UnsafeCell<Instance>);

// SAFETY: a module without shared memory has one thread.
unsafe impl Sync for Single {}

static INSTANCE: Single = Single(UnsafeCell::new(Instance {
    engines: Handles::new(),
    mail: mailbox::empty(),
    fault: None,
}));

/// The instance, for one call of the host's.
pub(crate) fn with<R>(act: impl FnOnce(&mut Instance) -> R) -> R {
    // SAFETY: one thread, and `act` calls nothing of the host's that could come back here.
    act(unsafe { &mut *INSTANCE.0.get() })
}

/// The engine that the mailbox names, with the mailbox; `None` if it names none.
pub(crate) fn with_engine<R>(act: impl FnOnce(&mut Engine, &mut Mailbox) -> R) -> Option<R> {
    with(|instance| {
        let Instance { engines, mail, .. } = instance;
        let Some(engine) = engines.get_mut(mailbox::handle(mail)) else {
            mailbox::answer_nothing(mail);
            return None;
        };
        Some(act(engine, mail))
    })
}
