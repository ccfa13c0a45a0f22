//! Lets the linker leave the host's symbols open where it needs that option.

fn main() {
    napi_build::setup();
}
