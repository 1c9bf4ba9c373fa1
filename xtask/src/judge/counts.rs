//! The numbers of compared answers.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::AddAssign;

/// Defines a set of numbers with their names. The macro includes every number in the sum and in the text.
macro_rules! numbers {
    ($(#[$about:meta])* $Numbers:ident { $($(#[$says:meta])* $number:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
        pub struct $Numbers {
            $($(#[$says])* pub $number: usize,)*
        }

        impl $Numbers {
            /// Returns all numbers with their names.
            pub fn named(&self) -> impl Iterator<Item = (&'static str, usize)> + use<> {
                [$((stringify!($number), self.$number)),*].into_iter()
            }
        }

        impl AddAssign for $Numbers {
            fn add_assign(&mut self, other: Self) {
                $(self.$number += other.$number;)*
            }
        }
    };
}

numbers! {
    /// The numbers of compared answers.
    Counts {
        /// Sets of decisions.
        decisions,
        /// Sets of decisions with a folded decision, which represents other decisions.
        folded,
        /// Sets of decisions whose log entries were compared.
        logged,
        /// Log entries that were found, each with its leaf.
        log_lines,
        /// Decisions whose log entries tell the leaf at which the sync ended, and log entries of runs that tell a leaf.
        log_leaves,
        /// Log entries of runs that name an object or a volume.
        log_objects,
        /// Objects that were left out, because the API server would not store them today.
        refused,
        /// Searches for a volume.
        matches,
        /// Claims whose candidates were compared with the volume that the real decisions name.
        chosen,
        /// Sets of ends.
        ends,
        /// Sets of ends of pods, if the scheduler takes part.
        ends_of_pods,
        /// Objects whose component is too large to be explored, if the scheduler takes part.
        unexplored,
        /// Sets of ends that are exact.
        exact,
        /// Sets of ends that are not exact, because recyclings of other volumes may interfere.
        crowded,
        /// Sets with a single end.
        single,
        /// Ends in all sets.
        members,
        /// Listed outcomes in all sets. Several of them may be the same end.
        listed,
        /// Ends that were seen.
        seen,
        /// Ends and joint ends that were reached by the schedule that the prediction gives.
        proved,
        /// Sets that were compared under a limit.
        limited,
        /// Ends in the sets of the engines that do not explore.
        coarse,
        /// Exact sets of the engines that do not explore.
        coarse_exact,
        /// Objects whose prediction of a change was compared.
        changes,
        /// Components whose joint ends were compared.
        components,
        /// Predicted joint ends of these components.
        worlds,
        /// Joint ends that were seen.
        worlds_seen,
        /// Pods for which the scheduler was asked.
        scheduling,
        /// Nodes about which the scheduler was asked, summed over the pods.
        scheduling_nodes,
        /// Nodes among `scheduling_nodes` with several possible verdicts.
        scheduling_open,
        /// Claims about which the external provisioner was asked.
        provisioned_claims,
        /// Claims among `provisioned_claims` for which the provisioner calls the driver.
        provisioned_requests,
        /// Volumes about which the external provisioner was asked.
        provisioned_volumes,
        /// Claims with the finalizer of cloning protection.
        provisioned_clones,
        /// Runs of the attach/detach controller.
        attaching_runs,
        /// Moments of these runs at which the controller does something.
        attaching_moments,
        /// Actions of the controller in these runs.
        attaching_actions,
        /// Volumes whose attachments at the end of these runs were compared.
        attachment_ends,
        /// Volumes among `attachment_ends` whose ends are not known, because too many are possible.
        attachment_ends_open,
        /// Volumes whose ends under all behaviors of the attachers were compared with the predicted ends.
        attachment_ends_exact,
        /// Ends of these volumes.
        attachment_ends_members,
        /// Worlds without this comparison, because there are too many behaviors or because something never ends.
        attachment_ends_skipped,
        /// Attachments about which the external attacher was asked.
        attacher_attachments,
        /// Attachments among `attacher_attachments` for which the attacher calls the driver.
        attacher_calls,
        /// Volumes about which the external attacher was asked.
        attacher_volumes,
        /// Attachments that were compared with the volumes of the driver.
        attacher_compared,
        /// Attachments about which the ends of attaching must know whether the attacher asks its driver.
        attacher_ends,
        /// Claims about which the resize controller of the external resizer was asked.
        resizer_resizes,
        /// Claims about which the modify controller of the external resizer was asked.
        resizer_modifies,
        /// Claims among both for which the resizer calls the driver.
        resizer_calls,
        /// Reconciliations of Volumes by the shared-volume controller.
        shared_syncs,
        /// Requests of these reconciliations that are no reads.
        shared_requests,
        /// Reconciliations that a series of repeated reconciliations has foretold.
        shared_series,
        /// Events of Volumes that the filters of the shared-volume controller judged.
        shared_events,
        /// Pods about whose volumes the kubelet was asked.
        mounting_pods,
        /// Pods among `mounting_pods` that compete for a `ReadWriteOncePod` volume, so that several ends are possible.
        mounting_open,
        /// Ends that are possible for all these pods together.
        mounting_ends,
        /// Runs of the kubelet's volume manager.
        managing_runs,
        /// Moments of these runs at which the kubelet did something.
        managing_moments,
        /// What the kubelet did at these moments.
        managing_actions,
        /// Answers for worlds of which a part was hidden.
        cuts,
        /// Answers among `cuts` that differ from the real answer. All of them are marked as uncertain.
        doubted,
        /// Answers among `cuts` that are not marked as uncertain. All of them are correct.
        confident,
    }
}

numbers! {
    /// The numbers of additional questions to the engines.
    EngineCounts {
        /// States that the explorations visited. The number measures the cost of the explorations.
        states,
        /// Components that were explored in every order of syncs.
        in_full,
        /// States of the explorations in `in_full`.
        states_in_full,
        /// Components that were explored with failures.
        failing,
        /// States of the explorations in `failing`.
        states_failing,
        /// Explorations that begin with a stale cache, an operation in backoff or a refused request.
        with_failures,
        /// States of the explorations in `with_failures`.
        states_with_failures,
        /// Ends that the fixpoint engine lists with failures.
        listed_failing,
        /// Ends that the fixpoint engine lists if the simulation begins with a stale cache, an operation in backoff or
        /// a refused request.
        listed_with_failures,
        /// Ends that the fixpoint engine lists in the large common case.
        listed_large,
        /// Schedules that were followed.
        followed,
        /// Steps of the schedules in `followed`.
        steps,
    }
}

impl Counts {
    /// Returns whether nothing was compared.
    pub fn is_empty(&self) -> bool {
        self.decisions
            + self.matches
            + self.ends
            + self.unexplored
            + self.scheduling
            + self.provisioned_claims
            + self.attaching_runs
            + self.attachment_ends_exact
            + self.attacher_attachments
            + self.attacher_volumes
            + self.resizer_resizes
            + self.resizer_modifies
            + self.shared_syncs
            + self.shared_events
            + self.mounting_pods
            + self.managing_runs
            == 0
    }
}

impl fmt::Display for Counts {
    /// Prints all numbers that are not zero.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (name, number) in self.named().filter(|(_, number)| *number > 0) {
            let comma = if std::mem::take(&mut first) { "" } else { ", " };
            write!(out, "{comma}{} {number}", name.replace('_', " "))?;
        }
        if first { out.write_str("nothing") } else { Ok(()) }
    }
}
