//! What became of the cases, by kind.

use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Applied,
    Refused,
    Wrong,
    /// What was spoilt is a faultless call for something else, as it stands: there is no right answer.
    Void,
}

impl Outcome {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Refused => "refused",
            Self::Wrong => "wrong",
            Self::Void => "void",
        }
    }
}

#[derive(Default)]
pub(crate) struct Tally {
    kinds: BTreeMap<&'static str, [usize; 4]>,
    failures: Vec<String>,
}

impl Tally {
    pub(crate) fn count(&mut self, kind: &'static str, run: impl FnOnce() -> (Outcome, String)) {
        let (outcome, story) = run();
        self.kinds.entry(kind).or_default()[outcome as usize] += 1;
        if outcome == Outcome::Wrong {
            self.failures.push(format!("== {kind}\n{story}"));
        }
        if outcome == Outcome::Refused
            && std::env::var("TENON_SPOILT_SHOW").is_ok_and(|name| name == kind)
        {
            println!("== refused: {kind}\n{story}\n");
        }
    }

    /// Prints the table, and fails on any wrong edit or if too few were applied.
    pub(crate) fn settle(&self, title: &str, least_applied: f64) {
        let mut sums = [0; 4];
        println!("{title:34} applied refused   wrong    void");
        for (kind, counts) in &self.kinds {
            println!(
                "{kind:34} {:7} {:7} {:7} {:7}",
                counts[0], counts[1], counts[2], counts[3]
            );
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
        println!(
            "{:34} {:7} {:7} {:7} {:7}",
            "all", sums[0], sums[1], sums[2], sums[3]
        );
        for failure in self.failures.iter().take(setting_shown()) {
            println!("{failure}\n");
        }
        assert_eq!(
            self.failures.len(),
            0,
            "wrong edits, the first of them above"
        );
        let share = sums[0] as f64 / (sums[0] + sums[1]).max(1) as f64;
        assert!(
            share >= least_applied,
            "only {share:.2} of the cases were applied"
        );
    }
}

fn setting_shown() -> usize {
    std::env::var("TENON_SPOILT_WRONG")
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(5)
}
