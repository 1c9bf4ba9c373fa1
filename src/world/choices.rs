//! Where upstream's result depends on an order that nobody controls, a sync asks here.

/// The choices of one run: a script to follow, and what was met on the way.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    script: Vec<usize>,
    met: Vec<(usize, usize)>,
}

impl Choices {
    /// Every choice falls on the first option.
    pub fn first() -> Self {
        Self::default()
    }

    /// Picks among `options` equal possibilities; 0 when there is nothing to pick.
    pub fn pick(&mut self, options: usize) -> usize {
        if options <= 1 {
            return 0;
        }
        let picked = self.script.get(self.met.len()).copied().unwrap_or(0).min(options - 1);
        self.met.push((picked, options));
        picked
    }

    /// How many runs there are in all, as far as this run can tell: the product of the options at each choice.
    pub fn runs(&self) -> u64 {
        self.met.iter().fold(1, |runs, (_, options)| runs.saturating_mul(*options as u64))
    }

    /// The same choices once more.
    #[must_use]
    pub fn repeat(&self) -> Self {
        Self { script: self.met.iter().map(|(picked, _)| *picked).collect(), met: Vec::new() }
    }

    /// The script of the next run in order, if there is one.
    pub fn next(&self) -> Option<Self> {
        let last = self.met.iter().rposition(|(picked, options)| picked + 1 < *options)?;
        let mut script: Vec<usize> = self.met[..=last].iter().map(|(picked, _)| *picked).collect();
        script[last] += 1;
        Some(Self { script, met: Vec::new() })
    }
}
