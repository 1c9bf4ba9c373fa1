//! Waiting that a person can end.

use std::time::Duration;

/// How often it is looked whether the person wants to end what takes long.
const LISTEN: Duration = Duration::from_millis(100);

/// Waits for something that changes nothing; nothing where the person wanted it to end before it came.
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
