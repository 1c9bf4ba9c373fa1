//! Functions that compute on several threads and return the results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Condvar, Mutex, PoisonError};

/// Computes `work` for the numbers `0..length` on several threads, and returns the results in order.
pub fn in_parallel<T: Send>(threads: usize, length: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    const MOST: usize = 64;
    if threads <= 1 || length <= 1 {
        return (0..length).map(work).collect();
    }
    // One piece of work may take as long as all others together, so a batch holds only a few pieces.
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

/// Computes `work` for the numbers `0..length` on several threads. The calling thread passes each result to `hand_on`,
/// in order, while other threads compute. Only a few results wait at any time: work on a number that is far ahead
/// begins only after earlier results were passed on.
///
/// # Errors
/// The function returns the first error of `hand_on`, and passes on no further result.
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
    let next = AtomicUsize::new(0);
    let window = Window::new(threads.saturating_mul(AHEAD));
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..threads.min(length) {
            let (sender, next, window, work) = (sender.clone(), &next, &window, &work);
            scope.spawn(move || {
                let _end = EndOnPanic(window);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= length || !window.reaches(number) || sender.send((number, work(number))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let _end = EndOnPanic(&window);
        let mut early = BTreeMap::new();
        let mut handed = 0;
        // The channel ends when all threads have ended. The scope propagates the panic of a thread.
        for (number, result) in receiver {
            early.insert(number, result);
            while let Some(result) = early.remove(&handed) {
                handed += 1;
                if let Err(error) = hand_on(result) {
                    window.end();
                    return Err(error);
                }
                window.move_on();
            }
        }
        Ok(())
    })
}

/// The numbers on which threads may begin to work: those that are not too far ahead of the last result passed on.
struct Window {
    /// The first number on which no thread may begin yet. 0 means that no thread may begin on any number.
    end: Mutex<usize>,
    moved: Condvar,
}

impl Window {
    fn new(width: usize) -> Self {
        Self { end: Mutex::new(width), moved: Condvar::new() }
    }

    /// Waits until work on the number may begin. Returns false if no further work may begin.
    fn reaches(&self, number: usize) -> bool {
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let far = |end: &mut usize| *end > 0 && number >= *end;
        *self.moved.wait_while(end, far).unwrap_or_else(PoisonError::into_inner) > 0
    }

    fn move_on(&self) {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if *end > 0 {
            *end = end.saturating_add(1);
        }
        drop(end);
        self.moved.notify_all();
    }

    fn end(&self) {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = 0;
        self.moved.notify_all();
    }
}

/// Ends the window if the owning thread panics. Otherwise the other threads would wait forever for the work of this
/// thread.
struct EndOnPanic<'w>(&'w Window);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_none_is_begun_too_early() {
        for threads in [1, 2, 5, 64] {
            let (begun, mut handed) = (AtomicUsize::new(0), Vec::new());
            let work = |number: usize| {
                begun.fetch_max(number, Ordering::Relaxed);
                if number.is_multiple_of(7) {
                    (0..1000).for_each(|_| std::thread::yield_now());
                }
                number
            };
            let done = in_order(threads, 300, work, |number| {
                assert!(begun.load(Ordering::Relaxed) <= number + 8 * threads);
                handed.push(number);
                Ok::<(), ()>(())
            });
            assert_eq!((done, handed), (Ok(()), (0..300).collect()), "{threads} threads");
        }
    }

    /// One long piece of work does not delay the other pieces.
    #[test]
    fn a_slow_element_does_not_delay_the_others() {
        let done = AtomicUsize::new(0);
        let work = |number: usize| {
            if number == 0 {
                while done.load(Ordering::Relaxed) < 10 {
                    std::thread::yield_now();
                }
            }
            done.fetch_add(1, Ordering::Relaxed);
        };
        assert_eq!(in_order(2, 11, work, |()| Ok::<(), ()>(())), Ok(()));
    }

    #[test]
    fn after_an_error_nothing_is_handed_on_and_little_is_begun() {
        let (begun, mut handed) = (AtomicUsize::new(0), 0);
        let work = |number: usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            number
        };
        let failed = in_order(3, 10_000, work, |number| {
            handed += 1;
            if number == 4 { Err("full") } else { Ok(()) }
        });
        assert_eq!((failed, handed), (Err("full"), 5));
        assert!(begun.load(Ordering::Relaxed) <= 5 + 3 * 8);
    }

    #[test]
    fn a_panic_ends_it() {
        let panicked =
            std::panic::catch_unwind(|| in_order(3, 1000, |number| assert_ne!(number, 5), |()| Ok::<(), ()>(())));
        assert!(panicked.is_err());
    }
}
