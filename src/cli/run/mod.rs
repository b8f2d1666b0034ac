//! Runs a counting job from the request to the report, for `count` and `resume`.
//!
//! ```text
//! RunRequest -> prepare -> RunContext -> admit, execute -> CountedRun -> double check -> CountedRun -> report
//!                                          |                  |
//!                                          +------------------+-> stopped: checkpoint saved, resume command printed
//! ```

mod again;
mod announce;
mod execute;
mod in_memory;
mod prepare;
mod ready;
mod refused;
mod report;
#[cfg(test)]
pub mod samples;
mod start;

pub use announce::MINUTE;
pub use execute::CHECKPOINT_EVERY;
pub use in_memory::{announce_range, announce_symmetric, refuse_range};
pub use prepare::brief;
pub use ready::name_of;
pub use refused::{FORCE, Obstacle};
pub use start::Start;

use super::failure::Failure;
use crate::report::CountResult;
use ktour::batch::Job;
use ktour::control::Control;

impl Start {
    /// Runs one job of a series and returns its result. Opens no output files.
    pub fn count(self) -> Result<CountResult, Failure> {
        self.count_job().map(|(result, _)| result)
    }

    /// Runs one job of a series and returns its result and the job. Opens no output files.
    pub fn count_job(self) -> Result<(CountResult, Job), Failure> {
        let mut ready = prepare::prepare(Self { wanted: self.wanted.without_files(), ..self })?;
        ready.is_one_of_many = true;
        // The caller prints one job line for the whole series.
        ready.is_told = true;
        let counted = execute::execute(&mut ready)?.expect("a series does not run on several ranks");
        let checked = again::check_again(&mut ready, counted)?;
        Ok((checked.result, ready.job))
    }

    /// Returns the refusal of a job that does not fit or would take more than a year, so that a series can be
    /// refused before its first board.
    pub fn obstacle(self, control: &Control) -> Result<Option<Obstacle>, Failure> {
        let ready = prepare::prepare(Self { wanted: self.wanted.without_files(), ..self })?;
        let (how, name) = (ready.how.clone(), ready.name());
        Ok(how.looking_at("whether it fits", name, || Obstacle::of(ready, control))?)
    }

    /// Runs the job and reports its result. If stopped, saves the checkpoint and prints the resume command.
    pub fn run(self) -> Result<(), Failure> {
        let mut ready = prepare::prepare(self)?;
        let counted = execute::execute(&mut ready)?;
        // Only the first rank reports.
        let Some(counted) = counted else { return Ok(()) };
        let checked = again::check_again(&mut ready, counted)?;
        report::report(ready, &checked)
    }
}
