//! The command line as a whole: assembled from each command's own arguments. The compilers' commands (`cc`, `c++`,
//! `fc`, `rustc`) are listed for the help only: their arguments belong to the compiler and are never parsed here.

use clap::{Parser, Subcommand};

use crate::{
    campaign::{self, CampaignArguments},
    commands::{
        self, BuildArguments, ConfiguredArguments, GenerateArguments, MergeArguments,
        RecordReportArguments, RunArguments, SitesArguments, TestArguments,
    },
    explain::{self, ExplainArguments},
    fix::{self, FixArguments},
    search::{self, SearchArguments},
    watch::{self, WatchArguments},
};

const AFTER_HELP: &str = "\
Compilers (every argument goes to the compiler, except --lostbits-mode=MODE):
  lostbits cc …      clang-22        lostbits c++ …    clang++-22
  lostbits fc …      flang-22        lostbits rustc …  rustc, also as RUSTC_WRAPPER=lostbits-rustc
  Modes: explain (default), watch, search, symbolic, off; reals and explain-reals, in which
  high-precision numbers approximate exact arithmetic.

First steps:
  lostbits explain prog.c -O2 -- arguments…      where do the outputs lose accuracy?
  lostbits watch prog.c -O2 -- arguments…        which decisions may be wrong?
  lostbits search prog.c -O2 --function f        on which inputs is the function wrong?

Exit codes: 0 nothing found, 1 findings (--error-exitcode chooses another), 2 lostbits could not do
it, 3 undecided: nothing found, but not everything could be judged. If there are no findings and the
program fails, its own exit code is returned, or 128 + n if signal n ended it. Compilers and `run`
return the exit code of what they ran.";

#[derive(Parser)]
#[command(name = "lostbits", version, about, after_help = AFTER_HELP, subcommand_required = true)]
pub struct Line {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run an instrumented program, save its record and print a summary
    Run(RunArguments),
    /// Compile and run a program, and report which of its decisions may be wrong
    #[command(after_help = watch::HELP)]
    Watch(WatchArguments),
    /// Compile and run a program, and report where its outputs lose accuracy
    #[command(after_help = explain::HELP)]
    Explain(Box<ExplainArguments>),
    /// Find inputs on which a function returns wrong results
    #[command(after_help = search::HELP)]
    Search(Box<SearchArguments>),
    /// Search many functions in parts: in processes, as a job array of Slurm, or under mpirun
    #[command(after_help = campaign::HELP)]
    Campaign(CampaignArguments),
    /// Join the parts of a search that `lostbits search --shard` saved, and report on them
    Merge(MergeArguments),
    /// Find a more accurate formula for an expression, or patch the causes of a program's wrong outputs (preview)
    #[command(after_help = fix::HELP)]
    Fix(Box<FixArguments>),
    /// Run a build with lostbits as its compilers: make, CMake, ninja, cargo, meson, fpm
    #[command(after_help = commands::BUILD_HELP)]
    Build(BuildArguments),
    /// Run tests, analyse every process that they start, and report what is wrong
    #[command(after_help = commands::TEST_HELP)]
    Test(TestArguments),
    /// Build and test as lostbits.toml says; fail on findings that are not in the baseline
    Check(ConfiguredArguments),
    /// Accept the findings that there are now: write them to the baseline
    Baseline(ConfiguredArguments),
    /// List the instrumented operations of a program, object, library or archive
    Sites(SitesArguments),
    /// Report on a saved record
    Report(RecordReportArguments),
    /// Write completions for shells, and man pages
    #[command(hide = true)]
    Generate(GenerateArguments),
    /// Show which compilers and parts were found, and how to get what is missing
    Doctor,
}
