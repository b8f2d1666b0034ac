//! Counts, lists and finds knight's tours: exact numbers, in parallel, on any board or graph.
//!
//! A *tour* is a Hamiltonian path or cycle. The board may be a rectangle with removed squares, a board with
//! joined edges (cylinder, torus, Klein bottle, ..), a box of several layers or any graph; the piece may be
//! any leaper or a sum of leapers.
//!
//! ```
//! use ktour::board::Board;
//! use ktour::{Control, Kind, Request, count};
//!
//! let board: Board = "5x6".parse()?;
//! let request = Request::of_kind(board, Kind::Closed);
//! let answer = count(&request, &Control::new())?;
//! assert_eq!(answer.counts.closed, Some(8u32.into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which module to use
//!
//! | task | module | cost |
//! |---|---|---|
//! | count all tours, with the fastest engine | [`count`](mod@count) | exponential in the squares |
//! | list all tours, or iterate over them | [`search`] | exponential; tours come from the start |
//! | find one tour on a board of any size | [`heuristic`] | O(squares) for knights on rectangles |
//! | count tours without visiting them | [`frontier`] | exponential in the shorter side |
//! | count tours of m x 1, m x 2, .. m x n | [`series`] | one sweep for all boards |
//! | find a linear recurrence of these counts | [`recurrence`] | needs twice as many terms as its order |
//! | number all tours, sample them uniformly | [`index`] | one sweep, saved; then each tour by its number |
//! | read the record file of a run | [`batch::Record`] | |
//!
//! [`board`] holds boards, graphs and their symmetries; [`tour`] reads, checks, writes and draws tours;
//! [`count::job_spec`] has the rules about choices that exclude each other.
//!
//! # How a count works
//!
//! ```text
//! Request -> ValidatedRequest -> WorkPlan (units) -> engine -> Sums -> theorems -> Answer
//!                                                       |
//!                               backtracking | multipath search | frontier sweep
//! ```
//!
//! A request is validated and cut into units. An engine computes the units in parallel. Theorems check
//! the sum before it becomes an [`Answer`]. The result does not depend on the number of threads.
//!
//! The files, in order, from the command `ktour count 8x8 --kind closed` to the printed number. A file is listed if its
//! functions pass the count on or compute a part of it; that makes twenty files. Not listed are the engine, the parsers of
//! arguments and their rules ([`count::job_spec`]), boards, types that hold the data of these functions, such as
//! [`Request`], `Job`, `RunState` and [`Sums`](count::Sums), and what runs on the side:
//!
//! ```text
//! main.rs                     main                 stack and allocator of the process
//! cli/mod.rs                  main, run_command    parses the command line
//! cli/count.rs                CountArgs::run       board and kind            -> RunRequest
//! cli/run/execution.rs        RunRequest::run      prepare_run, execute_run, report_result
//! cli/run/context.rs          prepare_run          plan, files               -> RunContext
//!     count/work_plan.rs            WorkPlan::new              units of the chosen engine
//!     count/validated_request.rs    ValidatedRequest::new      ends, symmetries, engine
//!     count/engine_cost.rs          choose_engine              smallest estimated time
//! cli/run/execution.rs        execute_run                                    -> CountResult
//!     cli/run/admission.rs          admit                      prints a long estimate, or the refusal
//!     batch/count_job.rs            CountJob::admit            the checks below
//!     count/admission.rs            Admission::rough, estimate rough estimate, and a dry run if it may matter
//!     count/job_estimate.rs         WorkPlan::estimate         time, memory and disk of the units
//!     budget.rs                     Budget::check              time, memory and disk against the limits
//!     batch/count_job.rs            CountJob::run              the count with its checkpoint and spill folder
//!     batch/run.rs                  run_shard                  the units that are not finished
//!     count/work_plan.rs            run_units                  one after the other, or on all threads
//!     count/sweep_units.rs          SweepUnits::run_unit       one sweep  ->  engine `frontier`
//!     batch/checkpointer.rs         Checkpointer::on_unit_done adds the sums of a finished unit to the state
//!     batch/run.rs                  CountOutcome::from_sums    sums of the units -> CountOutcome
//!     count/validated_request.rs    ValidatedRequest::answer   sums of the units -> Answer
//!     count/theorems.rs             check_counts               the last gate
//! cli/run/execution.rs        report_result        files, standard output, the line `done`
//!     cli/args/output_options.rs    OutputOptions::report      text, CSV, JSON, record
//!     report/count_report.rs        CountResult::to_text       the number
//!     report/output.rs              Output::finish             standard output and files
//! ```
//!
//! Several numbers are a table (`report/table.rs`). With `--json`, `--csv` or `--record`, `batch/record.rs` makes the record
//! of the run.
//!
//! And from `ktour series 5x2..60`:
//!
//! ```text
//! main.rs, cli/mod.rs         as above
//! cli/series/command.rs       SeriesArgs::run      options of a series       -> CountArgs
//! cli/count.rs                CountArgs::count_series                        -> SeriesRun
//! cli/series/mod.rs           SeriesRun::run       line by line; sweep_line counts a line in one sweep
//!     batch/series_job.rs           SeriesJob::parts           lines of boards that share a sweep, and single boards
//!     series/board_range.rs         BoardRange::lines          boards that differ in one side
//!     series/planned_series.rs      BoardLine::plan            the sweeps of all kinds
//!     series/planned_series.rs      PlannedSeries::admission_estimate
//!     cli/run/admission.rs          check_in_memory            refuses a line that does not fit
//!     count/job_estimate.rs         JobEstimate::admit         the refusal, with its remedies
//!     budget.rs                     Budget::check              time, memory and disk against the limits
//!     cli/run/admission.rs          print_in_memory            prints a long estimate
//!     batch/series_job.rs           SeriesJob::sweep           each row with its numbers up to symmetry
//!     series/planned_series.rs      PlannedSeries::run         the sweeps, side by side if they fit
//!     series/line_sweeps.rs         LineSweeps::run_sweep      one sweep  ->  engine `frontier`
//!     series/row.rs                 exact_row                  numbers of a board -> SeriesRow
//!     count/theorems.rs             check_counts               the last gate
//! cli/series/writer.rs        RowWriter::write_row each row at once; files every few seconds
//!     report/series_report.rs       BoardRow::printed_fields   the printed row; SeriesReport has the files
//!     cli/args/output_options.rs    print_to_stdout            a row
//!     report/output.rs              Output::finish             standard output and files
//! ```
//!
//! On the side:
//!
//! ```text
//! cli/process.rs                  Signals::catch             makes a signal cancel the Control of the run
//! cli/args/run_options.rs         RunOptions::progress       Control and display of a run, by its options
//! cli/malloc_tuning.rs            run_allocator_command      tunes the allocator for sweeps
//! count/run_observer.rs           SweepProgress              passes the steps of a running engine to the Control
//! progress_tracker.rs             ProgressTracker            computes the finished fraction and the time left
//! report/progress.rs              Progress                   shows them on standard error
//! ```
//!
//! With `--checkpoint FILE`, both commands also use
//!
//! ```text
//! cli/args/checkpoint_options.rs  CheckpointOptions::open    locks and loads FILE
//! batch/checkpoint/               Checkpoint, CheckpointFile format and file
//! batch/checkpointer.rs           Checkpointer::save         the state, now and then: RunState, SeriesState
//! ```
//!
//! `ktour resume FILE` parses the command line that FILE stores, and runs the command with `--checkpoint FILE`:
//!
//! ```text
//! cli/resume.rs               ResumeArgs::load
//! cli/args/checkpoint_options.rs  CheckpointOptions::from_saved  command line and board of the checkpoint
//!     batch/checkpoint/generations.rs  load_command            newest intact generation
//! cli/mod.rs                  resume               CountArgs or SeriesArgs, with the run options of `resume`
//! ```
//!
//! # Progress and cancellation
//!
//! Long computations take a [`Control`]. Its clones share one run: another thread may read the progress or
//! cancel the run.
//!
//! ```
//! # use ktour::{Control, Request, board::Board, count};
//! # let request = Request::new("5x5".parse::<Board>()?);
//! let control = Control::new();
//! let other = control.clone();
//! std::thread::spawn(move || assert!(other.progress().fraction <= 1.0));
//! let answer = count(&request, &control)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Threads and the process
//!
//! The library prints nothing, never ends the process, handles no signals, changes no options of the process
//! and owns no thread pool. Work runs on the current rayon pool: the global pool, unless the caller installs
//! another one.
//!
//! ```
//! # use ktour::{Control, Request, board::Board, count};
//! # let request = Request::new("5x5".parse::<Board>()?);
//! let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
//! let answer = pool.install(|| count(&request, &Control::new()))?;
//! assert_eq!(answer.counts.paths, Some(864u32.into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Kernels for BMI, AVX2 and AVX-512 are chosen at run time. Large sweeps gain speed if the program lets them
//! tune its memory allocator: see [`Control::with_allocator_hook`].
//!
//! # Stable interface
//!
//! Compatible versions keep these items:
//!
//! | items | purpose |
//! |---|---|
//! | [`Request`], [`Engine`], [`Kind`], [`count()`], [`Answer`] | a count and its result |
//! | [`Control`] | progress and cancellation of a run |
//! | [`TourSpec`], [`search::tours()`], [`search::TourIter`], [`search::list::ListOptions`] | the tours themselves, one by one |
//! | [`board::Board`], [`board::Rectangle`], [`board::Leaper`], [`board::Square`], [`tour::Tour`] | boards and tours |
//! | [`heuristic::find`], [`heuristic::FindRequest`] | one tour of a board of any size |
//! | [`frontier::count`], [`frontier::SweepGraph`], [`frontier::Tours`], [`frontier::Options`], [`frontier::Observer`], [`frontier::Outcome`] | sweeps of any graph |
//! | [`index::Index`], [`index::IndexLocation`] | all tours by number |
//! | [`batch::Record`] | the record file of a run |
//!
//! Later versions may add fields and variants to `#[non_exhaustive]` types, and fields to requests and
//! options: build the latter from `new` or `default` with `..`. An enum without `#[non_exhaustive]`, such as
//! [`Kind`], keeps its present set of variants. All other public items serve the program, the Python module and the tests
//! and may change in any version; modules that serve them alone are not in this documentation.
//!
//! # Features
//!
//! The program `ktour` is a crate of its own on top of this library, behind the default feature `program`.
//! With `default-features = false` the package has no command line, and neither asks nor changes the terminal. The pictures
//! of [`tour`] for terminals are plain text, with colours on request.
//!
//! # WebAssembly
//!
//! Without the program the library also compiles for `wasm32-unknown-unknown`, where it has no threads, no files and no
//! module `batch`: indexes are in memory, a memory limit must be given, and [`clock`] must be set.

#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

#[cfg(not(target_family = "wasm"))] // Files and threads, which a browser does not have.
pub mod batch;
pub mod board;
#[doc(hidden)] // For the program and the Python module.
pub mod budget;
pub mod clock;
pub mod control;
pub mod count;
#[doc(hidden)] // For the program and the Python module.
pub mod cpu_features;
#[doc(hidden)] // The program writes digests into its files too.
pub mod digest;
mod encoder;
pub mod frontier;
pub mod heuristic;
pub mod index;
mod json_fault;
mod lock;
#[doc(hidden)] // For the program and the Python module.
pub mod memory;
mod progress_tracker;
#[doc(hidden)] // For the program and the Python module.
pub mod random;
pub mod recurrence;
pub mod search;
pub mod series;
#[doc(hidden)] // For the program and the Python module.
pub mod text_format;
#[doc(hidden)] // The program recognises the panics of threads that cannot start.
pub mod threads;
pub mod tour;

pub use control::Control;
pub use count::{Answer, Engine, Request, count};
pub use json_fault::JsonFault;
pub use num_bigint::BigUint;
pub use tour::{Kind, TourSpec};

/// The README, whose examples run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
