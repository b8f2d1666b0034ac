//! Runs a counting job from the request to the report, for `count` and `resume`.
//!
//! ```text
//! RunRequest -> prepare -> RunContext -> admit, execute -> CountedRun -> double check -> CountedRun -> report
//!                                          |                  |
//!                                          +------------------+-> stopped: checkpoint saved, resume command printed
//! ```

pub(crate) mod admission;
pub(crate) mod context;
pub(crate) mod execution;
#[cfg(test)]
pub mod test_support;

pub use admission::{RefusedRun, admit_series_sweep, admit_symmetric, check_series_sweep};
pub use context::{RunRequest, shorten_job};

use super::error::CliError;
use crate::report::CountResult;
use ktour::batch::Job;
use ktour::control::Control;

impl RunRequest {
    /// Counts the tours of one board of a series and returns the result. Opens no output files.
    pub fn count(self) -> Result<CountResult, CliError> {
        self.count_with_job().map(|(result, _)| result)
    }

    /// Counts the tours of one board of a series, and returns the result and the job. Opens no
    /// output files.
    pub fn count_with_job(self) -> Result<(CountResult, Job), CliError> {
        let mut run_context = context::prepare_run(Self { output: self.output.without_files(), ..self })?;
        run_context.is_in_series = true;
        // The caller prints one job line for the whole series.
        run_context.is_job_printed = true;
        let counted =
            execution::execute_run(&mut run_context)?.expect("a series does not run on several ranks");
        let checked = execution::run_double_check(&mut run_context, counted)?;
        Ok((checked.result, run_context.job))
    }

    /// Returns the refusal of a job that does not fit or would take more than a year. Allows a
    /// caller to refuse a series before its first board is counted.
    pub fn find_refusal(self, control: &Control) -> Result<Option<RefusedRun>, CliError> {
        let run_context = context::prepare_run(Self { output: self.output.without_files(), ..self })?;
        let (run_options, name) = (run_context.run_options.clone(), run_context.title());
        run_options
            .with_waiting_display("checking memory and time", name, || RefusedRun::find(run_context, control))
    }

    /// Runs the job and reports its result. If a signal stops the job, saves the checkpoint and
    /// prints the command that resumes it.
    pub fn run(self) -> Result<(), CliError> {
        let mut run_context = context::prepare_run(self)?;
        let counted = execution::execute_run(&mut run_context)?;
        // Only the first rank reports.
        let Some(counted) = counted else { return Ok(()) };
        let checked = execution::run_double_check(&mut run_context, counted)?;
        execution::report_result(run_context, &checked)
    }
}
