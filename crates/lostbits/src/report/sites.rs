//! The table that `lostbits sites` prints.

use std::{collections::BTreeMap, fmt::Write};

use lostbits_abi::site::{Site, SiteTable, What};

use super::words::{count, function_name, location, number};

/// The sites of all modules, operations only or everything, and a closing line.
pub fn table(tables: &[SiteTable], everything: bool) -> String {
    let sites = merge(tables);
    let rows: Vec<[String; 5]> = sites
        .iter()
        .filter(|site| everything || matches!(site.what, What::Operation(_)))
        .map(row)
        .collect();
    let mut text = columns(&rows);
    text.push_str(&closing(tables, &sites));
    text
}

/// One row for each site: an inline function compiled in several modules has one.
fn merge(tables: &[SiteTable]) -> Vec<Site> {
    let mut merged: BTreeMap<Site, Site> = BTreeMap::new();
    for site in tables.iter().flat_map(|table| &table.sites) {
        let identity = Site {
            lanes: 1,
            copies: 1,
            operands: Vec::new(),
            inlined_from: Vec::new(),
            ..site.clone()
        };
        merged
            .entry(identity)
            .and_modify(|known| {
                known.copies += site.copies;
                known.lanes = known.lanes.max(site.lanes);
            })
            .or_insert_with(|| site.clone());
    }
    let mut sites: Vec<Site> = merged.into_values().collect();
    sites.sort_by(|a, b| order(a).cmp(&order(b)));
    sites
}

fn order(site: &Site) -> (&str, u32, u32, &str, What, u32) {
    (
        &site.file,
        site.line,
        site.column,
        &site.function,
        site.what,
        site.ordinal,
    )
}

fn row(site: &Site) -> [String; 5] {
    let kind = site.kind.map_or("other format", |kind| kind.c_name());
    let lanes = if site.lanes > 1 {
        format!(" ×{}", site.lanes)
    } else {
        String::new()
    };
    [
        location(site),
        function_name(&site.function),
        what(site),
        format!("{kind}{lanes}"),
        number(u64::from(site.copies)),
    ]
}

/// What happens at the site, in a word or two.
pub(super) fn what(site: &Site) -> String {
    match site.what {
        What::Operation(op) => op.name().to_owned(),
        What::Return if !site.callee.is_empty() => {
            format!("return of {}", function_name(&site.callee))
        }
        What::Lost(reason) => format!("lost: {}", reason.description()),
        other => other.role().name().to_owned(),
    }
}

const HEADINGS: [&str; 5] = ["location", "function", "operation", "type", "copies"];

/// Rows under headings, each column as wide as its widest cell.
fn columns(rows: &[[String; 5]]) -> String {
    let mut widths = HEADINGS.map(str::len);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    if rows.is_empty() {
        return text;
    }
    let headings = HEADINGS.map(str::to_owned);
    for row in std::iter::once(&headings).chain(rows) {
        let cells: Vec<String> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        writeln!(text, "{}", cells.join("  ").trim_end()).expect("writing to a string cannot fail");
    }
    text
}

fn closing(tables: &[SiteTable], sites: &[Site]) -> String {
    let number_of =
        |wanted: fn(What) -> bool| sites.iter().filter(|site| wanted(site.what)).count() as u64;
    let operations = number_of(|what| matches!(what, What::Operation(_)));
    let lost = number_of(|what| matches!(what, What::Lost(_)));
    let mut modes: Vec<&str> = tables.iter().map(|table| table.mode.name()).collect();
    modes.sort();
    modes.dedup();
    let losing = match lost {
        0 => String::new(),
        _ => format!(", {} where shadows are lost", number(lost)),
    };
    format!(
        "{} in {}, mode {}: {}{losing}\n",
        count(sites.len() as u64, "site", "sites"),
        count(tables.len() as u64, "module", "modules"),
        modes.join(" and "),
        count(operations, "operation", "operations"),
    )
}
