//! Running a counting job to its report: shared by `count` and `resume`.
//!
//! ```text
//! Start -> prepare -> Ready -> outlook, execute -> Counted -> check again -> Counted -> report
//!                                 |                       |
//!                                 +-> stopped: saved, how to go on
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
    /// Runs the job for its result, one of many: what is wanted of files is not looked at.
    pub fn count(self) -> Result<CountResult, Failure> {
        self.count_job().map(|(result, _)| result)
    }

    /// The same with the job that it was.
    pub fn count_job(self) -> Result<(CountResult, Job), Failure> {
        let mut ready = prepare::prepare(Self { wanted: self.wanted.without_files(), ..self })?;
        ready.is_one_of_many = true;
        // The job of all is told by whoever called.
        ready.is_told = true;
        let counted = execute::execute(&mut ready)?.expect("a series is not shared by ranks");
        let checked = again::check_again(&mut ready, counted)?;
        Ok((checked.result, ready.job))
    }

    /// Why a job will be refused, if it will not fit or would take years, before others are begun.
    pub fn obstacle(self, control: &Control) -> Result<Option<Obstacle>, Failure> {
        let ready = prepare::prepare(Self { wanted: self.wanted.without_files(), ..self })?;
        let (how, name) = (ready.how.clone(), ready.name());
        Ok(how.looking_at("whether it has room", name, || Obstacle::of(ready, control))?)
    }

    /// Runs the job and reports; or saves and says how to go on.
    pub fn run(self) -> Result<(), Failure> {
        let mut ready = prepare::prepare(self)?;
        let counted = execute::execute(&mut ready)?;
        // The first rank speaks for all.
        let Some(counted) = counted else { return Ok(()) };
        let checked = again::check_again(&mut ready, counted)?;
        report::report(ready, &checked)
    }
}
