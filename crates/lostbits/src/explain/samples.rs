//! The program that computes a formula for samples: its functions, and a `main` that reads an input from each line.

use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use lostbits_abi::record::ProcessRecord;

use crate::{
    failure::Failure,
    fpcore::c,
    inputs::{Formula, NamedRange},
};

/// The C program and its inputs.
pub struct Program {
    pub source: PathBuf,
    pub inputs: PathBuf,
    /// The lines of each core's driver, which reads an input and prints the result.
    drivers: Vec<Range<u32>>,
}

impl Program {
    /// Writes program and inputs into `folder`.
    pub fn write(
        formula: &Formula,
        ranges: &[NamedRange],
        samples: usize,
        seed: u64,
        folder: &Path,
    ) -> Result<Program, Failure> {
        let mut text = formula.code.clone();
        let mut inputs = String::new();
        let mut cases = String::new();
        let mut drivers = Vec::new();
        for (index, (core, function)) in formula.cores.iter().zip(&formula.functions).enumerate() {
            let driver = c::driver(function, &format!("sample_{index}"))
                .map_err(|reason| formula.untranslatable(core, &reason))?;
            let first = text.lines().count() as u32 + 1;
            text += &format!("{driver}\n");
            drivers.push(first..first + driver.lines().count() as u32);
            cases += &format!("        case {index}: sample_{index}(next); break;\n");
            for sample in formula.samples(core, ranges, samples, seed)? {
                inputs += &format!("{index} {}", c::input_line(function, &sample));
            }
        }
        text += &main(&cases);
        let program = Program {
            source: folder.join("formula.c"),
            inputs: folder.join("samples"),
            drivers,
        };
        write(&program.source, &text)?;
        write(&program.inputs, &inputs)?;
        Ok(program)
    }

    /// Moves the sites of the program to the locations in the formula.
    pub fn relocate(&self, formula: &Formula, processes: &mut [ProcessRecord]) {
        let sites = processes
            .iter_mut()
            .flat_map(|process| &mut process.modules)
            .flat_map(|module| &mut module.table.sites);
        let own = sites.filter(|site| Path::new(&site.file) == self.source);
        for site in own {
            let mut drivers = self.drivers.iter();
            match drivers.position(|lines| lines.contains(&site.line)) {
                Some(index) => formula.relocate_to_core(site, index),
                None => formula.relocate(site),
            }
        }
    }
}

fn main(cases: &str) -> String {
    format!(
        "\
int main(void)
{{
    char *line = NULL, *next;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 1)
        switch (strtol(line, &next, 10)) {{
{cases}        }}
    free(line);
    return 0;
}}
"
    )
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| Failure::NoTemporaryFolder { error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::SEED;

    #[test]
    fn a_named_size_is_read_before_its_array() {
        let source = "(FPCore (x (A n 2) (B n)) (ref B 0))";
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sizes.fpcore");
        fs::write(&file, source).unwrap();
        let formula = Formula::file(&file).unwrap();
        let program = Program::write(&formula, &[], 20, SEED, folder.path()).unwrap();
        let inputs = fs::read_to_string(&program.inputs).unwrap();
        assert_eq!(inputs.lines().count(), 20);
        for line in inputs.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let size: usize = words[2].parse().unwrap();
            assert_eq!(words.len(), 3 + 3 * size, "{line}");
        }
    }
}
