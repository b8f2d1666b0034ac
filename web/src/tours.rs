//! Tours: by number, up to symmetry, checked, and as pictures; and the heat map of all tours.

use std::ops::{ControlFlow, Range};

use ktour::board::Board;
use ktour::count::symmetric::symmetric_tours::{SymmetricListOptions, list_tours};
use ktour::count::symmetric::{NamedSymmetry, SymmetricContext};
use ktour::index::{Index, IndexResources, Statistics};
use ktour::search::list::{ListOptions, for_each};
use ktour::search::problem::Problem;
use ktour::tour::{
    HeatMap, Kind, ReadErrorKind, ReadOptions, SvgStyle, TextRendering, Tour, TourErrorKind, TourFormat,
    TourReader, TourWriter, write_heat_map, write_svg,
};
use num_bigint::BigUint;
use serde_json::{Value, json};

use crate::host;
use crate::session::{Answer, Fault, MEMORY_BYTES};

/// Returns the squares, kind and symmetry of a tour, with its number if it is known.
fn describe(tour: &Tour, number: Option<&BigUint>) -> Value {
    json!({
        "squares": tour.vertices(),
        "kind": tour.kind().name(),
        "symmetry": tour.symmetry_class().map(|class| class.name()),
        "number": number.map(ToString::to_string),
    })
}

/// Returns the tour with a number.
pub fn by_number(index: &Index, number: &str) -> Answer {
    let number: BigUint = number.parse()?;
    let tour = index.tour(&number)?;
    Ok(describe(&tour, Some(&number)))
}

/// Returns the tours up to symmetry with positions in `range`, of those with a symmetry if one is named.
pub fn gallery(index: &Index, symmetry: &str, range: Range<usize>) -> Answer {
    let numbered = index.numbered_tours();
    let (board, control) = (numbered.board(), host::new_control());
    let (mut tours, mut position) = (Vec::new(), 0);
    let mut add = |tour: Tour| {
        if range.contains(&position) {
            tours.push(tour);
        }
        position += 1;
        // One more tour shows that there are more.
        if position > range.end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    if symmetry.is_empty() {
        let problem = Problem::new(numbered)?;
        let options = ListOptions { distinct: true, ..ListOptions::default() };
        for_each(problem, options, &control, &mut |_, vertices| {
            add(numbered.checked_tour(vertices.to_vec()).expect("a listed tour is a tour"))
        })?;
    } else {
        let symmetry = NamedSymmetry::from_name(symmetry)
            .ok_or_else(|| Fault("There is no symmetry with this name.".to_owned()))?;
        let context = SymmetricContext::for_lists(board, numbered.kind())?;
        let options = SymmetricListOptions { symmetry, distinct: true, directed: false };
        let writer = TourWriter::new(board, TourFormat::Squares, 1)?;
        list_tours(&context, options, &writer.without_header(), &control, &mut |batch| {
            String::from_utf8_lossy(&batch.bytes).lines().try_for_each(|line| {
                let tour = Tour::from_names(board, line.split_whitespace()).expect("a listed tour is a tour");
                add(if numbered.kind() == Kind::Closed {
                    tour.into_closed().expect("a closed tour was listed")
                } else {
                    tour
                })
            })
        })?;
    }
    let has_more = position > range.end;
    let numbers = index.numbers(&tours, &control)?;
    let rows: Vec<Value> =
        tours.iter().zip(&numbers).map(|(tour, number)| describe(tour, number.as_ref().ok())).collect();
    Ok(json!({ "tours": rows, "more": has_more }))
}

/// Returns, for all tours of an index, the number of tours that use each move and that end on each square, with
/// their shares, and a picture.
pub fn heat_map(index: &Index) -> Answer {
    let resources = IndexResources { memory: Some(MEMORY_BYTES), store: None };
    let all = Statistics::from_index(index, resources, &host::new_control())?;
    let board = all.numbered_tours.board();
    let shares: Vec<(u32, u32, f64)> =
        all.moves.iter().map(|&((v, w), ref number)| (v, w, all.share(number))).collect();
    let ends: Vec<f64> = all.ends.iter().map(|number| all.share(number)).collect();
    let mut picture = String::new();
    let heat = HeatMap {
        board,
        title: &all.numbered_tours.title(),
        move_shares: &shares,
        end_shares: (!ends.is_empty()).then_some(&ends),
        text_rendering: TextRendering::default(),
    };
    write_heat_map(&mut picture, &heat)?;
    let moves: Vec<Value> = all
        .moves
        .iter()
        .map(|&((v, w), ref number)| json!([v, w, number.to_string(), all.share(number)]))
        .collect();
    let ends: Vec<Value> =
        all.ends.iter().map(|number| json!([number.to_string(), all.share(number)])).collect();
    Ok(json!({ "total": all.total.to_string(), "moves": moves, "ends": ends, "svg": picture }))
}

/// Checks the first tour of a text, on the given board or, if it is no tour of that board, on the board that the text
/// itself shows. The answer has the number of tours after the first, and the reader's notes on skipped text. For a text
/// without a tour it has the `fault` and the `squares` at which the tour breaks.
pub fn check(board: &Board, text: &str) -> Answer {
    let read = |board: Option<&Board>| {
        let options = ReadOptions { board: board.cloned(), ..ReadOptions::default() };
        let mut reader = TourReader::new(text.as_bytes(), options);
        let first = reader.next()?;
        let others = reader.by_ref().count();
        Some(first.map(|found| (found.tour, others, reader.notes())))
    };
    let nothing =
        || Fault("There is no tour here: write squares such as a1 b3 c5, or a grid of numbers.".to_owned());
    let (tour, others, notes) = match read(Some(board)).ok_or_else(nothing)? {
        Ok(found) => found,
        // A single square is a tour of a board of one square, which nobody means.
        Err(fault) => match read(None).and_then(Result::ok).filter(|(tour, ..)| tour.vertices().len() > 1) {
            Some(found) => found,
            None => {
                let squares = fault_squares(&fault.kind);
                return Ok(json!({ "fault": Fault::from(fault.kind).0, "squares": squares }));
            }
        },
    };
    let mut answer = describe(&tour, None);
    if tour.board() != board {
        let text = tour.board().to_string();
        answer["board"] = text.split(' ').filter_map(|word| word.split_once('=')).collect();
    }
    answer["magic"] = json!(tour.line_sums().map(|sums| sums.name()));
    answer["others"] = json!(others);
    answer["notes"] = json!(notes);
    Ok(answer)
}

/// Returns the squares at which a sequence of squares stops being a tour.
fn fault_squares(fault: &ReadErrorKind) -> Vec<u32> {
    let ReadErrorKind::Tour(fault) = fault else { return Vec::new() };
    match *fault.kind() {
        TourErrorKind::Repeated { vertex, .. } => vec![vertex],
        TourErrorKind::IllegalMove { from, to, .. } => vec![from, to],
        TourErrorKind::Incomplete { missing, .. } => vec![missing],
        TourErrorKind::NotClosed { start, end } => vec![start, end],
        _ => Vec::new(),
    }
}

/// Returns a tour as an SVG picture and as CSV.
pub fn picture(board: &Board, squares: Vec<u32>, is_closed: bool, animation_seconds: Option<f64>) -> Answer {
    let tour = if is_closed { Tour::new_closed(board, squares) } else { Tour::new(board, squares) };
    let tour = tour?;
    let mut svg = String::new();
    let style = SvgStyle { animation_seconds, ..SvgStyle::default() };
    write_svg(&mut svg, &tour, &style)?;
    let writer = TourWriter::new(board, TourFormat::Csv, 1)?;
    let mut csv = writer.header(Kind::Paths).into_bytes();
    writer.write(&mut csv, tour.kind(), tour.vertices());
    Ok(json!({ "svg": svg, "csv": String::from_utf8_lossy(&csv) }))
}
