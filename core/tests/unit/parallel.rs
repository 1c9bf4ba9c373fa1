//! Tests of `pvctl_core::parallel`.

use pvctl_core::parallel::*;
use std::sync::atomic::{AtomicUsize, Ordering};

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
