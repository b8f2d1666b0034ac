//! The session: reads requests, passes them on, and keeps the last index.

use std::error::Error;

use ktour::board::Board;
use ktour::budget::{Budget, DiskBudget, Shortage};
use ktour::frontier::{IndexEstimate, IndexLayersError};
use ktour::index::{Index, IndexError, IndexLocation, IndexResources};
use ktour::memory::format_bytes;
use ktour::text_format::format_years;
use ktour::{Control, Kind, TourSpec};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{Part, counting, progress, tours};

/// Most bytes of memory of a run. A module of 32 bits has 4 GiB in all.
pub const MEMORY_BYTES: u64 = 3 << 29;
pub const INDEX_RESOURCES: IndexResources = IndexResources { memory: Some(MEMORY_BYTES), store: None };

/// Time of a run in the browser, as a multiple of its estimate, which is for native code.
const SLOWDOWN: f64 = 3.0;

/// Budget of a run by its estimate: half an hour in the browser.
pub const NATIVE_BUDGET: Budget =
    Budget { seconds: 1800.0 / SLOWDOWN, memory: Some(MEMORY_BYTES), disk: DiskBudget::Absent };

/// Most seconds of an estimate that only improves the sentence of a refusal.
const MAX_DRY_RUN_SECONDS: f64 = 2.0;

/// Most squares of a board.
const MAX_SQUARES: usize = 100;

pub type Answer = Result<Value, Fault>;

/// A sentence for the user that explains why there is no result. Errors of the library become sentences.
#[derive(Serialize)]
pub struct Fault {
    pub text: String,
    /// What to do instead, if the run needs too much time or memory.
    pub advice: Option<String>,
}

impl Fault {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), advice: None }
    }

    /// Returns a refusal. `closed_fits` is true if the page can do the same for closed tours.
    pub fn refusal(reason: &str, closed_fits: bool) -> Self {
        let closed = if closed_fits { "closed tours, or " } else { "" };
        Self { text: reason.to_owned(), advice: Some(format!("Choose {closed}a smaller board.")) }
    }
}

impl<E: Error> From<E> for Fault {
    fn from(error: E) -> Self {
        let text = error.to_string();
        let mut chars = text.chars();
        let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        Self::new(format!("{first}{}.", chars.as_str().trim_end_matches('.')))
    }
}

/// A request of the page for a board, which is in its text form.
#[derive(Deserialize)]
struct Request {
    board: String,
    #[serde(flatten)]
    work: Work,
}

/// The result that a request needs. Squares have names, and large numbers are decimal texts.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Work {
    /// The squares and moves of the board.
    Board,
    /// The numbers of tours of one kind or of all, also up to symmetry.
    Count { kind: Option<Kind>, distinct: bool },
    /// The tour with a number, or the first or last one if there is none; builds the index.
    Tour { kind: Kind, number: String },
    /// The numbers of tours in the index.
    Numbers { kind: Kind, tours: Vec<Vec<String>> },
    /// Tours up to symmetry: `len` tours from `first` on; with a symmetry if `symmetry` is not empty.
    Gallery { kind: Kind, symmetry: String, first: usize, len: usize },
    /// The number of tours that use each move, and that end on each square.
    Heat { kind: Kind },
    /// The number of tours that visit each next square after a beginning.
    Next { kind: Kind, begin: Vec<String> },
    /// A check of tours in any notation.
    Check { text: String },
}

/// The state of the module: the last index.
#[derive(Default)]
pub struct Session(Option<Index>);

impl Session {
    /// Answers a request in JSON.
    pub fn answer(&mut self, request: &[u8]) -> Answer {
        let Request { board, work } = serde_json::from_slice(request)?;
        let board: Board = board.parse()?;
        if board.len() > MAX_SQUARES {
            return Err(Fault::new(format!("A board may have at most {MAX_SQUARES} squares here.")));
        }
        match work {
            Work::Board => Ok(describe_board(&board)),
            Work::Count { kind, distinct } => counting::count(&board, kind, distinct),
            Work::Tour { kind, number } => tours::by_number(self.index(board, kind)?, &number),
            Work::Numbers { kind, tours } => tours::numbers(self.index(board, kind)?, &tours),
            Work::Gallery { kind, symmetry, first, len } => {
                tours::gallery(&TourSpec::all(board, kind), &symmetry, first, len)
            }
            Work::Heat { kind } => tours::heat_map(self.index(board, kind)?),
            Work::Next { kind, begin } => counting::count_next(&board, kind, &begin),
            Work::Check { text } => tours::check(&board, &text),
        }
    }

    /// Returns the index of the tours of a board, which is built unless it is the last one.
    fn index(&mut self, board: Board, kind: Kind) -> Result<&Index, Fault> {
        let numbered = TourSpec::all(board, kind);
        let last = self.0.take().filter(|index| *index.numbered_tours() == numbered);
        Ok(self.0.insert(last.map_or_else(|| build_index(&numbered), Ok)?))
    }
}

fn build_index(numbered: &TourSpec) -> Result<Index, Fault> {
    let admit = |estimate: &IndexEstimate| {
        estimate.admit(&NATIVE_BUDGET, None, false)?;
        progress(0.0);
        Ok(())
    };
    let (location, control) = (IndexLocation::Memory, Part::WHOLE.new_control());
    let closed_fits = || numbered.kind() != Kind::Closed && fits_closed_index(numbered.board(), &control);
    match Index::with_admission_check(numbered, &location, INDEX_RESOURCES, &control, &admit) {
        Err(IndexError::Layers(IndexLayersError::Refused(refusal))) => {
            Err(refuse("Numbering all tours", &refusal.shortage, closed_fits()))
        }
        Err(IndexError::Layers(IndexLayersError::Width { .. })) => {
            Err(Fault::refusal("The page cannot number all tours of so wide a board.", closed_fits()))
        }
        index => Ok(index?),
    }
}

/// Returns true if a board may have closed tours, and the page can number them.
fn fits_closed_index(board: &Board, control: &Control) -> bool {
    let closed = TourSpec::all(board.clone(), Kind::Closed);
    let estimate = Index::estimate(&closed, INDEX_RESOURCES.memory, MAX_DRY_RUN_SECONDS, control);
    estimate.is_ok_and(|estimate| estimate.is_some_and(|estimate| estimate.check(&NATIVE_BUDGET).is_ok()))
}

/// Returns the squares of a board, each with the squares that a move joins to it. A move over joined edges has the
/// step with which it leaves the square.
fn describe_board(board: &Board) -> Value {
    let seams = |v, w| board.layout().filter(|layout| layout.is_over_seam(v, w));
    let seam_step = |v, w| seams(v, w).map(|layout| layout.seam_step(v, w).unwrap_or_default());
    let moves = |v: u32| -> Map<String, Value> {
        let neighbours = board.graph().neighbours(v as usize).iter();
        neighbours.map(|&w| (board.name(w), json!(seam_step(v, w)))).collect()
    };
    (0..board.len() as u32).map(|v| json!([board.name(v), moves(v)])).collect()
}

/// Returns the refusal of a run.
pub fn refuse(subject: &str, shortage: &Shortage, closed_fits: bool) -> Fault {
    let needed = match (shortage, shortage.memory()) {
        (Shortage::Time { seconds, .. }, _) => format!("take about {}", format_time(seconds * SLOWDOWN)),
        (_, Some((needed, _))) => format!("need about {} of memory", format_bytes(needed)),
        (shortage, None) => shortage.to_string(),
    };
    Fault::refusal(&format!("{subject} would {needed} in the browser, which is too much."), closed_fits)
}

fn format_time(seconds: f64) -> String {
    let hours = seconds / 3600.0;
    if hours < 1000.0 { format!("{hours:.1} hours") } else { format_years(seconds) }
}
