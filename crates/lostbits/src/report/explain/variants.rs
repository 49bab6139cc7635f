//! What `--also` showed: outputs that depend on how the program is started.

use std::fmt::{self, Write};

use super::Context;
use crate::{
    explain::Varied,
    notation::count,
    printable::printable,
    report::{numbers::shortest, snippets::shown_path},
};

pub fn write(text: &mut String, context: &Context) -> fmt::Result {
    let variants = &context.variants;
    for (command, why) in &variants.failed {
        writeln!(
            text,
            "not compared with `{}`: {}",
            printable(command),
            printable(why)
        )?;
    }
    if variants.commands.len() < 2 {
        return Ok(());
    }
    for varied in &variants.varied {
        write_varied(text, varied, context)?;
    }
    let same = (variants.compared - variants.varied.len()) as u64;
    if same > 0 {
        writeln!(
            text,
            "{} the same value however the program is started",
            count(same, "output has", "outputs have")
        )?;
    }
    Ok(())
}

fn write_varied(text: &mut String, varied: &Varied, context: &Context) -> fmt::Result {
    let site = &varied.site;
    let exactly = match varied.is_exactly_equal() {
        true => "exact arithmetic does not",
        false => "so does exact arithmetic: the program itself computes something else",
    };
    writeln!(
        text,
        "{}:{} depends on how the program is started: computed values differ in digit {}, {exactly}",
        shown_path(&context.base, &site.file),
        site.line,
        varied.first_digit(),
    )?;
    let commands = context.variants.commands.iter();
    let width = commands
        .clone()
        .map(|name| name_of(name).chars().count())
        .max()
        .unwrap_or(0);
    for (command, values) in commands.zip(&varied.values) {
        let name = printable(name_of(command)).into_owned();
        match values {
            Some((computed, exact)) => {
                let (computed, exact) = (shortest(*computed), shortest(*exact));
                writeln!(text, "  {name:width$}  computed {computed}, exact {exact}")?;
            }
            None => writeln!(text, "  {name:width$}  did not come here as often")?,
        }
    }
    Ok(())
}

/// The usual command is empty where the program starts itself.
pub fn name_of(command: &str) -> &str {
    match command {
        "" => "as given",
        command => command,
    }
}
