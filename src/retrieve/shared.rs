//! What the program lists and what a person makes, held alike.

#![warn(missing_docs)]

use std::ops::Deref;
use std::sync::Arc;

/// One of a list of the program, or one that was made while it runs. A copy costs nothing, and the last one takes what
/// was made with it.
#[derive(Debug)]
pub enum Shared<T: 'static> {
    /// One of the program's own table.
    Listed(&'static T),
    /// One that a person made.
    Made(Arc<T>),
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        match self {
            Shared::Listed(one) => Shared::Listed(one),
            Shared::Made(one) => Shared::Made(Arc::clone(one)),
        }
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Shared::Listed(one) => one,
            Shared::Made(one) => one,
        }
    }
}

impl<T> From<&'static T> for Shared<T> {
    fn from(one: &'static T) -> Self {
        Shared::Listed(one)
    }
}

impl<T> From<T> for Shared<T> {
    fn from(one: T) -> Self {
        Shared::Made(Arc::new(one))
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
