//! Lets the linker leave the host's symbols open where it needs to be told.

fn main() {
    napi_build::setup();
}
