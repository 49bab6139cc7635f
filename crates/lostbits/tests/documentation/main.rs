//! The documentation against the tool: every console block of README.md and docs/*.md is run and its
//! output compared, every link leads somewhere, and the JSON reports of `explain`, `watch` and `search` are validated against
//! docs/*.schema.json. The real plugin and runtime must be beside the binary (`make build` puts them there).

mod blocks;
mod console;
mod links;
mod picture;
mod schemas;

// Shared with the tests of the commands, and used only in part here.
#[allow(dead_code)]
#[path = "../cli/sandbox.rs"]
mod sandbox;

use std::path::{Path, PathBuf};

/// The root of the repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
