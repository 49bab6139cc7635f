//! A job whose launcher started lostbits once for each rank: `mpirun -np 4 lostbits explain ./prog`.
//!
//! Rank 0 leads: it runs its program as in any other run, waits until the programs of all ranks have ended, and reads the records of
//! all. Every other rank becomes its program (exec), so that the launcher sees the job's own exit codes and signals.
//!
//! The ranks meet in a folder that is named after the launcher: the nearest ancestor that is no rank itself. Each holds a lock there, which
//! the kernel releases when its program has ended, however it ends.
//!
//! What this cannot do: run the job again, which only the launcher can; and jobs on several machines, whose processes are not seen from
//! here.

use std::{
    env,
    fs::{self, File, TryLockError},
    io,
    os::{
        fd::{AsRawFd, IntoRawFd},
        unix::fs::MetadataExt,
    },
    path::{Path, PathBuf},
    process::ExitStatus,
    thread,
    time::{Duration, Instant},
};

use super::{
    folder::{TemporaryFolder, named_folder, named_path},
    signals,
};
use crate::{failure::Failure, printable::quoted};

/// The variables of a launcher: the rank, how many there are, and how many of them this machine has.
struct Variables {
    rank: &'static str,
    ranks: &'static str,
    local: &'static str,
}

/// Open MPI; MPICH and its relatives; Slurm's srun.
const LAUNCHERS: [Variables; 3] = [
    Variables {
        rank: "OMPI_COMM_WORLD_RANK",
        ranks: "OMPI_COMM_WORLD_SIZE",
        local: "OMPI_COMM_WORLD_LOCAL_SIZE",
    },
    Variables {
        rank: "PMI_RANK",
        ranks: "PMI_SIZE",
        local: "MPI_LOCALNRANKS",
    },
    Variables {
        rank: "SLURM_PROCID",
        ranks: "SLURM_STEP_NUM_TASKS",
        local: "SLURM_STEP_TASKS_PER_NODE",
    },
];

/// How long the ranks wait until the others have started.
const STARTING: Duration = Duration::from_secs(60);
/// A job that failed is ended by its launcher: how long rank 0 waits for that.
const ENDING: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(5);

/// A rank of a job.
#[derive(Clone, Debug)]
pub struct Job {
    rank: u32,
    ranks: u32,
    /// Of the folder in which the ranks meet.
    folder: String,
    /// The command that analyses the job completely.
    command: String,
}

impl Job {
    /// The job of which this process is one of several ranks.
    pub fn of_this_process() -> Result<Option<Job>, Failure> {
        let Some((rank, ranks, place)) = rank(|name| env::var(name).ok()) else {
            return Ok(None);
        };
        let launcher = launcher(place.variable);
        let words: Vec<String> = env::args().collect();
        let command = with_launch(&words, launcher.words.as_deref(), ranks);
        match place.is_one_machine {
            true => Ok(Some(Job {
                rank,
                ranks,
                folder: format!("lostbits-job-{}", launcher.name),
                command,
            })),
            false => Err(Failure::OneOfManyRanks {
                ranks,
                why: "on several machines".to_owned(),
                command,
            }),
        }
    }

    /// Refuses what needs further runs of the job, or one process.
    pub fn refuse(&self, what: &str) -> Failure {
        Failure::OneOfManyRanks {
            ranks: self.ranks,
            why: format!("and {what}"),
            command: self.command.clone(),
        }
    }

    /// What the report says where further runs would say more.
    pub fn advice(&self) -> String {
        format!("further runs need the whole job; run `{}`", self.command)
    }

    /// The command that analyses the job completely.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Whether this rank runs the job, and reports.
    pub fn leads(&self) -> bool {
        self.rank == 0
    }

    /// The folder for the records of all ranks; from here on they join.
    pub(super) fn open(&self) -> Result<TemporaryFolder, Failure> {
        let stale = named_path(&self.folder);
        if stale.exists() {
            fs::remove_dir_all(&stale).map_err(|error| Failure::NoTemporaryFolder { error })?;
        }
        let folder = named_folder(&self.folder)?;
        let ranks = folder.path().join(RANKS);
        fs::create_dir(ranks).map_err(|error| Failure::NoTemporaryFolder { error })?;
        Ok(folder)
    }

    /// Waits for rank 0 and holds this rank's lock until the process has ended, whatever program it becomes; returns the folder for
    /// its record.
    pub(super) fn join(&self) -> Result<PathBuf, Failure> {
        let folder = named_path(&self.folder);
        let given_up = Instant::now() + STARTING;
        while Instant::now() < given_up {
            if is_own(&folder) {
                match self.lock(&folder.join(RANKS)) {
                    Ok(()) => return Ok(folder),
                    // An earlier command of this job has not reported yet, or is just removing its folder.
                    Err(error) if is_transient(&error) => {}
                    Err(error) => return Err(Failure::NoTemporaryFolder { error }),
                }
            }
            thread::sleep(TICK);
        }
        Err(Failure::NoFirstRank {
            command: self.command.clone(),
        })
    }

    fn lock(&self, ranks: &Path) -> io::Result<()> {
        let (draft, final_name) = (
            ranks.join(format!("{}.new", self.rank)),
            ranks.join(self.rank.to_string()),
        );
        if final_name.exists() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let file = File::create_new(&draft)?;
        file.lock()?;
        // SAFETY: the descriptor is open; no memory is passed.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFD, 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // Only a locked file may be seen under its name.
        fs::rename(draft, final_name)?;
        let _ = file.into_raw_fd();
        Ok(())
    }

    /// Waits for the programs of the other ranks, where rank 0 ended like this; returns how many have not ended, or were not started by
    /// lostbits.
    pub(super) fn wait_for_others(&self, folder: &Path, status: ExitStatus) -> usize {
        let ranks = folder.join(RANKS);
        let ended = Instant::now();
        let mut patience = Patience {
            // A job without MPI may start its ranks one after another.
            for_start: ended + STARTING,
            for_end: (!status.success()).then(|| ended + ENDING),
        };
        let missing = (1..self.ranks).filter(|rank| !patience.wait(&ranks.join(rank.to_string())));
        let missing = missing.count();
        // Ranks that wait for the next command of this job must not join any more.
        let _ = fs::rename(&ranks, folder.join("ended"));
        missing
    }
}

const RANKS: &str = "ranks";

/// How long rank 0 waits for another.
struct Patience {
    for_start: Instant,
    /// None: as long as it takes.
    for_end: Option<Instant>,
}

impl Patience {
    /// Whether a rank's program has ended.
    fn wait(&mut self, lock: &Path) -> bool {
        loop {
            let is_started = match File::open(lock).map(|file| file.try_lock_shared()) {
                Ok(Ok(())) => return true,
                Ok(Err(TryLockError::WouldBlock)) => true,
                Ok(Err(TryLockError::Error(_))) | Err(_) => false,
            };
            if self.for_end.is_none() && signals::was_ended() {
                self.for_end = Some(Instant::now() + ENDING);
            }
            let until = match (self.for_end, is_started) {
                (Some(end), _) => Some(end),
                (None, false) => Some(self.for_start),
                (None, true) => None,
            };
            if until.is_some_and(|until| Instant::now() >= until) {
                return false;
            }
            thread::sleep(TICK);
        }
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound
    )
}

/// Another user may have made a folder of this name.
fn is_own(folder: &Path) -> bool {
    // SAFETY: the call has no arguments and always succeeds.
    let user = unsafe { libc::geteuid() };
    fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir() && found.uid() == user)
}

/// Where a rank is.
struct Place {
    /// The variable that ranks have, and the launcher's own processes lack.
    variable: &'static str,
    is_one_machine: bool,
}

/// The rank of this process, and the number of all, if there are several.
fn rank(variable: impl Fn(&str) -> Option<String>) -> Option<(u32, u32, Place)> {
    LAUNCHERS.iter().find_map(|launcher| {
        let number = |name: &str| variable(name)?.parse::<u32>().ok();
        let ranks = number(launcher.ranks).filter(|ranks| *ranks > 1)?;
        let place = Place {
            variable: launcher.rank,
            is_one_machine: number(launcher.local) == Some(ranks),
        };
        Some((number(launcher.rank)?, ranks, place))
    })
}

/// What started the ranks of this machine.
struct Launcher {
    /// The same for all ranks, and for no other job.
    name: String,
    /// Its command line up to that of this process, if it has that.
    words: Option<Vec<String>>,
}

fn launcher(variable: &str) -> Launcher {
    let own: Vec<String> = env::args().collect();
    let mut found = None;
    let mut words = None;
    let mut process = parent("self");
    while let Some(number) = process.filter(|number| *number > 0) {
        if found.is_none() && !has_variable(number, variable) {
            found = Some(number);
        }
        if found.is_some() && words.is_none() {
            words = before(&command_line(number), &own);
        }
        process = parent(&number.to_string());
    }
    let number = found.unwrap_or(0);
    let started = stat(&number.to_string(), STARTED).unwrap_or(0);
    Launcher {
        name: format!("{number}-{started}"),
        words,
    }
}

/// The words of a command line in front of another.
fn before(line: &[String], own: &[String]) -> Option<Vec<String>> {
    let words = line.strip_suffix(own)?;
    (!words.is_empty()).then(|| words.to_vec())
}

/// Fields of /proc/PID/stat behind the program's name.
const PARENT: usize = 1;
const STARTED: usize = 19;

fn parent(process: &str) -> Option<u64> {
    stat(process, PARENT)
}

fn stat(process: &str, field: usize) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(") ")?;
    fields.split(' ').nth(field)?.parse().ok()
}

/// Whether a process is a rank, too. Processes of other users are none.
fn has_variable(process: u64, name: &str) -> bool {
    let bytes = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let mut variables = bytes.split(|byte| *byte == 0);
    variables.any(|one| {
        one.strip_prefix(name.as_bytes())
            .is_some_and(|rest| rest.starts_with(b"="))
    })
}

fn command_line(process: u64) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let words = text.split_terminator('\0');
    words.map(str::to_owned).collect()
}

/// `lostbits explain --launch 'mpirun -np 4' ./prog`, of the words of one rank.
fn with_launch(words: &[String], launcher: Option<&[String]>, ranks: u32) -> String {
    let launcher = match launcher {
        Some(words) => words.join(" "),
        None => format!("mpirun -np {ranks}"),
    };
    let mut shown = vec!["lostbits".to_owned()];
    shown.extend(words.get(1).map(|word| quoted(word)));
    shown.extend(["--launch".to_owned(), quoted(&launcher)]);
    shown.extend(words.iter().skip(2).map(|word| quoted(word)));
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, &str)]) -> Option<(u32, u32, bool)> {
        let value = |name: &str| {
            let found = set.iter().find(|(own, _)| *own == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        rank(value).map(|(rank, ranks, place)| (rank, ranks, place.is_one_machine))
    }

    #[test]
    fn a_job_of_several_ranks_is_recognised() {
        let open = |local| {
            of(&[
                ("OMPI_COMM_WORLD_RANK", "3"),
                ("OMPI_COMM_WORLD_SIZE", "4"),
                ("OMPI_COMM_WORLD_LOCAL_SIZE", local),
            ])
        };
        assert_eq!(open("4"), Some((3, 4, true)));
        assert_eq!(open("2"), Some((3, 4, false)));
        let slurm = |tasks| {
            of(&[
                ("SLURM_PROCID", "0"),
                ("SLURM_STEP_NUM_TASKS", "4"),
                ("SLURM_STEP_TASKS_PER_NODE", tasks),
            ])
        };
        assert_eq!(slurm("4"), Some((0, 4, true)));
        assert_eq!(slurm("2(x2)"), Some((0, 4, false)));
        assert_eq!(of(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")]), None);
        assert_eq!(of(&[("HOME", "4")]), None);
    }

    #[test]
    fn the_command_for_the_whole_job_keeps_the_launchers_words() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let own = words("lostbits explain --all ./p -- 3");
        let line = words("mpirun -x A=1 -np 4 lostbits explain --all ./p -- 3");
        let launcher = before(&line, &own);
        assert_eq!(
            with_launch(&own, launcher.as_deref(), 4),
            "lostbits explain --launch 'mpirun -x A=1 -np 4' --all ./p -- 3"
        );
        assert_eq!(before(&own, &own), None);
        assert_eq!(
            with_launch(&own, None, 2),
            "lostbits explain --launch 'mpirun -np 2' --all ./p -- 3"
        );
    }

    #[test]
    fn a_rank_has_ended_when_its_lock_is_free() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = folder.path().join("1");
        let now = Instant::now();
        let mut patience = Patience {
            for_start: now,
            for_end: None,
        };
        assert!(!patience.wait(&lock), "it was never started");
        let file = File::create_new(&lock).expect("a file");
        file.lock().expect("a lock");
        patience.for_end = Some(now);
        assert!(!patience.wait(&lock), "it still runs");
        drop(file);
        assert!(patience.wait(&lock));
    }
}
