//! A wait that a person can end.

use std::time::Duration;

/// The interval between two checks whether the person wants to end the wait.
const LISTEN: Duration = Duration::from_millis(100);

/// Waits for work that writes nothing. Returns `None` if the person ended the wait first.
pub async fn unless<T>(ends: impl Fn() -> bool, work: impl Future<Output = T>) -> Option<T> {
    let mut work = std::pin::pin!(work);
    loop {
        match tokio::time::timeout(LISTEN, work.as_mut()).await {
            Ok(done) => return Some(done),
            Err(_) if ends() => return None,
            Err(_) => {}
        }
    }
}
