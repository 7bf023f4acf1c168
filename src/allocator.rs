//! Where the memory of the addon comes from.

use mimalloc::MiMalloc;

/// Every call makes and drops many short pieces of text: docs/decisions/0014 says what this one gains and costs.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;
