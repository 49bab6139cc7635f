//! The scripts of a campaign: one runs a shard, one is a task of Slurm's job array, one takes shards until none is left.

use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use super::arguments::CampaignArguments;
use crate::{failure::Failure, sources::current_folder};

pub struct Scripts {
    /// `shard.sh K` succeeds if the shard is finished, with or without findings.
    pub shard: String,
    /// `worker.sh K…`: a shard belongs to the worker that makes its folder, which is atomic also on shared file systems.
    pub worker: String,
    pub array: String,
}

impl Scripts {
    pub fn new(folder: &Path, arguments: &CampaignArguments) -> Result<Scripts, Failure> {
        let own = std::env::current_exe().map_err(|error| Failure::CannotStart {
            program: PathBuf::from("lostbits"),
            error,
        })?;
        let mut words = vec![quoted(own.as_os_str())?];
        words.push("search".to_owned());
        for word in &arguments.search {
            words.push(quoted(word)?);
        }
        let words = words.join(" ");
        let start = quoted(current_folder().as_os_str())?;
        let folder = quoted(folder.as_os_str())?;
        let shards = arguments.shards;
        Ok(Scripts {
            shard: format!(
                "#!/bin/sh\n\
                 # Searches shard $1. Written by `lostbits campaign`.\n\
                 cd {start} || exit 2\n\
                 {words} --shard \"$1/{shards}\" --resume {folder}/\"shard-$1.jsonl\"\n\
                 test $? -le 1\n"
            ),
            worker: format!(
                "#!/bin/sh\n\
                 # Searches those of the given shards that no other worker has. Written by `lostbits campaign`.\n\
                 cd {folder} || exit 2\n\
                 for shard; do\n    \
                     mkdir \"claims/$shard\" 2>/dev/null || continue\n    \
                     ./shard.sh \"$shard\" >\"shard-$shard.log\" 2>&1\n\
                 done\n\
                 exit 0\n"
            ),
            array: format!(
                "#!/bin/sh\n\
                 # A task of the job array. Written by `lostbits campaign`.\n\
                 exec {folder}/shard.sh \"$SLURM_ARRAY_TASK_ID\"\n"
            ),
        })
    }
}

/// A word for the shell.
fn quoted(word: &OsStr) -> Result<String, Failure> {
    let text = std::str::from_utf8(word.as_bytes()).map_err(|_| Failure::NotForScripts {
        word: word.to_string_lossy().into_owned(),
    })?;
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_shell_reads_a_quoted_word_as_it_was() {
        for word in ["f(x, 0)", "it's", "'", "$HOME `ls` \\", "a\nb", "", "*"] {
            let script = format!("printf %s {}", quoted(OsStr::new(word)).unwrap());
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}
