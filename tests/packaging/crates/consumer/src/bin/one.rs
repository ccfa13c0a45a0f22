//! One permit, two calls, no queue.

use bulkheads_core::{Admission, Bulkhead, Config, Instant, Outcome, Request};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut shipping = Bulkhead::new(Config::new(1))?;
    if let Admission::Admitted(first) = shipping.acquire(Instant::ZERO, Request::run(1))? {
        if let Admission::Rejected(rejection) = shipping.acquire(Instant::ZERO, Request::run(1))? {
            println!("{rejection}");
        }
        shipping.finish(Instant::ZERO, first, Outcome::Completed);
    }
    println!("{} completed", shipping.snapshot().completed);
    Ok(())
}
