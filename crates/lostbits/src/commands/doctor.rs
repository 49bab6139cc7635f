//! `lostbits doctor`: which compilers and parts are there.

use std::process::ExitCode;

use crate::{
    destination::Destination,
    doctor,
    failure::{self, Failure},
};

pub fn doctor() -> Result<ExitCode, Failure> {
    let checks = doctor::examine();
    Destination::Output.write(&doctor::table(&checks))?;
    Ok(match doctor::is_healthy(&checks) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(failure::EXIT_CODE),
    })
}
