//! `lostbits campaign`: a search in shards, which processes of this machine, a job array of Slurm or the ranks of a
//! launcher search. Shards write files; whatever starts them only has to start them, so there is no scheduler here.
//!
//! A round starts all shards that are not finished and waits for its end. Then those that a killed process or node left
//! behind are started again; each continues after the last call that it saved.

mod arguments;
mod progress;
mod script;

use std::{
    ffi::OsString,
    fs,
    os::{fd::AsFd, unix::fs::PermissionsExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

pub use arguments::{CampaignArguments, HELP};

use crate::{
    failure::Failure,
    output,
    search::{self, Shard, Unfinished},
};
use arguments::Runner;
use script::Scripts;

pub struct Campaign {
    folder: PathBuf,
    shards: usize,
    attempts: u32,
    runner: Runner,
    scripts: Scripts,
}

/// Options that belong to a shard, not to the user.
const OWN_OPTIONS: [&str; 3] = ["--shard", "--resume", "--report"];

impl Campaign {
    /// Validates the arguments and writes the scripts.
    pub fn new(arguments: &CampaignArguments) -> Result<Campaign, Failure> {
        for word in &arguments.search {
            let name = word.to_string_lossy();
            let name = name.split('=').next().unwrap_or_default();
            if OWN_OPTIONS.contains(&name) {
                return Err(Failure::NotForShards {
                    option: name.to_owned(),
                });
            }
        }
        let folder = &arguments.folder;
        let cannot_write = |error| Failure::CannotWrite {
            path: folder.clone(),
            error,
        };
        fs::create_dir_all(folder).map_err(cannot_write)?;
        let folder = folder.canonicalize().map_err(cannot_write)?;
        let scripts = Scripts::new(&folder, arguments)?;
        let campaign = Campaign {
            folder,
            shards: arguments.shards as usize,
            attempts: arguments.attempts,
            runner: arguments.runner(),
            scripts,
        };
        campaign.write("shard.sh", &campaign.scripts.shard)?;
        campaign.write("worker.sh", &campaign.scripts.worker)?;
        campaign.write("array.sh", &campaign.scripts.array)?;
        Ok(campaign)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.folder.join(name);
        let executable = fs::Permissions::from_mode(0o755);
        fs::write(&path, text)
            .and_then(|()| fs::set_permissions(&path, executable))
            .map_err(|error| Failure::CannotWrite { path, error })
    }

    /// Searches all shards; returns their files.
    pub fn run(&self) -> Result<Vec<PathBuf>, Failure> {
        for attempt in 1..=self.attempts {
            let unfinished = self.unfinished()?;
            if unfinished.is_empty() {
                break;
            }
            if attempt > 1 {
                let shards = Unfinished::named(&unfinished);
                output::note(format_args!(
                    "{shards}: started again (attempt {attempt} of {})",
                    self.attempts
                ));
            }
            self.round(&unfinished)?;
            // What no shard could begin, such as a search of a library that is not there, no repetition mends.
            if self.files().is_empty() {
                break;
            }
        }
        let unfinished = self.unfinished()?;
        match unfinished.first() {
            None => Ok(self.files()),
            Some(first) => {
                let log = self
                    .folder
                    .join(format!("shard-{}.log", first.shard.number));
                let text = fs::read_to_string(&log).unwrap_or_default();
                let message = text.lines().last().unwrap_or("(none)").to_owned();
                Err(Failure::CampaignFailed {
                    shards: Unfinished::named(&unfinished),
                    message,
                    log,
                })
            }
        }
    }

    /// The files that shards have written so far.
    fn files(&self) -> Vec<PathBuf> {
        let all = (1..=self.shards).map(|number| file(&self.folder, number));
        all.filter(|path| fs::metadata(path).is_ok_and(|file| file.len() > 0))
            .collect()
    }

    fn unfinished(&self) -> Result<Vec<Unfinished>, Failure> {
        let files = self.files();
        let none = |number| Unfinished {
            shard: Shard {
                number,
                of: self.shards,
            },
            done: 0,
            calls: 0,
        };
        // A shard without calls is finished when its file is there.
        let without_file = (1..=self.shards)
            .filter(|number| !files.contains(&file(&self.folder, *number)))
            .map(none);
        if files.is_empty() {
            return Ok(without_file.collect());
        }
        let mut unfinished = search::merge(&files)?.unfinished;
        let is_new = |one: &Unfinished| !unfinished.iter().any(|known| known.shard == one.shard);
        let more: Vec<Unfinished> = without_file.filter(is_new).collect();
        unfinished.extend(more);
        unfinished.sort_by_key(|one| one.shard.number);
        Ok(unfinished)
    }

    /// Starts shards and waits for their end, whatever it is.
    fn round(&self, unfinished: &[Unfinished]) -> Result<(), Failure> {
        let numbers: Vec<String> = unfinished
            .iter()
            .map(|one| one.shard.number.to_string())
            .collect();
        self.forget_claims()?;
        let commands: Vec<Command> = match &self.runner {
            Runner::Local { workers } => {
                let worker = || {
                    let mut command = Command::new(self.folder.join("worker.sh"));
                    command.args(&numbers);
                    command
                };
                (0..*workers).map(|_| worker()).collect()
            }
            Runner::Launcher(words) => {
                let mut command = Command::new(words.first().map_or("mpirun", String::as_str));
                command.args(words.iter().skip(1));
                command.arg(self.folder.join("worker.sh")).args(&numbers);
                vec![command]
            }
            Runner::Slurm { options } => {
                let mut command = Command::new("sbatch");
                command.args(["--wait", "--requeue", "--job-name=lostbits"]);
                command.arg(format!("--array={}", numbers.join(",")));
                let mut log = OsString::from("--output=");
                log.push(self.folder.join("shard-%a.log"));
                command.arg(log).args(options);
                command.arg(self.folder.join("array.sh"));
                vec![command]
            }
        };
        progress::while_shown(&self.folder, self.shards, || wait_for_all(commands))
    }

    /// Workers of this round share the shards anew.
    fn forget_claims(&self) -> Result<(), Failure> {
        let claims = self.folder.join("claims");
        let _ = fs::remove_dir_all(&claims);
        fs::create_dir_all(&claims).map_err(|error| Failure::CannotWrite {
            path: claims,
            error,
        })
    }
}

/// Where a shard saves its calls.
fn file(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("shard-{number}.jsonl"))
}

fn wait_for_all(commands: Vec<Command>) -> Result<(), Failure> {
    let mut children = Vec::new();
    for mut command in commands {
        let program = PathBuf::from(command.get_program());
        // Standard output is the report's.
        command.stdin(Stdio::null()).stdout(errors()?);
        let child = command.spawn();
        children.push(child.map_err(|error| Failure::CannotStart { program, error })?);
    }
    for mut child in children {
        // The files tell what was done.
        let _ = child.wait();
    }
    Ok(())
}

fn errors() -> Result<Stdio, Failure> {
    let copy = std::io::stderr().as_fd().try_clone_to_owned();
    copy.map(Stdio::from).map_err(|error| Failure::CannotPrint {
        stream: "standard error",
        error,
    })
}
