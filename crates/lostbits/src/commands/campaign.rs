//! `lostbits campaign`: arguments → shards → [`super::merge`].

use std::process::ExitCode;

use super::merge;
use crate::{
    campaign::{Campaign, CampaignArguments},
    destination::Destination,
    failure::Failure,
};

pub fn campaign(arguments: CampaignArguments) -> Result<ExitCode, Failure> {
    let destination = arguments
        .report
        .clone()
        .map_or(Destination::Output, Destination::File);
    destination.check()?;
    let files = Campaign::new(&arguments)?.run()?;
    merge::write(&files, false, &destination)
}
