//! The command line of `lostbits campaign`.

use std::{ffi::OsString, path::PathBuf};

use clap::{ArgGroup, Args};

use crate::arguments::count;

pub const HELP: &str = "\
The words after `--` are those of `lostbits search`. The folder holds the scripts that run a shard, a
file and a log of each shard, and must be visible on all machines. The same command continues a campaign
that was stopped. `lostbits merge --partial FOLDER/shard-*.jsonl` reports on what is done at any time.

Exit codes: 0 nothing found, 1 findings, 2 lostbits could not do it.

  lostbits campaign --local --shards 8 --folder gsl -- --library libgsl.so --calls calls.txt
  lostbits campaign --slurm --sbatch-option=--partition=long --shards 64 --folder gsl -- --library …
  lostbits campaign --mpi --launch 'mpirun -np 32' --shards 256 --folder gsl -- --library …";

#[derive(Args)]
#[command(group(ArgGroup::new("runner").required(true).args(["local", "slurm", "mpi"])))]
pub struct CampaignArguments {
    /// Search the shards in processes of this machine
    #[arg(long)]
    local: bool,
    /// Submit the shards to Slurm as a job array, and wait for it
    #[arg(long)]
    slurm: bool,
    /// Start workers with --launch; each takes the next shard until none is left
    #[arg(long)]
    mpi: bool,
    /// Number of parts; the report does not depend on it
    #[arg(long, value_name = "N", value_parser = count)]
    pub shards: u64,
    /// Folder for scripts, results and logs
    #[arg(long, value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Processes at a time, for --local [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = count)]
    workers: Option<u64>,
    /// What starts the workers, for --mpi
    #[arg(long, value_name = "COMMAND", default_value = "mpirun")]
    launch: String,
    /// Option for sbatch, for --slurm (repeatable)
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    sbatch_option: Vec<OsString>,
    /// How often a shard that did not finish is started
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub attempts: u32,
    /// Write the report to a file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// What is searched, as for `lostbits search`
    #[arg(last = true, required = true, value_name = "SEARCH")]
    pub search: Vec<OsString>,
}

/// What starts the shards.
pub enum Runner {
    Local { workers: u64 },
    Slurm { options: Vec<OsString> },
    Launcher(Vec<String>),
}

impl CampaignArguments {
    pub fn runner(&self) -> Runner {
        if self.slurm {
            return Runner::Slurm {
                options: self.sbatch_option.clone(),
            };
        }
        if self.mpi {
            let words = self.launch.split_whitespace();
            return Runner::Launcher(words.map(str::to_owned).collect());
        }
        let processors = || std::thread::available_parallelism().map_or(1, |count| count.get());
        Runner::Local {
            workers: self
                .workers
                .unwrap_or_else(|| processors() as u64)
                .min(self.shards),
        }
    }
}
