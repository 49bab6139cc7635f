//! Shows a page in the user's browser.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    destination::Destination,
    output::{self, Stream},
    printable::printable,
};

/// Says where a page is, and opens it if that is wanted. A machine without a desktop is no reason to fail: the page is there.
pub fn show(destination: &Destination, open: bool) {
    let Destination::File(path) = destination else {
        return;
    };
    let shown = printable(&path.to_string_lossy()).into_owned();
    output::print(Stream::Errors, &format!("report: {shown}\n"));
    if open && !opens(path) {
        output::note(format_args!(
            "xdg-open cannot show {shown}: open it in a browser yourself"
        ));
    }
}

fn opens(path: &Path) -> bool {
    let mut command = Command::new("xdg-open");
    let silent = command
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}
