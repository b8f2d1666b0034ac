//! The report of `ktour estimate`: lines of text and a JSON object.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::error::CliError;
use super::format_units::{format_bytes, format_seconds, format_threads};
use super::output_files::{combine_results, print_to_stdout, write_and_finish};
use super::series::SeriesEstimate;
use crate::report::{Output, terminal_columns};
use ktour::count::{Engine, JobEstimate};
use ktour::index::IndexEstimate;
use ktour::text_format;
use ktour::text_format::YEAR_SECONDS;

/// Seconds up to which the choice between two engines does not matter.
const EQUAL_SECONDS: f64 = 0.05;

/// Width of line names, in columns.
const NAME_COLUMNS: usize = 8;

/// Value at which sums saturate. A sum that has reached it is unknown.
const SATURATED_SUM: u64 = 1 << 63;

/// The estimates of a request, as text and as JSON.
#[derive(Default)]
pub struct EstimateReport {
    pub text: String,
    pub json: serde_json::Map<String, Value>,
}

impl EstimateReport {
    /// Adds a line of text with a name, wrapped to the terminal.
    pub fn add_line(&mut self, name: &str, value: &str) {
        let columns_left = terminal_columns()
            .map_or(usize::MAX, |columns| columns.saturating_sub(NAME_COLUMNS + 2).max(NAME_COLUMNS));
        let mut name = name;
        for line in text_format::wrap_lines(value, columns_left) {
            writeln!(self.text, "{name:<NAME_COLUMNS$} {line}").expect("a text can be written to");
            name = "";
        }
    }

    /// Adds a JSON field.
    pub fn add_field(&mut self, name: &str, value: Value) {
        self.json.insert(name.to_owned(), value);
    }

    /// Adds that the estimates are for one of `parts` shards.
    pub fn add_shard(&mut self, parts: u32) {
        let text =
            format!("one of {parts}; for a search the mean, for a sweep an upper bound for the largest");
        self.add_line("part", &text);
        self.add_field("parts", json!(parts));
    }

    /// Writes the JSON to its file, if one is given, and prints the text, unless the JSON goes to standard
    /// output.
    pub fn write(&self, path: Option<&Path>) -> Result<(), CliError> {
        let Some(path) = path else { return print_to_stdout(&self.text) };
        let json =
            serde_json::to_string_pretty(&self.json).expect("numbers and texts can be serialised") + "\n";
        let written = Output::create(path)
            .map_err(CliError::from)
            .and_then(|out| write_and_finish(out, json.as_bytes()));
        combine_results([written, if path == Path::new("-") { Ok(()) } else { print_to_stdout(&self.text) }])
    }

    /// Adds the engine that count would take, and the faster one by these estimates if that is another and
    /// the difference matters.
    pub fn add_cheaper_engine(&mut self, engine: Engine, search: Option<f64>, sweep: Option<f64>) {
        let faster = match (search, sweep) {
            (Some(search), Some(sweep)) if search.max(sweep) > EQUAL_SECONDS => {
                Some(if search <= sweep { Engine::Multipath } else { Engine::Frontier })
            }
            _ => None,
        };
        let hint = faster.filter(|&faster| faster != engine).map_or_else(String::new, |faster| {
            format!(" by the rough estimate that count uses; --engine {} by these estimates", faster.name())
        });
        self.add_line("cheaper", &format!("{}{hint}", engine.name()));
        self.add_field("cheaper", json!(engine.name()));
    }

    /// Adds the estimate of an index of all tours.
    pub fn add_index(&mut self, demand: &IndexEstimate) {
        let threads = format_threads(rayon::current_num_threads());
        let IndexEstimate {
            sweep,
            layer_bytes: kept,
            memory_bytes: memory,
            memory_bytes_with_folder: with_folder,
            statistics_bytes: statistics,
            seconds,
            statistics_seconds,
            ..
        } = demand;
        self.add_line(
            "index",
            &format!("{} in memory or on disk, {} layers", format_bytes(*kept), sweep.steps),
        );
        self.add_line(
            "  memory",
            &format!("{}, or {} with --index DIR", format_bytes(*memory), format_bytes(*with_folder)),
        );
        self.add_line("  time", &format!("{} on {threads}", format_seconds(*seconds)));
        let stats = format!(
            "{} of memory and {} more, with --index DIR",
            format_bytes(*statistics),
            format_seconds(*statistics_seconds)
        );
        self.add_line("  stats", &stats);
        self.add_field(
            "index",
            json!({ "steps": sweep.steps, "bytes": kept, "memory_bytes": memory,
                "folder_memory_bytes": with_folder, "seconds": seconds,
                "statistics_memory_bytes": statistics, "statistics_seconds": statistics_seconds,
                "exact": sweep.is_exact }),
        );
    }

    /// Adds the total of `sweeps` sweeps for residues, of `seconds` each.
    pub fn add_residues(&mut self, sweeps: usize, seconds: Option<f64>) {
        let all = seconds.map(|seconds| seconds * sweeps as f64);
        if sweeps > 1 {
            let (threads, time_text) =
                (rayon::current_num_threads(), format_seconds(all.unwrap_or(f64::INFINITY)));
            self.add_line(
                "residues",
                &format!("{sweeps} such sweeps, {time_text} on {threads} threads, one after the other"),
            );
        }
        self.add_field("residues", json!({ "sweeps": sweeps, "seconds": all }));
    }

    /// Adds the total of all boards of a range, counted one after the other.
    pub fn add_series_total(&mut self, all: &SeriesEstimate) {
        let SeriesEstimate { boards, runs, seconds } = *all;
        let counted =
            |number: usize, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
        let run_text = if runs == boards { String::new() } else { format!(" by {}", counted(runs, "run")) };
        let prefix = if seconds > YEAR_SECONDS { "the first " } else { "" };
        let time = format_seconds(seconds);
        let threads = format_threads(rayon::current_num_threads());
        self.add_line(
            "in all",
            &format!("{prefix}{}{run_text}, {time} on {threads}", counted(boards, "board")),
        );
        self.add_field("in_all", json!({ "boards": boards, "runs": runs, "seconds": seconds }));
    }

    /// Adds the free bytes of the spill folder.
    pub fn add_free_space(&mut self, folder: &Path, spare: Option<u64>) {
        let text = spare.map_or("unknown".to_owned(), format_bytes);
        self.add_line("  free", &format!("{text} in {}", folder.display()));
        self.add_field("room_bytes", json!(spare));
    }

    /// Adds the estimates of sweeps.
    pub fn add_sweeps(&mut self, forecast: &JobEstimate) {
        let threads = format_threads(rayon::current_num_threads());
        for sweep in &forecast.sweeps {
            if sweep.steps == 0 {
                self.add_line("sweep", "not needed: the count is known at once");
                continue;
            }
            self.add_line("sweep", &format!("{} steps, frontier of {} slots", sweep.steps, sweep.slots));
            let most = match unsaturated(sweep.peak_weights) {
                None => "",
                Some(_) if sweep.is_exact => "at most ",
                Some(_) => "about ",
            };
            let (peak, all) = (format_states(sweep.peak_weights), format_states(sweep.weights));
            self.add_line("  states", &format!("{most}{peak} at once, {all} in all"));
            self.add_line("  memory", &format_bytes(sweep.peak_bytes));
            let outside = forecast.memory_limit.map(|ceiling| sweep.spill(ceiling)).unwrap_or_default();
            if let (Some(ceiling), true) = (forecast.memory_limit, outside.bytes > 0) {
                let text = if sweep.cannot_spill {
                    "of no use: the frontier is too wide to spill".to_owned()
                } else if sweep.min_memory_under(ceiling) < ceiling {
                    format!("{} with {} of memory", format_bytes(outside.bytes), format_bytes(ceiling))
                } else {
                    let least = format_bytes(sweep.min_memory());
                    format!(
                        "of no use: at least {least} of memory are needed, {} may be used",
                        format_bytes(ceiling)
                    )
                };
                self.add_line("  disk", &text);
            }
            if !sweep.cannot_spill {
                self.add_line(
                    "  saved",
                    &format!("{} of disk, with --checkpoint", format_bytes(sweep.checkpoint_bytes())),
                );
            }
            let seconds = sweep.seconds + outside.seconds;
            let more = if unsaturated(sweep.weights).is_some() { "" } else { "more than " };
            self.add_line("  time", &format!("{more}{} on {threads}", format_seconds(seconds)));
            if !sweep.is_exact {
                self.add_line("", "estimated from the order of its squares; add --wide for a dry run");
            }
        }
        if forecast.sweeps.len() > 1 {
            let all = format_seconds(forecast.seconds.unwrap_or(f64::INFINITY));
            self.add_line("sweeps", &format!("{all} on {threads}, one after the other"));
        }
        let sweeps: Vec<Value> = forecast
            .sweeps
            .iter()
            .map(|sweep| {
                let outside = forecast.memory_limit.map(|ceiling| sweep.spill(ceiling)).unwrap_or_default();
                json!({ "steps": sweep.steps, "slots": sweep.slots, "peak_weights": unsaturated(sweep.peak_weights),
                    "weights": unsaturated(sweep.weights), "memory_bytes": unsaturated(sweep.peak_bytes),
                    "least_bytes": unsaturated(sweep.min_memory()), "disk_bytes": unsaturated(outside.bytes),
                    "saved_bytes": unsaturated(sweep.checkpoint_bytes()),
                    "seconds": sweep.seconds + outside.seconds, "exact": sweep.is_exact })
            })
            .collect();
        self.add_field(
            "sweep",
            json!({ "sweeps": sweeps, "ceiling_bytes": forecast.memory_limit,
                "memory_bytes": unsaturated(forecast.memory_bytes), "disk_bytes": unsaturated(forecast.disk_bytes),
                "saved_bytes": unsaturated(forecast.checkpoint_bytes), "seconds": forecast.seconds }),
        );
    }
}

/// Returns the sum, or `None` if it is saturated.
fn unsaturated(sum: u64) -> Option<u64> {
    Some(sum).filter(|&sum| sum < SATURATED_SUM)
}

/// Returns a number of states as text.
fn format_states(number: u64) -> String {
    match unsaturated(number) {
        Some(number) => format!("{:.3e}", number as f64),
        None => format!("more than {:.1e}", SATURATED_SUM as f64),
    }
}
