//! The time of the whole command: what each pass over the program took, and how long further passes may take.
//!
//! The user waits for all of them, so all share one budget. By default it is [`TIMES_NATIVE`] times the program's own
//! time and [`SECONDS`]. That own time is not measured, because a run without instrumentation would repeat the program's
//! effects once more: it is estimated as a [`TYPICAL_SLOWDOWN`]th of the first run (a [`TYPICAL_DETECTION`]th, if that only detects). All times are processor times: a busy
//! machine must not change verdicts. The first run always ends by itself (`--timeout` limits it), and compiling does not
//! count. A further run that exceeds its part of the budget is killed; what it was not given is left for others, so that causes are
//! still proved after a run with more bits took too long.
//!
//! What it can miss: a program that waits (for input, a disk, a network) may wait again in further runs, each at most as long
//! as the budget.

use std::{
    cell::RefCell,
    fmt,
    str::FromStr,
    time::{Duration, Instant},
};

use crate::run;

const TIMES_NATIVE: u32 = 30;
const SECONDS: u64 = 10;
/// How much slower a run that explains is than the program itself (`make bench-overhead`, geometric mean).
const TYPICAL_SLOWDOWN: u32 = 20;
/// The same of a run that only detects.
const TYPICAL_DETECTION: u32 = 6;
/// The run that explains is worth more than the budget, but not more than this many times native.
const MOST_FOR_EXPLANATION: u32 = 70;

/// `--budget`: how long the runs of one command may take together.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum TimeBudget {
    /// In proportion to the program's own time.
    #[default]
    Proportional,
    Limited(Duration),
    Unlimited,
}

impl FromStr for TimeBudget {
    type Err = String;

    /// A number with a unit, as in `90s`, `5m` and `2h`, or `none`.
    fn from_str(text: &str) -> Result<TimeBudget, String> {
        const WANTED: &str = "give a time as in 90s, 5m or 2h, or none";
        if text == "none" {
            return Ok(TimeBudget::Unlimited);
        }
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit = match &text[digits.len()..] {
            "s" | "" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return Err(WANTED.to_owned()),
        };
        let number: f64 = digits.parse().map_err(|_| WANTED.to_owned())?;
        let limit = Duration::try_from_secs_f64(number * unit).map_err(|_| WANTED.to_owned())?;
        Ok(TimeBudget::Limited(limit))
    }
}

/// Why the program was run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The user's run: may anything be wrong?
    Detection,
    /// The user's run, if it explains at once.
    First,
    /// Residues are perturbed, to confirm them where their bounds are too large.
    Confirmation,
    /// What detection is not sure of is explained.
    Explanation,
    /// What the compiler had computed itself is computed by the program.
    ConstantFolding,
    /// More bits decide what the first run left undecided.
    MorePrecision { bits: u32 },
    /// Some statements count as computed exactly, in the build that explains.
    Intervention,
    /// The same in a build that only follows errors.
    Measurement,
    /// Every decision is that of exact arithmetic.
    Steering,
    /// The program is started in another way.
    Variant,
}

/// One run, with the compilation that was needed for it.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    pub purpose: Purpose,
    pub compiling: Duration,
    pub running: Duration,
    /// Processor time of the run.
    pub processor: Duration,
    /// The time that it was given, if the budget ended it.
    pub cut_off_after: Option<Duration>,
}

impl Pass {
    pub fn is_cut_off(&self) -> bool {
        self.cut_off_after.is_some()
    }

    /// What it takes from the budget. A run that waits is cut off with little processor time, and the next would wait as long.
    fn charged(&self) -> Duration {
        self.processor.max(self.cut_off_after.unwrap_or_default())
    }
}

/// The passes so far.
pub struct Clock {
    budget: TimeBudget,
    passes: RefCell<Vec<Pass>>,
}

impl Clock {
    pub fn new(budget: TimeBudget) -> Clock {
        Clock {
            budget,
            passes: RefCell::default(),
        }
    }

    /// Runs the program for a purpose and writes down what it took. `cut_off_after` says which limit ended it, if one did.
    pub fn time<T>(
        &self,
        purpose: Purpose,
        compiling: Duration,
        run: impl FnOnce() -> T,
        cut_off_after: impl FnOnce(&T) -> Option<Duration>,
    ) -> T {
        let (start, before) = (Instant::now(), processor_time_of_children());
        let result = run();
        self.passes.borrow_mut().push(Pass {
            purpose,
            compiling,
            running: start.elapsed(),
            processor: processor_time_of_children().saturating_sub(before),
            cut_off_after: cut_off_after(&result),
        });
        result
    }

    /// How long all runs may take together.
    pub fn limit(&self) -> Option<Duration> {
        match self.budget {
            TimeBudget::Unlimited => None,
            TimeBudget::Limited(limit) => Some(limit),
            TimeBudget::Proportional => {
                Some(Duration::from_secs(SECONDS) + self.native() * TIMES_NATIVE)
            }
        }
    }

    /// How long the program itself would take, by its first run.
    fn native(&self) -> Duration {
        let passes = self.passes.borrow();
        let slowdown = |purpose| match purpose {
            Purpose::Detection => TYPICAL_DETECTION,
            _ => TYPICAL_SLOWDOWN,
        };
        let first = passes.first();
        first.map_or(Duration::ZERO, |pass| {
            pass.processor / slowdown(pass.purpose)
        })
    }

    /// How long the run that explains may take; none if it is not limited.
    pub fn limit_of_explanation(&self) -> Option<Duration> {
        match self.budget {
            _ if run::was_ended() => Some(Duration::ZERO),
            TimeBudget::Proportional => {
                Some(Duration::from_secs(SECONDS) + self.native() * MOST_FOR_EXPLANATION)
            }
            TimeBudget::Unlimited | TimeBudget::Limited(_) => self.left(),
        }
    }

    /// How long further runs may take together; none if they are not limited.
    pub fn left(&self) -> Option<Duration> {
        if run::was_ended() {
            return Some(Duration::ZERO);
        }
        let limit = self.limit()?;
        let passes = self.passes.borrow();
        Some(limit.saturating_sub(passes.iter().map(Pass::charged).sum()))
    }

    /// What the last run took that explained with residues.
    pub fn explaining(&self) -> Option<Duration> {
        self.explaining_pass().map(|pass| pass.processor)
    }

    /// Whether building a program once more is cheap beside a dozen runs of it.
    pub fn is_build_worthwhile(&self) -> bool {
        const RUNS: u32 = 12;
        let last = self.explaining_pass();
        last.is_some_and(|pass| pass.processor * RUNS >= pass.compiling)
    }

    /// What the run took that only detected; nothing if there was none.
    pub fn detection(&self) -> Duration {
        let passes = self.passes.borrow();
        let mut detections = passes
            .iter()
            .filter(|pass| pass.purpose == Purpose::Detection);
        detections
            .next()
            .map_or(Duration::ZERO, |pass| pass.processor)
    }

    fn explaining_pass(&self) -> Option<Pass> {
        let passes = self.passes.borrow();
        let explains = |pass: &&Pass| {
            use Purpose::*;
            matches!(pass.purpose, First | Explanation | ConstantFolding)
        };
        passes.iter().rev().find(explains).copied()
    }

    /// What the fastest run took that was for the same and ended.
    pub fn fastest(&self, purpose: Purpose) -> Option<Duration> {
        let passes = self.passes.borrow();
        let same = passes
            .iter()
            .filter(|pass| pass.purpose == purpose && !pass.is_cut_off());
        same.map(|pass| pass.processor).min()
    }

    /// What the last run took.
    pub fn last(&self) -> Duration {
        let passes = self.passes.borrow();
        passes.last().map_or(Duration::ZERO, |pass| pass.processor)
    }

    pub fn is_used_up(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    pub fn into_passes(self) -> Vec<Pass> {
        self.passes.into_inner()
    }

    /// What to do about a budget that did not suffice.
    pub fn advice(&self) -> String {
        if run::was_ended() {
            return "a signal ended further runs: start lostbits again".to_owned();
        }
        let limit = self.limit().map_or(0.0, |limit| limit.as_secs_f64());
        format!(
            "the runs exceed the time budget of {}: add --budget {} or --budget none",
            Seconds(limit),
            Seconds(10.0 * limit),
        )
    }
}

/// Seconds as `--budget` reads them.
struct Seconds(f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            seconds if seconds < 1.0 => write!(f, "{seconds:.1}s"),
            seconds if seconds < 120.0 => write!(f, "{seconds:.0}s"),
            seconds if seconds < 7200.0 => write!(f, "{:.0}m", seconds / 60.0),
            seconds => write!(f, "{:.0}h", seconds / 3600.0),
        }
    }
}

/// User and system time of all children that have ended.
fn processor_time_of_children() -> Duration {
    // SAFETY: an all-zero `rusage` is a value, and the pointer is to a live variable.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let time = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(budget: TimeBudget, seconds: &[u64]) -> Clock {
        let clock = Clock::new(budget);
        let pass = |seconds: &u64| Pass {
            purpose: Purpose::First,
            compiling: Duration::from_secs(99),
            running: Duration::from_secs(500),
            processor: Duration::from_secs(*seconds),
            cut_off_after: None,
        };
        clock.passes.borrow_mut().extend(seconds.iter().map(pass));
        clock
    }

    #[test]
    fn budgets_are_read_and_written() {
        let limited = |seconds| Ok(TimeBudget::Limited(Duration::from_secs(seconds)));
        assert_eq!("none".parse(), Ok(TimeBudget::Unlimited));
        assert_eq!("90".parse(), limited(90));
        assert_eq!("90s".parse(), limited(90));
        assert_eq!("5m".parse(), limited(300));
        assert_eq!("1.5h".parse(), limited(5400));
        for bad in ["", "m", "-1s", "5 minutes", "NaN", "inf", "3d", "1e300h"] {
            assert!(bad.parse::<TimeBudget>().is_err(), "{bad}");
        }
        let shown: Vec<String> = [0.5, 12.4, 300.0, 36000.0]
            .map(|seconds| Seconds(seconds).to_string())
            .into();
        assert_eq!(shown, ["0.5s", "12s", "5m", "10h"]);
    }

    #[test]
    fn runs_use_up_the_budget_and_compiling_does_not() {
        let of_the_first = after(TimeBudget::Proportional, &[20]);
        assert_eq!(of_the_first.limit(), Some(Duration::from_secs(40)));
        assert_eq!(of_the_first.left(), Some(Duration::from_secs(20)));
        let used_up = after(TimeBudget::Proportional, &[20, 15, 9]);
        assert!(used_up.is_used_up() && !of_the_first.is_used_up());
        let none = after(TimeBudget::Unlimited, &[20, 15000]);
        assert_eq!(none.left(), None);
        let given = after(TimeBudget::Limited(Duration::from_secs(7)), &[3]);
        assert_eq!(given.left(), Some(Duration::from_secs(4)));
    }

    #[test]
    fn a_run_that_is_cut_off_leaves_what_it_was_not_given() {
        let clock = after(TimeBudget::Limited(Duration::from_secs(30)), &[6, 1, 9]);
        let cut_off = |pass: usize, seconds| {
            clock.passes.borrow_mut()[pass].cut_off_after = Some(Duration::from_secs(seconds));
            clock.left().map(|left| left.as_secs())
        };
        // It used a little more than it was given.
        assert_eq!(cut_off(2, 8), Some(14));
        // It waited for something else than the processor.
        assert_eq!(cut_off(1, 8), Some(7));
        assert_eq!(cut_off(0, 30), Some(0));
    }
}
