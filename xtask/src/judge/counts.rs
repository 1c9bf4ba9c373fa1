//! What was compared, in numbers.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::AddAssign;

/// A set of numbers, each with its name: no number can be left out of the sum or of the text.
macro_rules! numbers {
    ($(#[$about:meta])* $Numbers:ident { $($(#[$says:meta])* $number:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
        pub struct $Numbers {
            $($(#[$says])* pub $number: usize,)*
        }

        impl $Numbers {
            /// Every number with its name.
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
    /// What was compared, in numbers.
    Counts {
        /// Sets of decisions.
        decisions,
        /// Those that hold decisions for which no run was made.
        folded,
        /// Objects left out, because the API server refused to store them as they are.
        refused,
        /// Searches for a volume.
        matches,
        /// Claims whose candidates were compared with the volume that the real decisions name.
        chosen,
        /// Sets of ends.
        ends,
        /// Exact ones among them.
        exact,
        /// Those that are not, because recyclings of others may be in the way.
        crowded,
        /// Those with one member.
        single,
        /// Their members.
        members,
        /// The outcomes that are listed for them, which may be more than one for the same end.
        listed,
        /// The ends that were seen.
        seen,
        /// The ends, alone and joint, that were reached by the schedule that is said to lead there.
        proved,
        /// Sets under a limit.
        limited,
        /// The members of the sets of the engines that do not explore.
        coarse,
        /// Exact sets among those.
        coarse_exact,
        /// Objects of which was compared whether they change.
        changes,
        /// Components whose joint ends were compared.
        components,
        /// Their predicted joint ends.
        worlds,
        /// The joint ends that were seen.
        worlds_seen,
        /// Answers from worlds with a part cut out.
        cuts,
        /// Those that differ from the real answer, all of them with a doubt.
        doubted,
        /// Those without any doubt, all of them right.
        confident,
    }
}

numbers! {
    /// What the engines were asked, in numbers.
    EngineCounts {
        /// The states that the explorations met, which is what they cost.
        states,
        /// Components that were explored in full, and the states of that.
        in_full,
        /// The states of those explorations.
        states_in_full,
        /// Components that were explored with failures.
        failing,
        /// The states of those explorations.
        states_failing,
        /// Explorations that begin with a memory or an answer that is not the ordinary one.
        with_failures,
        /// The states of those explorations.
        states_with_failures,
        /// The ends that the engine for everything else lists where failures are asked for.
        listed_failing,
        /// The ends that it lists where the memory is not the ordinary one.
        listed_with_failures,
        /// The ends that it lists in the large common case.
        listed_large,
        /// Schedules that were followed.
        followed,
        /// Their steps.
        steps,
    }
}

impl Counts {
    /// Whether there was anything to compare.
    pub fn is_empty(&self) -> bool {
        self.decisions + self.matches + self.ends == 0
    }
}

impl fmt::Display for Counts {
    /// All numbers that are not zero.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (name, number) in self.named().filter(|(_, number)| *number > 0) {
            let comma = if std::mem::take(&mut first) { "" } else { ", " };
            write!(out, "{comma}{} {number}", name.replace('_', " "))?;
        }
        if first { out.write_str("nothing") } else { Ok(()) }
    }
}
