//! What the core allocates: little for an idle compartment, nothing in the steady state.

mod counting;
mod idle;
mod steady_state;
