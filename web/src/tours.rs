//! Tours: by number, up to symmetry, checked, and as pictures; and the heat map of all tours.

use std::ops::ControlFlow;

use ktour::TourSpec;
use ktour::board::Board;
use ktour::count::symmetric::symmetric_tours::{SymmetricListOptions, list_tours};
use ktour::count::symmetric::{NamedSymmetry, SymmetricContext};
use ktour::index::{Index, IndexError, Statistics};
use ktour::search::list::{ListOptions, list};
use ktour::search::problem::Problem;
use ktour::search::tour_batch::TextBatch;
use ktour::tour::{
    DrawError, HeatMap, Kind, ReadErrorKind, ReadOptions, SvgStyle, TextRendering, Tour, TourErrorKind,
    TourFormat, TourReader, TourWriter, write_heat_map, write_svg,
};
use num_bigint::{BigInt, BigUint};
use serde_json::json;

use crate::new_control;
use crate::session::{Answer, Fault, INDEX_RESOURCES};

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

/// Returns the tour with the nearest number that exists, with this number and the number of all tours.
pub fn by_number(index: &Index, number: &str) -> Answer {
    let total = index.total();
    if *total == BigUint::ZERO {
        return Err(Fault::new(format!("This board has no {}.", index.numbered_tours().kind().plural())));
    }
    let number = number.parse::<BigInt>()?.clamp(BigInt::ZERO, BigInt::from(total.clone()) - 1);
    let mut answer = describe(&index.tour(number.magnitude())?)?;
    answer["number"] = json!(number.to_string());
    answer["total"] = json!(total.to_string());
    Ok(answer)
}

/// Returns `len` tours up to symmetry after `first` others, of those with a symmetry if one is named.
pub fn gallery(tours: &TourSpec, symmetry: &str, first: usize, len: usize) -> Answer {
    let (board, kind, control) = (tours.board(), tours.kind(), new_control());
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
    let numbers = index.numbers(&tours, &new_control())?.into_iter().map(number);
    Ok(json!(numbers.collect::<Result<Vec<_>, Fault>>()?))
}

/// Returns files and rows: the squares of a move, or a square and null for ends, the number of tours, and their share.
pub fn heat_map(index: &Index) -> Answer {
    let all = Statistics::from_index(index, INDEX_RESOURCES, &new_control())?;
    if all.total == BigUint::ZERO {
        return Err(Fault::new(format!("This board has no {}.", all.numbered_tours.kind().plural())));
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
        title: &all.numbered_tours.title(),
        move_shares: &shares,
        end_shares: (!end_shares.is_empty()).then_some(&end_shares),
        text_rendering: TextRendering::default(),
    };
    let mut svg = String::new();
    write_heat_map(&mut svg, &heat)?;
    Ok(json!({ "total": all.total.to_string(), "rows": rows, "svg": svg, "csv": csv }))
}

/// Checks the first tour of a text, on the given board or, if it is no tour of that board, on the board that the text
/// itself shows. For a text without a tour, the answer has the `fault` and the `squares` at which the tour breaks.
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
        _ => Err(fault),
    }) {
        Ok(found) => found,
        Err(fault) => {
            let squares = fault_squares(&fault.kind).into_iter().map(|v| board.name(v));
            return Ok(json!({ "squares": Vec::from_iter(squares), "fault": Fault::from(fault.kind).text }));
        }
    };
    let mut answer = describe(&tour)?;
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
        TourErrorKind::Repeated { vertex: v, .. } | TourErrorKind::Incomplete { missing: v, .. } => vec![v],
        TourErrorKind::IllegalMove { from: v, to: w, .. } | TourErrorKind::NotClosed { start: v, end: w } => {
            vec![v, w]
        }
        _ => Vec::new(),
    }
}
