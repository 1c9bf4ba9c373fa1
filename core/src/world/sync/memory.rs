//! What no object of the API shows: the memory of a controller, its choices, and what its informers have.

use super::SyncContext;
use crate::model::ObjectId;
use crate::world::{Answers, Cached, Memory, PluginAnswer, World};

impl<'s, Step> SyncContext<'_, 's, Step> {
    /// Stores what the controller remembers about an object. No object of the API shows it.
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

    /// Picks one of the options that are equally possible. Returns `None` if there is no option.
    pub fn pick_option<'o, O>(&mut self, options: &'o [O]) -> Option<&'o O> {
        let picked = self.choices.pick(options.len());
        options.get(picked)
    }

    /// Runs a part of a sync in which a plugin gives this answer.
    pub fn with_plugin_answer<R>(
        &mut self,
        answer: PluginAnswer,
        part: impl FnOnce(&mut SyncContext<'_, 's, Step>) -> R,
    ) -> R
    where
        Step: Clone,
    {
        let answers = Answers { plugin: Some(answer), ..self.answers.clone() };
        let mut inner = SyncContext {
            world: &mut *self.world,
            controller: &mut *self.controller,
            answers: &answers,
            choices: std::mem::take(&mut self.choices),
            record: std::mem::take(&mut self.record),
            writes: self.writes,
            crash_before: self.crash_before,
            tracing: self.tracing,
        };
        let result = part(&mut inner);
        let SyncContext { choices, record, writes, .. } = inner;
        (self.choices, self.record, self.writes) = (choices, record, writes);
        result
    }

    /// Returns the world as the informers show it. An object whose cached copy is stale has its older version, and an
    /// object that the informers have not seen is absent.
    pub fn informed_world(&self) -> World<'s> {
        let mut world = self.world.clone();
        for (id, cached) in &self.controller.cached {
            match cached {
                Cached::Unseen | Cached::Deleted(_) => world.put(*id, None),
                Cached::Stale(older) => world.put(*id, Some(older.clone())),
                Cached::InformerOnly => {}
            }
        }
        world
    }
}
