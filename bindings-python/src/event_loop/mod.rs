//! Event loops: what asyncio says of them, their clocks, and what is kept of each that uses a
//! bulkhead.

pub(crate) mod asyncio;
pub(crate) mod clock;
pub(crate) mod driver;
pub(crate) mod wakes;
