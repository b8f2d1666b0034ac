//! The report of `ktour estimate`: lines of text and a JSON object.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::failure::Failure;
use super::files::{all, print, put};
use super::human::{bytes, threads, time};
use super::range::InAll;
use crate::report::{Output, columns};
use ktour::count::{Engine, Forecast};
use ktour::index::Demand;
use ktour::words::{self, YEAR};

/// Seconds up to which the choice between two engines does not matter.
const SHORT: f64 = 0.05;

/// Width of line names, in columns.
const NAME: usize = 8;

/// Value at which sums saturate. A sum that has reached it is unknown.
const KNOWN: u64 = 1 << 63;

/// The estimates of a request, as text and as JSON.
#[derive(Default)]
pub struct Report {
    pub text: String,
    pub json: serde_json::Map<String, Value>,
}

impl Report {
    /// Adds a line of text with a name, wrapped to the terminal.
    pub fn line(&mut self, name: &str, value: &str) {
        let room = columns().map_or(usize::MAX, |columns| columns.saturating_sub(NAME + 2).max(NAME));
        let mut name = name;
        for line in words::wrapped(value, room) {
            writeln!(self.text, "{name:<NAME$} {line}").expect("a text can be written to");
            name = "";
        }
    }

    /// Adds a JSON field.
    pub fn note(&mut self, name: &str, value: Value) {
        self.json.insert(name.to_owned(), value);
    }

    /// Adds that the estimates are for one of `parts` shards.
    pub fn part(&mut self, parts: u32) {
        let told =
            format!("one of {parts}; for a search the mean, for a sweep an upper bound for the largest");
        self.line("part", &told);
        self.note("parts", json!(parts));
    }

    /// Writes the JSON to its file, if one is given, and prints the text, unless the JSON goes to standard
    /// output.
    pub fn write(&self, path: Option<&Path>) -> Result<(), Failure> {
        let Some(path) = path else { return print(&self.text) };
        let json =
            serde_json::to_string_pretty(&self.json).expect("numbers and texts can be serialised") + "\n";
        let written = Output::create(path).map_err(Failure::from).and_then(|out| put(out, json.as_bytes()));
        all([written, if path == Path::new("-") { Ok(()) } else { print(&self.text) }])
    }

    /// Adds the engine that count would take, and the faster one by these estimates if that is another and
    /// the difference matters.
    pub fn cheaper(&mut self, engine: Engine, search: Option<f64>, sweep: Option<f64>) {
        let faster = match (search, sweep) {
            (Some(search), Some(sweep)) if search.max(sweep) > SHORT => {
                Some(if search <= sweep { Engine::Multipath } else { Engine::Frontier })
            }
            _ => None,
        };
        let besides = faster.filter(|&faster| faster != engine).map_or_else(String::new, |faster| {
            format!(" by the rough estimate that count uses; --engine {} by these estimates", faster.name())
        });
        self.line("cheaper", &format!("{}{besides}", engine.name()));
        self.note("cheaper", json!(engine.name()));
    }

    /// Adds the estimate of an index of all tours.
    pub fn index(&mut self, demand: &Demand) {
        let threads = threads(rayon::current_num_threads());
        let Demand {
            sweep, bytes: kept, memory, with_folder, statistics, seconds, statistics_seconds, ..
        } = demand;
        self.line("index", &format!("{} in memory or on disk, {} layers", bytes(*kept), sweep.steps));
        self.line("  memory", &format!("{}, or {} with --index DIR", bytes(*memory), bytes(*with_folder)));
        self.line("  time", &format!("{} on {threads}", time(*seconds)));
        let stats = format!(
            "{} of memory and {} more, with --index DIR",
            bytes(*statistics),
            time(*statistics_seconds)
        );
        self.line("  stats", &stats);
        self.note(
            "index",
            json!({ "steps": sweep.steps, "bytes": kept, "memory_bytes": memory,
                "folder_memory_bytes": with_folder, "seconds": seconds,
                "statistics_memory_bytes": statistics, "statistics_seconds": statistics_seconds,
                "exact": sweep.is_exact }),
        );
    }

    /// Adds the total of `sweeps` sweeps for residues, of `seconds` each.
    pub fn residues(&mut self, sweeps: usize, seconds: Option<f64>) {
        let all = seconds.map(|seconds| seconds * sweeps as f64);
        if sweeps > 1 {
            let (threads, told) = (rayon::current_num_threads(), time(all.unwrap_or(f64::INFINITY)));
            self.line(
                "residues",
                &format!("{sweeps} such sweeps, {told} on {threads} threads, one after the other"),
            );
        }
        self.note("residues", json!({ "sweeps": sweeps, "seconds": all }));
    }

    /// Adds the total of all boards of a range, counted one after the other.
    pub fn in_all(&mut self, all: &InAll) {
        let InAll { boards, runs, seconds } = *all;
        let of = |number: usize, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
        let by = if runs == boards { String::new() } else { format!(" by {}", of(runs, "run")) };
        let most = if seconds > YEAR { "the first " } else { "" };
        let time = time(seconds);
        let threads = threads(rayon::current_num_threads());
        self.line("in all", &format!("{most}{}{by}, {time} on {threads}", of(boards, "board")));
        self.note("in_all", json!({ "boards": boards, "runs": runs, "seconds": seconds }));
    }

    /// Adds the free bytes of the spill folder.
    pub fn spare(&mut self, folder: &Path, spare: Option<u64>) {
        let told = spare.map_or("unknown".to_owned(), bytes);
        self.line("  free", &format!("{told} in {}", folder.display()));
        self.note("room_bytes", json!(spare));
    }

    /// Adds the estimates of sweeps.
    pub fn forecast(&mut self, forecast: &Forecast) {
        let threads = threads(rayon::current_num_threads());
        for sweep in &forecast.sweeps {
            if sweep.steps == 0 {
                self.line("sweep", "not needed: the count is known at once");
                continue;
            }
            self.line("sweep", &format!("{} steps, frontier of {} slots", sweep.steps, sweep.slots));
            let most = match known(sweep.peak_weights) {
                None => "",
                Some(_) if sweep.is_exact => "at most ",
                Some(_) => "about ",
            };
            let (peak, all) = (states(sweep.peak_weights), states(sweep.weights));
            self.line("  states", &format!("{most}{peak} at once, {all} in all"));
            self.line("  memory", &bytes(sweep.peak_bytes));
            let outside = forecast.ceiling.map(|ceiling| sweep.outside(ceiling)).unwrap_or_default();
            if let (Some(ceiling), true) = (forecast.ceiling, outside.bytes > 0) {
                let told = if sweep.is_all_inside {
                    "of no use: the frontier is too wide to spill".to_owned()
                } else if sweep.least_under(ceiling) < ceiling {
                    format!("{} with {} of memory", bytes(outside.bytes), bytes(ceiling))
                } else {
                    let least = bytes(sweep.least());
                    format!(
                        "of no use: at least {least} of memory are needed, {} may be used",
                        bytes(ceiling)
                    )
                };
                self.line("  disk", &told);
            }
            if !sweep.is_all_inside {
                self.line("  saved", &format!("{} of disk, with --checkpoint", bytes(sweep.saved())));
            }
            let seconds = sweep.seconds + outside.seconds;
            let more = if known(sweep.weights).is_some() { "" } else { "more than " };
            self.line("  time", &format!("{more}{} on {threads}", time(seconds)));
            if !sweep.is_exact {
                self.line("", "estimated from the order of its squares; add --wide for a dry run");
            }
        }
        if forecast.sweeps.len() > 1 {
            let all = time(forecast.seconds.unwrap_or(f64::INFINITY));
            self.line("sweeps", &format!("{all} on {threads}, one after the other"));
        }
        let sweeps: Vec<Value> = forecast
            .sweeps
            .iter()
            .map(|sweep| {
                let outside = forecast.ceiling.map(|ceiling| sweep.outside(ceiling)).unwrap_or_default();
                json!({ "steps": sweep.steps, "slots": sweep.slots, "peak_weights": known(sweep.peak_weights),
                    "weights": known(sweep.weights), "memory_bytes": known(sweep.peak_bytes),
                    "least_bytes": known(sweep.least()), "disk_bytes": known(outside.bytes),
                    "saved_bytes": known(sweep.saved()),
                    "seconds": sweep.seconds + outside.seconds, "exact": sweep.is_exact })
            })
            .collect();
        self.note(
            "sweep",
            json!({ "sweeps": sweeps, "ceiling_bytes": forecast.ceiling,
                "memory_bytes": known(forecast.memory), "disk_bytes": known(forecast.disk),
                "saved_bytes": known(forecast.saved), "seconds": forecast.seconds }),
        );
    }
}

/// Returns the sum, or `None` if it is saturated.
fn known(sum: u64) -> Option<u64> {
    Some(sum).filter(|&sum| sum < KNOWN)
}

/// Returns a number of states as text.
fn states(number: u64) -> String {
    match known(number) {
        Some(number) => format!("{:.3e}", number as f64),
        None => format!("more than {:.1e}", KNOWN as f64),
    }
}
