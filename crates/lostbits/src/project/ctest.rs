//! The names and folders of CTest's tests, by their command lines: `ctest --show-only=json-v1` lists them.

use serde_json::Value;

use super::findings::Merged;

/// A test that CTest knows.
pub struct Known {
    pub name: String,
    pub command: Vec<String>,
    pub folder: Option<String>,
}

impl Known {
    /// Reads what `ctest --show-only=json-v1` prints; tests without a command are left out.
    pub fn read(json: &str) -> Vec<Known> {
        let listed: Value = serde_json::from_str(json).unwrap_or_default();
        let tests = listed["tests"].as_array().cloned().unwrap_or_default();
        tests.iter().filter_map(Known::of).collect()
    }

    fn of(test: &Value) -> Option<Known> {
        let words = test["command"].as_array()?.iter();
        let properties = test["properties"].as_array();
        let folder = properties.into_iter().flatten().find_map(|property| {
            let is_folder = property["name"] == "WORKING_DIRECTORY";
            property["value"].as_str().filter(|_| is_folder)
        });
        Some(Known {
            name: test["name"].as_str()?.to_owned(),
            command: words
                .filter_map(|word| Some(word.as_str()?.to_owned()))
                .collect(),
            folder: folder.map(str::to_owned),
        })
    }
}

/// Gives processes the names of the tests whose command they are, or that started them.
pub fn name_tests(merged: &mut Merged, known: &[Known]) {
    for at in 0..merged.processes.len() {
        let of_command = known
            .iter()
            .find(|test| test.command == merged.processes[at].command);
        match of_command {
            Some(test) => {
                merged.processes[at].test = Some(test.name.clone());
                merged.processes[at].folder = test.folder.clone();
            }
            None => {
                let parent = merged.processes[at].parent;
                let parent = merged.processes.iter().find(|one| one.number == parent);
                let (test, folder) =
                    parent.map_or((None, None), |one| (one.test.clone(), one.folder.clone()));
                merged.processes[at].test = test;
                merged.processes[at].folder = folder;
            }
        }
    }
}
