//! An object that is either in the snapshot or was made by a simulated write.

use std::ops::Deref;
use std::sync::Arc;

/// An object as a sync uses it. A clone copies only a pointer.
#[derive(Debug)]
pub enum Held<'s, T> {
    /// The object as it was read.
    Base(&'s T),
    /// The object as a simulated write stored it.
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
    /// Returns whether both refer to the same value in memory. Equal values are not enough.
    pub fn is(&self, other: &Self) -> bool {
        std::ptr::eq(&raw const **self, &raw const **other)
    }
}

impl<T: Clone> Held<'_, T> {
    /// Returns the object as a shared pointer. A written object is shared, an object of the snapshot is copied.
    pub fn to_arc(&self) -> Arc<T> {
        match self {
            Self::Base(object) => Arc::new((*object).clone()),
            Self::Written(object) => Arc::clone(object),
        }
    }
}
