//! The session: reads requests, passes them on, and keeps the last index.

use std::error::Error;

use ktour::board::Board;
use ktour::budget::{Budget, DiskBudget, Requirements, Shortage};
use ktour::frontier::IndexLayersError;
use ktour::index::{Index, IndexError, IndexLocation, IndexResources};
use ktour::memory::format_bytes;
use ktour::text_format::format_years;
use ktour::{Kind, TourSpec};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{counting, host, tours};

/// Most bytes of memory of a run. A module of 32 bits has 4 GiB in all.
pub const MEMORY_BYTES: u64 = 3 << 29;

/// Most estimated seconds of a run in the browser.
const MAX_SECONDS: f64 = 1800.0;

/// Time of a run in the browser, as a multiple of its estimate, which is for native code.
const SLOWDOWN: f64 = 3.0;

/// Most squares of a board.
const MAX_SQUARES: usize = 100;

/// The result of a request.
pub type Answer = Result<Value, Fault>;

/// A sentence for the user that explains why there is no result. Errors of the library become sentences.
pub struct Fault(pub String);

impl<E: Error> From<E> for Fault {
    fn from(error: E) -> Self {
        let text = error.to_string();
        let mut chars = text.chars();
        let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        Self(format!("{first}{}.", chars.as_str().trim_end_matches('.')))
    }
}

/// A request of the page. Squares are numbers of vertices, large numbers are decimal texts.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// The squares and moves of a board.
    Board { board: String },
    /// The numbers of tours of all kinds, also up to symmetry.
    Count { board: String, kind: Option<String>, distinct: bool },
    /// The number of tours by number; builds the index.
    Index { board: String, kind: String },
    /// The tour with a number.
    Tour { board: String, kind: String, number: String },
    /// Tours up to symmetry: `len` tours from `first` on; with a symmetry if `symmetry` is not empty.
    Gallery { board: String, kind: String, symmetry: String, first: usize, len: usize },
    /// The number of tours that use each move, and that end on each square.
    Heat { board: String, kind: String },
    /// The number of tours that visit each next square after a beginning.
    Next { board: String, kind: String, begin: Vec<u32> },
    /// A check of tours in any notation.
    Check { board: String, text: String },
    /// A tour as a picture and as CSV. `animate` is a duration in seconds.
    Picture { board: String, tour: Vec<u32>, closed: bool, animate: Option<f64> },
}

/// The state of the module.
#[derive(Default)]
pub struct Session {
    /// The last index.
    index: Option<Index>,
}

impl Session {
    /// Answers a request in JSON: `{"ok": ..}` or `{"error": sentence}`.
    pub fn answer(&mut self, request: &[u8]) -> Value {
        match serde_json::from_slice(request).map_err(Fault::from).and_then(|request| self.run(request)) {
            Ok(answer) => json!({ "ok": answer }),
            Err(Fault(sentence)) => json!({ "error": sentence }),
        }
    }

    fn run(&mut self, request: Request) -> Answer {
        match request {
            Request::Board { board } => describe_board(&parse_board(&board)?),
            Request::Count { board, kind, distinct } => {
                let kind = kind.map(|kind| parse_kind(&kind)).transpose()?;
                counting::count(&parse_board(&board)?, kind, distinct)
            }
            Request::Next { board, kind, begin } => {
                counting::count_next(&parse_board(&board)?, parse_kind(&kind)?, &begin)
            }
            Request::Index { board, kind } => {
                let index = self.index(&board, &kind)?;
                Ok(json!({ "total": index.total().to_string() }))
            }
            Request::Tour { board, kind, number } => tours::by_number(self.index(&board, &kind)?, &number),
            Request::Gallery { board, kind, symmetry, first, len } => {
                tours::gallery(self.index(&board, &kind)?, &symmetry, first..first + len)
            }
            Request::Heat { board, kind } => tours::heat_map(self.index(&board, &kind)?),
            Request::Check { board, text } => tours::check(&parse_board(&board)?, &text),
            Request::Picture { board, tour, closed, animate } => {
                tours::picture(&parse_board(&board)?, tour, closed, animate)
            }
        }
    }

    /// Returns the index of the tours of a board, which is built unless it is the last one.
    fn index(&mut self, board: &str, kind: &str) -> Result<&Index, Fault> {
        let numbered = TourSpec::all(parse_board(board)?, parse_kind(kind)?);
        if self.index.as_ref().is_none_or(|index| *index.numbered_tours() != numbered) {
            self.index = None;
            let resources = IndexResources { memory: Some(MEMORY_BYTES), store: None };
            let index = Index::with_admission_check(
                &numbered,
                &IndexLocation::Memory,
                resources,
                &host::new_control(),
                &|estimate| estimate.admit(&native_budget(), None, false),
            );
            self.index = Some(index.map_err(|error| match error {
                IndexError::Layers(IndexLayersError::Refused(refusal)) => {
                    refuse("Numbering all tours", &refusal.shortage)
                }
                error => error.into(),
            })?);
        }
        Ok(self.index.as_ref().expect("the index was built"))
    }
}

/// Parses a board, and refuses those on which the page would be of no use.
fn parse_board(text: &str) -> Result<Board, Fault> {
    let board: Board = text.parse()?;
    if board.len() > MAX_SQUARES {
        return Err(Fault(format!("A board may have at most {MAX_SQUARES} squares here.")));
    }
    Ok(board)
}

fn parse_kind(name: &str) -> Result<Kind, Fault> {
    Kind::from_name(name).ok_or_else(|| Fault(format!("`{name}` is not a kind of tours.")))
}

/// Returns the names of the squares, the squares that a move joins to each, and the moves over joined edges with their
/// steps.
fn describe_board(board: &Board) -> Answer {
    let squares = 0..board.len() as u32;
    let names: Vec<String> = squares.clone().map(|v| board.name(v)).collect();
    let moves: Vec<&[u32]> = squares.map(|v| board.graph().neighbours(v as usize)).collect();
    let seams = board.layout().map_or_else(Vec::new, |layout| {
        layout.seams().map(|(v, w)| json!([v, w, layout.seam_step(v, w), layout.seam_step(w, v)])).collect()
    });
    Ok(json!({ "names": names, "moves": moves, "seams": seams }))
}

/// Returns the budget of a run, with the time that its estimate for native code may have.
fn native_budget() -> Budget {
    Budget { seconds: MAX_SECONDS / SLOWDOWN, memory: Some(MEMORY_BYTES), disk: DiskBudget::Absent }
}

/// Checks that a run fits into the browser.
///
/// # Errors
/// A sentence that gives the estimate.
pub fn check_budget(subject: &str, needs: &Requirements) -> Result<(), Fault> {
    native_budget().check(needs).map_err(|shortage| refuse(subject, &shortage))
}

/// Returns the sentence that refuses a run.
fn refuse(subject: &str, shortage: &Shortage) -> Fault {
    let needed = match shortage {
        Shortage::Time { seconds, .. } => format!("take about {}", format_time(seconds * SLOWDOWN)),
        shortage => match shortage.memory() {
            Some((needed, _)) => format!("need about {} of memory", format_bytes(needed)),
            None => shortage.to_string(),
        },
    };
    Fault(format!("{subject} would {needed} in the browser, which is too much. Choose a smaller board."))
}

/// Formats a time in seconds, of minutes or more, with the largest fitting unit.
fn format_time(seconds: f64) -> String {
    match seconds {
        _ if seconds < 5400.0 => format!("{:.0} minutes", seconds / 60.0),
        _ if seconds < 172_800.0 => format!("{:.0} hours", seconds / 3600.0),
        _ if seconds < 365.25 * 86400.0 => format!("{:.0} days", seconds / 86400.0),
        _ => format_years(seconds),
    }
}
