# To be sourced after lib.sh: Debian's own compiler, which has the source of the standard library
# and so can build for targets that the machine's compiler has no library for.

has_library_for() { [ -d "$(rustc --print sysroot)/lib/rustlib/$1" ]; }

has_debian_rust() {
    [ -x /usr/bin/cargo ] && [ -x /usr/bin/rustc ] &&
        [ -f "$(/usr/bin/rustc --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library/std/Cargo.toml" ]
}

DEBIAN_RUST="rustc-web rust-web-src cargo-web"

debian_cargo() { env -u RUSTUP_TOOLCHAIN RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo "$@"; }
