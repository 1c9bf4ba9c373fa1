//! Work on several threads whose results come in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

/// The results for `0..length`, computed on several threads and put in order.
pub fn in_parallel<T: Send>(threads: usize, length: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    const MOST: usize = 64;
    if threads <= 1 || length <= 1 {
        return (0..length).map(work).collect();
    }
    // One piece of work may take as long as all others together, so few of them share a batch.
    let batch = (length / threads / 32).clamp(1, MOST);
    let next = AtomicUsize::new(0);
    let mut batches: Vec<(usize, Vec<T>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut done = Vec::new();
                    loop {
                        let start = next.fetch_add(batch, Ordering::Relaxed);
                        if start >= length {
                            return done;
                        }
                        done.push((start, (start..length.min(start + batch)).map(&work).collect()));
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    batches.sort_by_key(|(start, _)| *start);
    batches.into_iter().flat_map(|(_, batch)| batch).collect()
}

/// Computes `0..length` on several threads and hands the results on in order, on this one, while others are computed.
/// Few wait at any time: a thread that is far ahead waits for the ones before it.
///
/// # Errors
/// The first error of `hand_on`; no further result is handed on then.
pub fn in_order<T: Send, E>(
    threads: usize,
    length: usize,
    work: impl Fn(usize) -> T + Sync,
    mut hand_on: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    const AHEAD: usize = 8;
    if threads <= 1 || length <= 1 {
        return (0..length).try_for_each(|number| hand_on(work(number)));
    }
    std::thread::scope(|scope| {
        let work = &work;
        // Each thread has every so manieth number, so that the order of what it sends is known.
        let results: Vec<Receiver<T>> = (0..threads)
            .map(|first| {
                let (sender, receiver) = sync_channel(AHEAD);
                scope.spawn(move || {
                    for number in (first..length).step_by(threads) {
                        if sender.send(work(number)).is_err() {
                            return;
                        }
                    }
                });
                receiver
            })
            .collect();
        for number in 0..length {
            // A thread that ends early has panicked, which the scope passes on.
            let Ok(result) = results[number % threads].recv() else { break };
            hand_on(result)?;
        }
        Ok(())
    })
}
