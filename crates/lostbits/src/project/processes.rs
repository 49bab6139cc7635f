//! The processes of a run, and how to repeat each of them.

use lostbits_abi::record::{COMMAND_BYTES, ProcessRecord};

use crate::printable::quoted;

/// A process that left a record.
#[derive(Clone, PartialEq, Debug)]
pub struct Process {
    pub number: u32,
    pub parent: u32,
    /// Its command line; the record keeps about a thousand bytes of it.
    pub command: Vec<String>,
    /// Whether the command line is longer than the record keeps.
    pub is_cut: bool,
    /// Whether it ran its exit handlers.
    pub exited: bool,
    /// The test that started it, where that is known.
    pub test: Option<String>,
    /// The folder in which the test runs, where that is known.
    pub folder: Option<String>,
}

impl Process {
    pub fn of(record: &ProcessRecord) -> Process {
        let bytes: usize = record.command.iter().map(|word| word.len() + 1).sum();
        Process {
            number: record.process,
            parent: record.parent,
            command: record.command.clone(),
            is_cut: bytes + 1 >= COMMAND_BYTES,
            exited: record.exited,
            test: None,
            folder: None,
        }
    }

    /// What a report calls it: the test, or else the command.
    pub fn name(&self) -> String {
        self.test.clone().unwrap_or_else(|| self.command_line())
    }

    /// The command as a shell reads it.
    pub fn command_line(&self) -> String {
        let words: Vec<String> = self.command.iter().map(|word| quoted(word)).collect();
        let end = if self.is_cut { " …" } else { "" };
        words.join(" ") + end
    }

    /// The command that repeats the process alone, and analyses it.
    pub fn reproduce(&self) -> String {
        let run = format!("lostbits test -- {}", self.command_line());
        match &self.folder {
            Some(folder) => format!("cd {} && {run}", quoted(folder)),
            None => run,
        }
    }
}
