//! Collects the sites of a module while it is instrumented.

use std::collections::{BTreeSet, HashMap};

use lostbits_abi::{
    VERSION,
    kind::FpKind,
    mode::Mode,
    site::{Caller, Count, Note, Site, SiteTable, What},
};

use crate::{
    ir::{self, Function, LocationScope, Value},
    operand_names::{OperandName, OperandNames},
};

/// What a site is, but for its place.
pub struct Description<'a> {
    pub what: What,
    pub kind: Option<FpKind>,
    pub lanes: u32,
    pub callee: &'a str,
    pub note: Option<Note>,
}

#[derive(Default)]
pub struct Sites {
    sites: Vec<Site>,
    /// By everything that makes a site, copies and lanes left out.
    known: HashMap<Site, u32>,
    unplaced: u32,
    /// Code inlined from a standard library is attributed to the line that called it.
    pub attributes_library_code_to_callers: bool,
    counters: u32,
    counts: Vec<Count>,
    /// What operands are called, by site.
    operands: HashMap<u32, OperandNames>,
    /// Where what holds an operation was called and inlined, by site.
    callers: HashMap<u32, BTreeSet<Caller>>,
}

impl Sites {
    /// The site of `instruction`, merged with its copies.
    pub fn at(&mut self, instruction: Value, function: Function, what: Description) -> u32 {
        let place = ir::location(instruction, self.scope(what.what));
        let place = place.filter(|place| place.line != 0);
        self.add(place, ir::name(function), what)
    }

    fn scope(&self, what: What) -> LocationScope {
        match what {
            // Users want to know which of their lines prints, not which line of the library.
            What::Output | What::Constant => LocationScope::Own,
            _ if self.attributes_library_code_to_callers => LocationScope::OutsideStandardLibrary,
            _ => LocationScope::Innermost,
        }
    }

    /// The site of a function's parameters.
    pub fn at_entry(&mut self, function: Function, what: Description) -> u32 {
        self.add(ir::function_location(function), ir::name(function), what)
    }

    /// The same under another name of the function.
    pub fn at_entry_of_alias(&mut self, alias: &str, function: Function, what: Description) {
        let place = ir::function_location(function).map(|place| ir::Location {
            function: alias.to_owned(),
            ..place
        });
        self.add(place, alias.to_owned(), what);
    }

    fn add(&mut self, place: Option<ir::Location>, function: String, what: Description) -> u32 {
        let mut site = Site {
            file: String::new(),
            function,
            line: 0,
            column: 0,
            ordinal: 0,
            what: what.what,
            kind: what.kind,
            lanes: 0,
            copies: 0,
            callee: what.callee.to_owned(),
            note: what.note,
            operands: Vec::new(),
            inlined_from: Vec::new(),
        };
        match place {
            Some(place) => {
                site.file = joined(&place.directory, &place.file);
                site.function = place.function;
                site.line = place.line;
                site.column = place.column;
                site.ordinal = place.ordinal;
            }
            // Without debug information copies cannot be distinguished from operations of their own.
            None => {
                self.unplaced += 1;
                site.ordinal = self.unplaced;
            }
        }
        let index = *self.known.entry(site.clone()).or_insert_with(|| {
            self.sites.push(site);
            self.sites.len() as u32 - 1
        });
        let merged = &mut self.sites[index as usize];
        merged.copies += 1;
        merged.lanes = merged.lanes.max(what.lanes as u16);
        index
    }

    /// A counter for a block in which `sites` are executed, each with its number of lanes.
    pub fn counter(&mut self, sites: &[(u32, u32)]) -> u32 {
        let mut times: HashMap<u32, u32> = HashMap::new();
        for (site, lanes) in sites {
            *times.entry(*site).or_default() += lanes;
        }
        let counter = self.counters;
        self.counters += 1;
        let mut counts: Vec<Count> = times
            .into_iter()
            .map(|(site, times)| Count {
                counter,
                site,
                times,
            })
            .collect();
        counts.sort_by_key(|count| count.site);
        self.counts.extend(counts);
        counter
    }

    /// The operands of one copy of an operation have these names.
    pub fn name_operands(&mut self, site: u32, names: &[Option<OperandName>], commutes: bool) {
        self.operands.entry(site).or_default().join(names, commutes);
    }

    /// One copy of an operation may have been inlined into the program's own file.
    pub fn note_caller(&mut self, site: u32, instruction: Value, what: What) {
        if let Some(place) = ir::caller_location(instruction, self.scope(what)) {
            self.callers.entry(site).or_default().insert(Caller {
                file: joined(&place.directory, &place.file),
                line: place.line,
                column: place.column,
            });
        }
    }

    pub fn into_table(mut self, mode: Mode) -> SiteTable {
        for (site, names) in self.operands {
            self.sites[site as usize].operands = names.into_texts();
        }
        for (site, callers) in self.callers {
            self.sites[site as usize].inlined_from = callers.into_iter().collect();
        }
        SiteTable {
            mode,
            version: VERSION.to_owned(),
            sites: self.sites,
            counters: self.counters,
            counts: self.counts,
        }
    }
}

fn joined(directory: &str, file: &str) -> String {
    match file.starts_with('/') || directory.is_empty() {
        true => file.to_owned(),
        false => format!("{directory}/{file}"),
    }
}
