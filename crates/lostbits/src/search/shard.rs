//! A campaign in parts: `--shard K/N` searches every Nth call from the Kth on and saves them as `--resume` does, behind a
//! line that says what they are a part of. [`merge`] joins the files in the order of the calls. A call's report depends
//! on nothing but the call and the settings, so the number of shards does not show.

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    str::FromStr,
};

use lostbits_abi::VERSION;
use serde::{Deserialize, Serialize};

use super::{
    CallReport, Options, SearchFormat,
    options::{Explained, Part},
    saved,
};
use crate::{failure::Failure, target::Source};

/// The `number`th of `of` parts, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shard {
    pub number: usize,
    pub of: usize,
}

impl Shard {
    /// Neighbouring calls, which often cost the same, go to different shards.
    pub fn has(self, index: usize) -> bool {
        index % self.of == self.number - 1
    }

    fn calls(self, all: &[String]) -> impl Iterator<Item = &String> {
        let of_all = all.iter().enumerate();
        of_all.filter_map(move |(index, call)| self.has(index).then_some(call))
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if 1 <= number && number <= of => Ok(Shard { number, of }),
            _ => Err("give a part as K/N, from 1/N to N/N".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.of)
    }
}

/// The first line of a shard's file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    pub shard: Shard,
    pub campaign: SharedHeader,
}

/// What all shards of a campaign have in common.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SharedHeader {
    lostbits_version: String,
    /// All calls of the campaign, in the order of its report.
    pub calls: Vec<String>,
    pub format: SearchFormat,
    pub unconfirmed: bool,
    pub significant: f64,
    /// The other settings on which results depend, as one number.
    settings: u64,
}

impl Header {
    /// None if the search is no part of a campaign.
    pub fn new(options: &Options) -> Result<Option<Header>, Failure> {
        let Some(part) = &options.part else {
            return Ok(None);
        };
        Ok(Some(Header {
            shard: part.shard,
            campaign: SharedHeader {
                lostbits_version: VERSION.to_owned(),
                calls: part.all_calls.clone(),
                format: options.format,
                unconfirmed: options.unconfirmed,
                significant: options.significant.get(),
                settings: settings(options, part)?,
            },
        }))
    }
}

/// Jobs and files to write are left out, as are the number of the shard and what its header says.
fn settings(options: &Options, part: &Part) -> Result<u64, Failure> {
    let contents = |path: &Path| {
        std::fs::read(path).map_err(|error| Failure::CannotRead {
            path: path.to_owned(),
            error,
        })
    };
    let mut hasher = DefaultHasher::new();
    match &options.source {
        // The same library may have another path on another machine.
        Source::Library(path) => contents(path)?.hash(&mut hasher),
        Source::File { words, .. } => words.hash(&mut hasher),
        Source::Text(text) => text.hash(&mut hasher),
        // What it exports are its calls.
        Source::Crate(_) => {}
    }
    if let Some(Explained::Library(path)) = &options.explain {
        contents(path)?.hash(&mut hasher);
    }
    let others = (
        (&options.init, &options.ranges, &options.groups),
        (options.input_kind, options.strategy, &options.symbolic),
        (options.runs, options.time, options.seed),
        (&options.oracle, &part.all_meanings, options.map),
        (options.top, options.patience, options.explain.is_some()),
        options.raised,
    );
    format!("{others:?}").hash(&mut hasher);
    Ok(hasher.finish())
}

/// The files of a campaign, joined.
pub struct Merged {
    pub campaign: SharedHeader,
    /// In the order of the calls.
    pub reports: Vec<CallReport>,
    /// Shards without a file, or with calls left to search.
    pub unfinished: Vec<Unfinished>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfinished {
    pub shard: Shard,
    /// Calls that are done, of all of the shard.
    pub done: usize,
    pub calls: usize,
}

impl Unfinished {
    /// The sentence that names them: `shard 3/8 (4 of 11 calls done), shard 5/8 (nothing done) are not finished`.
    pub fn named(all: &[Unfinished]) -> String {
        let one = |one: &Unfinished| match one.done {
            0 => format!("shard {} (nothing done)", one.shard),
            done => format!("shard {} ({done} of {} calls done)", one.shard, one.calls),
        };
        let names: Vec<String> = all.iter().map(one).collect();
        match &names[..] {
            [only] => format!("{only} is not finished"),
            names => format!("{} are not finished", names.join(", ")),
        }
    }
}

/// Joins the files of a campaign. They may come in any order; a shard given twice counts once.
pub fn merge(paths: &[PathBuf]) -> Result<Merged, Failure> {
    let mut first: Option<(&PathBuf, Header)> = None;
    let mut known = std::collections::HashMap::new();
    for path in paths {
        let (header, reports) = saved::shard(path)?;
        match &first {
            Some((_, other))
                if other.campaign == header.campaign && other.shard.of == header.shard.of => {}
            Some((other, _)) => {
                return Err(Failure::OtherCampaign {
                    path: path.clone(),
                    other: (*other).clone(),
                });
            }
            None => first = Some((path, header)),
        }
        known.extend(reports);
    }
    let Some((_, Header { shard, campaign })) = first else {
        return Err(Failure::NothingToMerge);
    };
    let all = (1..=shard.of).map(|number| Shard { number, ..shard });
    let state = |shard: Shard| Unfinished {
        shard,
        done: shard
            .calls(&campaign.calls)
            .filter(|call| known.contains_key(*call))
            .count(),
        calls: shard.calls(&campaign.calls).count(),
    };
    let unfinished = all.map(state).filter(|one| one.done < one.calls).collect();
    let in_order = campaign.calls.iter();
    let reports = in_order
        .filter_map(|call| known.get(call).cloned())
        .collect();
    Ok(Merged {
        campaign,
        reports,
        unfinished,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_is_in_one_shard() {
        for of in 1..9 {
            let shards: Vec<Shard> = (1..=of).map(|number| Shard { number, of }).collect();
            for index in 0..20 {
                let holders = shards.iter().filter(|shard| shard.has(index));
                assert_eq!(holders.count(), 1, "{index} of {of}");
            }
        }
    }

    #[test]
    fn parts_are_counted_from_one() {
        let shard = |text: &str| text.parse::<Shard>().ok();
        assert_eq!(shard("3/64"), Some(Shard { number: 3, of: 64 }));
        for text in ["0/4", "5/4", "1", "1/0", "a/b", "-1/4", ""] {
            assert_eq!(shard(text), None, "{text}");
        }
    }
}
