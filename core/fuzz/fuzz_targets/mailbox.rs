//! Any bytes are what hosts write into their mailboxes; no exchange may panic or break an
//! invariant.
#![no_main]

#[path = "../../../engine/tests/mailbox/hosts/mod.rs"]
mod hosts;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    hosts::play(bytes);
});
