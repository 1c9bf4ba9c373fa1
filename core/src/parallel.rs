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
/// in order, while other threads compute. Only a few results are kept at any time: work on a number begins only after
/// all earlier results, except a few, were passed on.
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
