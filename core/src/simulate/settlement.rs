//! All components of a snapshot. The outcomes of a component are computed when they are first needed, because an answer
//! about a single object needs only a few components.

use super::component::{Component, components_of};
use super::created::WorldsWithCreated;
use super::engine::Engine;
use super::settle::{Settled, settle_in};
use crate::controllers::spec::{Needs, note_gap};
use crate::controllers::{OutcomeSet, Participants, Settings};
use crate::model::{Kind, ObjectId};
use crate::parallel::in_parallel;
use crate::snapshot::{Absence, Snapshot};
use crate::world::Need;
use std::fmt;
use std::sync::OnceLock;

/// The components of a snapshot with their outcomes, and with the incomplete lists on which the outcomes rest.
pub struct Settlement<'s> {
    snapshot: &'s Snapshot,
    settings: Settings<'s>,
    engines: &'static [&'static Engine],
    participants: Participants,
    /// For each participant, the number of its component and its position in the component.
    places: Vec<(u32, u32)>,
    components: Vec<Component>,
    settled: Vec<OnceLock<Settled>>,
    uncertain: Vec<OnceLock<Vec<(Need, Absence)>>>,
    needs: Vec<Needs<'s>>,
    with_created: WorldsWithCreated,
}

impl<'s> Settlement<'s> {
    /// Divides the snapshot into components. No component is settled yet.
    pub(super) fn new(snapshot: &'s Snapshot, settings: Settings<'s>, engines: &'static [&'static Engine]) -> Self {
        let participants = Participants::new(snapshot, &settings.controllers);
        let components = components_of(snapshot, &settings, &participants);
        let mut places = vec![(0, 0); participants.count()];
        for (number, component) in (0u32..).zip(&components) {
            for (place, id) in (0u32..).zip(&component.objects) {
                if let Some(taken) = participants.number(*id) {
                    places[taken] = (number, place);
                }
            }
        }
        Self {
            settled: components.iter().map(|_| OnceLock::new()).collect(),
            uncertain: components.iter().map(|_| OnceLock::new()).collect(),
            needs: settings.controllers.iter().map(|controller| (controller.needs)(snapshot, &settings)).collect(),
            with_created: WorldsWithCreated::new(engines),
            snapshot,
            settings,
            engines,
            participants,
            places,
            components,
        }
    }

    /// Settles all components, on the given number of threads.
    pub(super) fn settle_all(&self, threads: usize) {
        in_parallel(threads, self.components.len(), |number| {
            self.settled(number);
            self.uncertain_of(number);
        });
    }

    pub(super) fn snapshot(&self) -> &'s Snapshot {
        self.snapshot
    }

    /// Returns the settings of the simulation.
    pub fn settings(&self) -> &Settings<'s> {
        &self.settings
    }

    pub(super) fn engines(&self) -> &'static [&'static Engine] {
        self.engines
    }

    pub(super) fn participants(&self) -> &Participants {
        &self.participants
    }

    pub(super) fn components(&self) -> &[Component] {
        &self.components
    }

    /// Returns the number of an object's component and the object's position in the component. For an object that is
    /// not a participant, the result is the first position of the first component.
    pub(super) fn place(&self, id: ObjectId) -> (usize, usize) {
        let place = self.participants.number(id).and_then(|number| self.places.get(number)).copied();
        let (number, place) = place.unwrap_or_default();
        (number as usize, place as usize)
    }

    /// Returns the outcomes of the component with this number.
    pub(super) fn settled(&self, number: usize) -> &Settled {
        self.settled[number].get_or_init(|| self.settle(number))
    }

    /// Returns the incomplete lists on which the outcomes of the component with this number rest.
    pub(super) fn uncertain_of(&self, number: usize) -> &[(Need, Absence)] {
        self.uncertain[number].get_or_init(|| self.find_gaps(number))
    }

    fn settle(&self, number: usize) -> Settled {
        settle_in(self.snapshot, &self.settings, self.engines, &self.components[number], &self.with_created)
    }

    fn find_gaps(&self, number: usize) -> Vec<(Need, Absence)> {
        let mut found = Vec::new();
        for (need, absence) in self.needs.iter().flat_map(|needs| needs(&self.components[number].objects)) {
            note_gap(&mut found, need.kind, &need.namespace, absence);
        }
        found
    }

    /// Returns the outcomes of an object.
    pub fn outcomes(&self, id: ObjectId) -> &OutcomeSet {
        let (number, place) = self.place(id);
        &self.settled(number).sets[place]
    }

    /// Returns the incomplete lists on which the outcomes of an object rest. Each list is returned with the meaning of
    /// an object's absence from the list.
    pub fn uncertain(&self, id: ObjectId) -> &[(Need, Absence)] {
        self.uncertain_of(self.place(id).0)
    }

    /// Changes the outcomes of the component of an object. `change` also gets the object's position in the component.
    pub fn change<R>(&mut self, id: ObjectId, change: impl FnOnce(&mut Settled, usize) -> R) -> R {
        let (number, place) = self.place(id);
        let mut settled = self.settled[number].take().unwrap_or_else(|| self.settle(number));
        let result = change(&mut settled, place);
        self.settled[number] = settled.into();
        result
    }

    /// Adds an incomplete list on which the outcomes of an object rest.
    pub fn add_gap(&mut self, id: ObjectId, kind: Kind, namespace: &str, absence: Absence) {
        let number = self.place(id).0;
        let mut found = self.uncertain[number].take().unwrap_or_else(|| self.find_gaps(number));
        note_gap(&mut found, kind, namespace, absence);
        self.uncertain[number] = found.into();
    }
}

impl fmt::Debug for Settlement<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The functions in `needs` cannot be shown.
        out.debug_struct("Settlement")
            .field("components", &self.components)
            .field("settled", &self.settled)
            .field("uncertain", &self.uncertain)
            .finish_non_exhaustive()
    }
}
