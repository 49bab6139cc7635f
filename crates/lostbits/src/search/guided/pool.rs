//! The inputs that an error-guided search starts from: the worst so far, but not all of one family.
//!
//! A family is what descends from one drawn input. Without families the pool would soon be copies of one
//! input, and an error that begins small but can grow large would never be found.

use super::judge::Judged;
use crate::numeric::Random;

/// Inputs that are kept.
const SIZE: usize = 96;
/// Of one family.
const A_FAMILY: usize = 16;
/// Of exactly the same error.
const ALIKE: usize = 6;

#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    pub input: Vec<f64>,
    pub judged: Judged,
    pub family: u64,
}

impl Member {
    fn score(&self) -> f64 {
        self.judged.score()
    }
}

/// Ranked, the worst input first.
#[derive(Default)]
pub struct Pool {
    members: Vec<Member>,
}

impl Pool {
    /// Takes an input in, if it is worse than what is there.
    pub fn offer(&mut self, member: Member) -> bool {
        if !member.judged.is_inside()
            || self.members.iter().any(|known| known.input == member.input)
        {
            return false;
        }
        let score = member.score();
        let at = self.members.partition_point(|known| known.score() > score);
        let rivals = |is_rival: &dyn Fn(&Member) -> bool| -> (usize, Option<usize>) {
            let all = self
                .members
                .iter()
                .enumerate()
                .filter(|(_, known)| is_rival(known));
            (all.clone().count(), all.last().map(|(index, _)| index))
        };
        let limits = [
            (rivals(&|known| known.score() == score), ALIKE),
            (rivals(&|known| known.family == member.family), A_FAMILY),
            (rivals(&|_| true), SIZE),
        ];
        let full = limits.iter().find(|((count, _), most)| count >= most);
        match full {
            None => self.members.insert(at, member),
            // The least of its rivals goes, if it is not worse (that is: better for us) than this one.
            Some(((_, last), _)) => {
                let Some(last) = last.filter(|last| self.members[*last].score() <= score) else {
                    return false;
                };
                self.members.remove(last);
                let at = self.members.partition_point(|known| known.score() > score);
                self.members.insert(at, member);
            }
        }
        true
    }

    /// Errors up to this one would not enter the pool.
    pub fn least_wanted(&self) -> f64 {
        match self.members.last() {
            Some(least) if self.members.len() >= SIZE => least.score(),
            _ => 0.0,
        }
    }

    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Any member, the first ones more often.
    pub fn pick(&self, rng: &mut Random) -> Option<&Member> {
        let most = self.members.len() as u64;
        if most == 0 {
            return None;
        }
        let at = rng.below(most).min(rng.below(most));
        self.members.get(at as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::{Ending, Verdict};

    fn member(at: u64, error: f64, family: u64) -> Member {
        let verdict = Verdict {
            real: 1.0,
            difference: error,
        };
        Member {
            input: vec![at as f64],
            judged: Judged::new(Ending::Returned, vec![1.0 + error], &[verdict]),
            family,
        }
    }

    #[test]
    fn the_worst_come_first_and_no_family_fills_the_pool() {
        let mut pool = Pool::default();
        for at in 0..1000 {
            pool.offer(member(at, 1e-3 + at as f64 * 1e-6, 1));
        }
        assert_eq!(pool.members().len(), A_FAMILY);
        assert!(pool.offer(member(2000, 1e-9, 2)), "another family has room");
        let scores: Vec<f64> = pool.members().iter().map(Member::score).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
        assert_eq!(pool.members()[0].input, [999.0]);
        for family in 3..1000 {
            pool.offer(member(family + 5000, 1e-6 * family as f64, family));
        }
        assert_eq!(pool.members().len(), SIZE);
    }

    #[test]
    fn equal_errors_are_not_kept_often() {
        let mut pool = Pool::default();
        for at in 0..100 {
            pool.offer(member(at, 0.5, at));
        }
        assert_eq!(pool.members().len(), ALIKE);
        // The same input again changes nothing.
        let known = pool.members()[0].clone();
        assert!(!pool.offer(known));
    }
}
