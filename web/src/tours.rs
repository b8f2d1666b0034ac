//! Tours: by number, up to symmetry, checked, and as pictures; and the heat map of all tours.

use std::ops::ControlFlow;

use ktour::board::Board;
use ktour::count::symmetric::symmetric_tours::{SymmetricListOptions, list_tours};
use ktour::count::symmetric::{NamedSymmetry, SymmetricContext};
use ktour::heuristic::find_obstacle;
use ktour::index::{Index, IndexError, Statistics};
use ktour::search::list::{ListOptions, list};
use ktour::search::problem::Problem;
use ktour::search::tour_batch::TextBatch;
use ktour::tour::{
    DrawError, HeatMap, Kind, ReadErrorKind, ReadOptions, SvgStyle, TextRendering, Tour, TourErrorKind,
    TourFormat, TourReader, TourWriter, write_heat_map, write_svg,
};
use ktour::{Control, TourSpec};
use num_bigint::{BigInt, BigUint};
use serde_json::{Map, Value, json};

use crate::session::{Answer, Fault, INDEX_RESOURCES};
use crate::{Part, progress};

/// Duration of an animated picture.
const ANIMATION_SECONDS: f64 = 15.0;

/// Returns the squares, kind and symmetry of a tour, and its files.
fn describe(tour: &Tour) -> Answer {
    let draw = |animation_seconds| -> Result<String, DrawError> {
        let mut svg = String::new();
        write_svg(&mut svg, tour, &SvgStyle { animation_seconds, ..SvgStyle::default() })?;
        Ok(svg)
    };
    let writer = TourWriter::new(tour.board(), TourFormat::Csv, 1)?;
    let mut csv = writer.header(Kind::Paths).into_bytes();
    writer.write(&mut csv, tour.kind(), tour.vertices());
    Ok(json!({
        "squares": Vec::from_iter(tour.names()),
        "kind": tour.kind().name(),
        "symmetry": tour.symmetry_class().map(|class| class.name()),
        "svg": draw(None)?,
        "animation": draw(Some(ANIMATION_SECONDS))?,
        "csv": String::from_utf8(csv)?,
    }))
}

/// Returns the sentence that a board has no such tours, with the reason if it is known.
fn describe_absence(tours: &TourSpec) -> String {
    let reason = find_obstacle(tours).map(|obstacle| format!(": {obstacle}")).unwrap_or_default();
    format!("This board has no {}{reason}.", tours.kind().plural())
}

/// Returns the sentence that a board has no such tours if their number is 0 and the reason is known.
pub fn reason_for_zero(tours: &TourSpec, number: &BigUint) -> Option<String> {
    (*number == BigUint::ZERO && find_obstacle(tours).is_some()).then(|| describe_absence(tours))
}

/// Returns the tour with the nearest number that exists, with this number and the number of all tours.
pub fn by_number(index: &Index, number: &str) -> Answer {
    let total = index.total();
    if *total == BigUint::ZERO {
        return Err(Fault::new(describe_absence(index.numbered_tours())));
    }
    let number = number.parse::<BigInt>()?.clamp(BigInt::ZERO, BigInt::from(total.clone()) - 1);
    let mut answer = describe(&index.tour(number.magnitude())?)?;
    answer["number"] = json!(number.to_string());
    answer["total"] = json!(total.to_string());
    Ok(answer)
}

/// Returns `len` tours up to symmetry after `first` others, of those with a symmetry if one is named.
pub fn gallery(tours: &TourSpec, symmetry: &str, first: usize, len: usize) -> Answer {
    let (board, kind, control) = (tours.board(), tours.kind(), Part::WHOLE.new_control());
    progress(0.0);
    let writer = TourWriter::new(board, TourFormat::Squares, 1)?;
    let mut text = writer.header(kind).into_bytes();
    let writer = writer.without_header();
    let mut listed = 0;
    let mut add = |batch: &TextBatch| {
        text.extend(&batch.bytes);
        listed += batch.tour_ends.len();
        // One more tour shows that there are more.
        if listed > first + len { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    if symmetry.is_empty() {
        let options = ListOptions { distinct: true, ..ListOptions::default() };
        list(Problem::new(tours)?, options, &writer, &control, &mut add)?;
    } else {
        let symmetry = NamedSymmetry::from_name(symmetry).ok_or(Fault::new("Unknown symmetry."))?;
        let options = SymmetricListOptions { symmetry, distinct: true, directed: false };
        let context = SymmetricContext::for_lists(board, kind)?;
        list_tours(&context, options, &writer, &control, &mut add)?;
    }
    let reader = TourReader::new(&text[..], ReadOptions::default()).skip(first).take(len);
    let names = |tour: Tour| Vec::from_iter(tour.names());
    let tours = reader.map(|read| Ok(names(read?.tour))).collect::<Result<Vec<_>, Fault>>()?;
    Ok(json!({ "tours": tours, "has_more": listed > first + len }))
}

/// Returns the numbers of tours.
pub fn numbers(index: &Index, tours: &[Vec<String>]) -> Answer {
    let spec = index.numbered_tours();
    let read = |names: &Vec<String>| -> Result<Tour, Fault> {
        let tour = Tour::from_names(spec.board(), names.iter().map(String::as_str))?;
        Ok(if spec.kind() == Kind::Closed { tour.into_closed()? } else { tour })
    };
    let tours = tours.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let number = |number: Result<BigUint, IndexError>| Ok(number?.to_string());
    let numbers = index.numbers(&tours, &Control::new())?.into_iter().map(number);
    Ok(json!(numbers.collect::<Result<Vec<_>, Fault>>()?))
}

/// Returns files and rows: the squares of a move, or a square and null for ends, the number of tours, and their share.
pub fn heat_map(index: &Index) -> Answer {
    let all = Statistics::from_index(index, INDEX_RESOURCES, &Part::WHOLE.new_control())?;
    if all.total == BigUint::ZERO {
        return Err(Fault::new(describe_absence(&all.numbered_tours)));
    }
    let board = all.numbered_tours.board();
    let (mut rows, mut shares, mut end_shares) = (Vec::new(), Vec::new(), Vec::new());
    let mut csv = "from,to,tours,share\n".to_owned();
    for &((v, w), ref number) in &all.moves {
        let (from, to, share) = (board.name(v), board.name(w), all.share(number));
        csv += &format!("{from},{to},{number},{share}\n");
        rows.push(json!([from, to, number.to_string(), share]));
        shares.push((v, w, share));
    }
    for (v, number) in (0..).zip(&all.ends) {
        rows.push(json!([board.name(v), null, number.to_string(), all.share(number)]));
        end_shares.push(all.share(number));
    }
    let heat = HeatMap {
        board,
        title: &title(&all.numbered_tours),
        move_shares: &shares,
        end_shares: (!end_shares.is_empty()).then_some(&end_shares),
        text_rendering: TextRendering::default(),
    };
    let mut svg = String::new();
    write_heat_map(&mut svg, &heat)?;
    Ok(json!({ "total": all.total.to_string(), "rows": rows, "svg": svg, "csv": csv }))
}

/// Returns a title of tours such as `closed tours of 6x6, king, without c3`.
fn title(tours: &TourSpec) -> String {
    let board = tours.board();
    let piece = board.piece().filter(|piece| piece.name() != Some("knight"));
    let piece = piece.map(|piece| piece.name().map_or_else(|| piece.to_string(), str::to_owned));
    let removed = Some(board.removed_names()).filter(|names| !names.is_empty());
    let removed = removed.map(|names| format!("without {}", names.join(", ")));
    let parts = [Some(board.title()), piece, removed].into_iter().flatten();
    format!("{} of {}", tours.kind().plural(), Vec::from_iter(parts).join(", "))
}

/// Checks the first tour of a text, on the given board or, if it is no tour of that board, on the board that the text
/// itself shows. For a text without a tour, the answer has the `fault` and the `squares` at which the tour breaks, or
/// only the other `board` on which the text has to be checked.
pub fn check(board: &Board, text: &str) -> Answer {
    let read = |board: Option<&Board>| {
        let options = ReadOptions { board: board.cloned(), ..ReadOptions::default() };
        let mut reader = TourReader::new(text.as_bytes(), options);
        let first = reader.next()?;
        let others = reader.by_ref().count();
        Some(first.map(|found| (found.tour, others, reader.notes())))
    };
    let nothing = "There is no tour here: write squares such as a1 b3 c5, or a grid of numbers.";
    let on_board = read(Some(board)).ok_or(Fault::new(nothing))?;
    let (tour, others, notes) = match on_board.or_else(|fault| match read(None) {
        // A single square is a tour of a board of one square, which nobody means.
        Some(Ok(other)) if other.0.vertices().len() > 1 => Ok(other),
        Some(Err(alone)) => Err(describe_fault(board, fault.kind, Some(alone.kind))),
        _ => Err(describe_fault(board, fault.kind, None)),
    }) {
        Ok(found) => found,
        Err(fault) => return Ok(fault),
    };
    let mut answer = describe(&tour)?;
    if tour.board() != board {
        answer["board"] = json!(board_words(tour.board()));
    }
    answer["magic"] = json!(tour.line_sums().map(|sums| sums.name()));
    answer["others"] = json!(others);
    answer["notes"] = json!(notes);
    Ok(answer)
}

/// Returns the words of the text form of a board.
fn board_words(board: &Board) -> Map<String, Value> {
    let text = board.to_string();
    text.split(' ')
        .filter_map(|word| word.split_once('='))
        .map(|(key, value)| (key.to_owned(), json!(value)))
        .collect()
}

/// Describes the fault of a text on the given board. If the text shows another board, describes this board. `alone` is
/// the fault of the text without a given board.
fn describe_fault(board: &Board, fault: ReadErrorKind, alone: Option<ReadErrorKind>) -> Value {
    let own_board = match &alone {
        Some(ReadErrorKind::Tour(error)) => Some(error.board()),
        _ => None,
    };
    let words = match (&fault, &alone) {
        // A list of numbers may be a grid of any size.
        (ReadErrorKind::GridSize { .. }, Some(ReadErrorKind::NumberListWithoutBoard { .. })) => None,
        // The grid has the moves of the page.
        (ReadErrorKind::GridSize { found, .. }, Some(_)) if !found.contains(' ') => {
            let removed = own_board.map(|board| board.removed_names().join(",")).unwrap_or_default();
            let removed = if removed.is_empty() { "-".to_owned() } else { removed };
            let mut words = board_words(board);
            words.extend([("board".to_owned(), json!(found)), ("remove".to_owned(), json!(removed))]);
            Some(words)
        }
        (ReadErrorKind::OptionConflict { .. }, _) => own_board.map(board_words),
        _ => None,
    };
    if let Some(words) = words {
        return json!({ "board": words });
    }
    let fault = match (fault, alone) {
        (ReadErrorKind::OptionConflict { .. }, Some(alone)) => alone,
        (fault, _) => fault,
    };
    let squares = fault_squares(&fault).into_iter().map(|v| board.name(v));
    json!({ "squares": Vec::from_iter(squares), "fault": Fault::from(fault).text })
}

/// Returns the squares at which a sequence of squares stops being a tour.
fn fault_squares(fault: &ReadErrorKind) -> Vec<u32> {
    let ReadErrorKind::Tour(fault) = fault else { return Vec::new() };
    match *fault.kind() {
        TourErrorKind::Repeated { vertex: v, .. } => vec![v],
        TourErrorKind::IllegalMove { from: v, to: w, .. } | TourErrorKind::NotClosed { start: v, end: w } => {
            vec![v, w]
        }
        _ => Vec::new(),
    }
}
