//! The subjects, each written for any kind of number. The order of operations is the C program's.

use super::numbers::{Number, Real, Tracked};

pub struct Subject {
    pub name: &'static str,
    /// Whose shape it has.
    pub shape: &'static str,
    /// In `bench/watch`.
    pub source: &'static str,
    /// Inputs with different outputs, between which the decision changes.
    pub between: [f64; 2],
    /// The output in exact arithmetic, and whether the approximate method has doubts.
    pub truth: fn(f64) -> String,
    pub approximate: fn(f64) -> bool,
    /// The paper's row, threshold by threshold: cases found.
    pub paper: Option<PaperRow>,
}

/// Cases of the paper's Table 4: with high precision, with the approximate method, and for each threshold.
pub struct PaperRow {
    /// How far the paper's samples are apart (it takes 10^14 of an interval), and where they lie.
    pub step: f64,
    pub near: f64,
    pub truth: u64,
    pub approximate: u64,
    pub at: [u64; 6],
}

impl PaperRow {
    /// A number of samples as a number of doubles.
    pub fn in_doubles(&self, samples: u64) -> f64 {
        samples as f64 * self.step / (self.near.next_up() - self.near)
    }
}

pub const THRESHOLDS: [u32; 6] = [36, 40, 44, 48, 50, 52];

type Run<N> = fn(&N, &mut bool) -> String;

macro_rules! subject {
    ($run:ident) => {
        (
            |x| ($run as Run<Real>)(&Real::of(x), &mut false),
            |x| {
                let mut doubt = false;
                ($run as Run<Tracked>)(&Tracked::of(x), &mut doubt);
                doubt
            },
        )
    };
}

pub fn all() -> Vec<Subject> {
    let row = |(step, near), truth, approximate, at| {
        Some(PaperRow {
            step,
            near,
            truth,
            approximate,
            at,
        })
    };
    let subject = |name, shape, source, between, (truth, approximate), paper| Subject {
        name,
        shape,
        source,
        between,
        truth,
        approximate,
        paper,
    };
    vec![
        subject(
            "poly",
            "Figure 1 (c)",
            "poly.c",
            [1.84, 1.85],
            subject!(factored),
            row((1e-16, 1.84), 2, 211, [61_177, 3_821, 235, 15, 2, 0]),
        ),
        subject(
            "expanded",
            "Figure 1 (b)",
            "expanded.c",
            [1.84, 1.85],
            subject!(expanded),
            None,
        ),
        subject(
            "determinant",
            "183.equake",
            "determinant.c",
            [0.865, 0.875],
            subject!(determinant),
            row(
                (1e-16, 0.87),
                3,
                158,
                [1_155_972, 72_247, 4_516, 279, 71, 20],
            ),
        ),
        subject(
            "scan",
            "187.facerec",
            "scan.c",
            [0.38, 0.385],
            subject!(scan),
            row(
                (1e-16, 0.596),
                849,
                4_217,
                [59_457_611, 2_716_295, 232_165, 12_613, 2_643, 296],
            ),
        ),
        subject(
            "newton",
            "178.galgel",
            "newton.c",
            [2.5, 2.75],
            subject!(newton),
            row(
                (1e-18, 0.8184),
                57_695,
                4_797_213,
                [
                    255_406_459,
                    126_738_078,
                    37_972_131,
                    3_278_089,
                    1_801_215,
                    1_233_455,
                ],
            ),
        ),
        subject(
            "bins",
            "deisotope",
            "bins.c",
            [1.11, 1.12],
            subject!(bins),
            row((1e-16, 1.1156), 2, 18, [167_157, 10_447, 653, 40, 7, 5]),
        ),
    ]
}

fn named(choice: bool, yes: &str, no: &str) -> String {
    if choice { yes } else { no }.to_owned()
}

fn factored<N: Number>(x: &N, doubt: &mut bool) -> String {
    let away = x.minus(&N::of(1.0));
    let z = away.times(&away).times(&away).times(&away);
    named(z.exceeds(&N::of(0.5), doubt), "hit", "miss")
}

fn expanded<N: Number>(x: &N, doubt: &mut bool) -> String {
    let n = N::of;
    let fourth = x.times(x).times(x).times(x);
    let third = n(4.0).times(x).times(x).times(x);
    let second = n(6.0).times(x).times(x);
    let first = n(4.0).times(x);
    let z = fourth
        .minus(&third)
        .plus(&second)
        .minus(&first)
        .plus(&n(1.0));
    named(z.exceeds(&n(0.5), doubt), "hit", "miss")
}

fn determinant<N: Number>(x: &N, doubt: &mut bool) -> String {
    let n = N::of;
    // The compiler multiplies the two constants; rounded, as the program would.
    let det = n(2.92).times(&n(7.58));
    let t1 = n(2.92).times(&n(-8.721867807).times(x));
    let det = det.plus(&t1);
    let t2 = n(2.92).times(&x.minus(&x.times(&n(1.0))));
    let volume = det.plus(&t2).over(&n(6.0));
    named(volume.exceeds(&n(0.0), doubt), "upright", "inverted")
}

fn scan<N: Number>(x: &N, doubt: &mut bool) -> String {
    let n = N::of;
    let fit = |place: i64| {
        let mut sum = n(0.0);
        for i in 1..=6 {
            let i = n(f64::from(i));
            let away = n(place as f64 * 0.125).minus(&x.times(&i));
            sum = sum.plus(&away.times(&away).over(&i));
        }
        n(30.0).over(&n(1.0).plus(&sum))
    };
    let (mut best, mut similarity) = (0, n(0.0));
    // What was computed once is not compared with itself: the paper's I1.
    let mut met: Option<i64> = None;
    let mut look = |place: i64, best: &mut i64, doubt: &mut bool| {
        let current = fit(place);
        if met != Some(place) && current.exceeds(&similarity, doubt) {
            similarity = current;
            *best = place;
            met = Some(place);
        }
    };
    for place in (0..=32).step_by(4) {
        look(place, &mut best, doubt);
    }
    let (from, to) = (best - 2, best + 2);
    for place in from..=to {
        look(place, &mut best, doubt);
    }
    best.to_string()
}

fn newton<N: Number>(a: &N, doubt: &mut bool) -> String {
    const BOUND: u32 = 6;
    let n = N::of;
    let mut y = n(1.0);
    let mut i = 0;
    loop {
        let h = a.over(&y.times(&y));
        y = y.minus(&y.minus(&h).over(&n(3.0)));
        let residual = y.times(&y).times(&y).minus(a);
        let d = residual.times(&residual);
        i += 1;
        if i >= BOUND {
            return "no solution".to_owned();
        }
        // Only the last test before the bound is a discrete difference.
        let mut here = false;
        let converged = n(3e-29).exceeds(&d, &mut here);
        *doubt |= here && i >= BOUND - 1;
        if converged {
            return "solved".to_owned();
        }
    }
}

fn bins<N: Number>(x: &N, doubt: &mut bool) -> String {
    let bin = x.over(&N::of(0.11156381266106557));
    bin.truncated(doubt).to_string()
}
