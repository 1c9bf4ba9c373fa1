//! What no object of the API shows: the memory of a controller, its choices, and what its informers have.

use super::SyncContext;
use crate::model::ObjectId;
use crate::world::{Cached, Memory, World};

impl<'s, Step> SyncContext<'_, 's, Step> {
    /// Stores what the controller remembers about an object and no object of the API shows.
    pub fn remember(&mut self, id: impl Into<ObjectId>, memory: Memory) {
        if !self.crashed() {
            self.world.remember(id, memory);
        }
    }

    /// Removes what the controller remembers about an object.
    pub fn forget(&mut self, id: impl Into<ObjectId>) {
        if !self.crashed() {
            self.world.forget(id);
        }
    }

    /// Picks one of the options that are equally possible. Returns nothing if there is none.
    pub fn pick_option<'o, O>(&mut self, options: &'o [O]) -> Option<&'o O> {
        let picked = self.choices.pick(options.len());
        options.get(picked)
    }

    /// Returns the world as the informers show it: objects whose cached copy lags are in their older version.
    pub fn informed_world(&self) -> World<'s> {
        let mut world = self.world.clone();
        for (id, cached) in &self.controller.cached {
            match cached {
                Cached::Unseen => world.put(*id, None),
                Cached::Stale(older) => world.put(*id, Some(older.clone())),
                Cached::InformerOnly => {}
            }
        }
        world
    }
}
