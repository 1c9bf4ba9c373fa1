//! A value that is either in the snapshot or was made by a simulated write.

use std::ops::Deref;
use std::sync::Arc;

/// An object as a sync holds it: cheap to clone, whether it stands in the snapshot or was written since.
#[derive(Debug)]
pub enum Held<'s, T> {
    /// As it was read.
    Base(&'s T),
    /// As a simulated write left it.
    Written(Arc<T>),
}

impl<T> Clone for Held<'_, T> {
    fn clone(&self) -> Self {
        match self {
            Self::Base(object) => Self::Base(object),
            Self::Written(object) => Self::Written(Arc::clone(object)),
        }
    }
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Base(object) => object,
            Self::Written(object) => object,
        }
    }
}

impl<T: PartialEq> PartialEq for Held<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Held<'_, T> {}

impl<T> Held<'_, T> {
    /// Whether both are the very same value, not only an equal one.
    pub fn is(&self, other: &Self) -> bool {
        std::ptr::eq(&raw const **self, &raw const **other)
    }
}

impl<T: Clone> Held<'_, T> {
    /// The object by itself: shared, where it was written, or else copied.
    pub fn to_arc(&self) -> Arc<T> {
        match self {
            Self::Base(object) => Arc::new((*object).clone()),
            Self::Written(object) => Arc::clone(object),
        }
    }
}
