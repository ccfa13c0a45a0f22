//! What the standard library would bring, without its weight: most of a module that links it is
//! the text and the machinery of panics that cannot happen.

use core::panic::PanicInfo;

use rlsf::SmallGlobalTlsf;

#[global_allocator]
static ALLOCATOR: SmallGlobalTlsf = SmallGlobalTlsf::new();

/// The core does not panic on any input. If it did, or memory ran out, the host sees a
/// `WebAssembly.RuntimeError`.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
