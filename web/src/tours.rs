//! Tours: by number, up to symmetry, checked, and as pictures; and the heat map of all tours.

use std::ops::ControlFlow;

use ktour::board::Board;
use ktour::count::symmetric::symmetric_tours::{SymmetricListOptions, list_tours};
use ktour::count::symmetric::{NamedSymmetry, SymmetricContext};
use ktour::index::{Index, Statistics};
use ktour::search::list::{ListOptions, list};
use ktour::search::problem::Problem;
use ktour::search::tour_batch::TextBatch;
use ktour::tour::{
    DrawError, HeatMap, Kind, ReadErrorKind, ReadOptions, SvgStyle, TextRendering, Tour, TourErrorKind,
    TourFormat, TourReader, TourWriter, write_heat_map, write_svg,
};
use num_bigint::{BigInt, BigUint};
use serde_json::{Map, Value, json};

use crate::host;
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

/// Returns the tour with the nearest number that exists, with this number and that of all tours; without a tour if
/// there is none.
pub fn by_number(index: &Index, number: &str) -> Answer {
    let total = index.total();
    if *total == BigUint::ZERO {
        return Ok(json!({ "total": "0" }));
    }
    let number = number.parse::<BigInt>()?.clamp(BigInt::ZERO, BigInt::from(total.clone()) - 1);
    let mut answer = describe(&index.tour(number.magnitude())?)?;
    answer["number"] = json!(number.to_string());
    answer["total"] = json!(total.to_string());
    Ok(answer)
}

/// Returns `len` tours up to symmetry after `first` others, of those with a symmetry if one is named.
pub fn gallery(index: &Index, symmetry: &str, first: usize, len: usize) -> Answer {
    let numbered = index.numbered_tours();
    let (board, kind, control) = (numbered.board(), numbered.kind(), host::new_control());
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
        list(Problem::new(numbered)?, options, &writer, &control, &mut add)?;
    } else {
        let symmetry = NamedSymmetry::from_name(symmetry).ok_or(Fault("Unknown symmetry.".to_owned()))?;
        let options = SymmetricListOptions { symmetry, distinct: true, directed: false };
        let context = SymmetricContext::for_lists(board, kind)?;
        list_tours(&context, options, &writer, &control, &mut add)?;
    }
    let reader = TourReader::new(&text[..], ReadOptions::default()).skip(first).take(len);
    let tours =
        reader.map(|read| Ok(read.map_err(|error| error.kind)?.tour)).collect::<Result<Vec<_>, Fault>>()?;
    let mut rows = Vec::new();
    for (tour, number) in tours.iter().zip(index.numbers(&tours, &control)?) {
        rows.push(json!({ "squares": Vec::from_iter(tour.names()), "number": number?.to_string() }));
    }
    Ok(json!({ "tours": rows, "more": listed > first + len }))
}

/// Returns, for all tours of an index, the number of tours that use each move and that end on each square, with
/// their shares, and files.
pub fn heat_map(index: &Index) -> Answer {
    let all = Statistics::from_index(index, INDEX_RESOURCES, &host::new_control())?;
    let board = all.numbered_tours.board();
    let (mut moves, mut shares) = (Vec::new(), Vec::new());
    let mut csv = "from,to,tours,share\n".to_owned();
    for &((v, w), ref number) in &all.moves {
        let (from, to, share) = (board.name(v), board.name(w), all.share(number));
        csv += &format!("{from},{to},{number},{share}\n");
        moves.push(json!([from, to, number.to_string(), share]));
        shares.push((v, w, share));
    }
    let end_shares = Vec::from_iter(all.ends.iter().map(|number| all.share(number)));
    let end = |(v, number): (u32, &BigUint)| (board.name(v), json!([number.to_string(), all.share(number)]));
    let ends: Map<String, Value> = (0..).zip(&all.ends).map(end).collect();
    let heat = HeatMap {
        board,
        title: &all.numbered_tours.title(),
        move_shares: &shares,
        end_shares: (!ends.is_empty()).then_some(&end_shares),
        text_rendering: TextRendering::default(),
    };
    let mut svg = String::new();
    write_heat_map(&mut svg, &heat)?;
    Ok(json!({ "total": all.total.to_string(), "moves": moves, "ends": ends, "svg": svg, "csv": csv }))
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
    let nothing = "There is no tour here: write squares such as a1 b3 c5, or a grid of numbers.";
    let found = read(Some(board)).ok_or(Fault(nothing.to_owned()))?.or_else(|fault| {
        // A single square is a tour of a board of one square, which nobody means.
        let on_own_board = read(None).and_then(Result::ok).filter(|(tour, ..)| tour.vertices().len() > 1);
        on_own_board.ok_or(fault.kind)
    });
    let (tour, others, notes) = match found {
        Ok(found) => found,
        Err(fault) => {
            let squares = fault_squares(&fault).into_iter().map(|v| board.name(v));
            return Ok(json!({ "squares": Vec::from_iter(squares), "fault": Fault::from(fault).0 }));
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
        TourErrorKind::Repeated { vertex, .. } => vec![vertex],
        TourErrorKind::IllegalMove { from, to, .. } => vec![from, to],
        TourErrorKind::Incomplete { missing, .. } => vec![missing],
        TourErrorKind::NotClosed { start, end } => vec![start, end],
        _ => Vec::new(),
    }
}
