//! Published numbers, from `tests/data/published.csv`.
//!
//! `first` keeps that many squares of the board in column order (each column from the top) and removes the
//! rest; `start` makes it the directed tours from that square.

use std::collections::BTreeMap;

use ktour::board::{Board, Leaper, Square};
use ktour::count::{Answer, Engine, Request, directed};
use ktour::tour::Kind;
use serde::Deserialize;

use crate::kernels::{counted, request};

#[derive(Debug, Deserialize)]
struct Row {
    rows: u16,
    cols: u16,
    first: Option<u16>,
    kind: String,
    direction: String,
    start: String,
    count: u64,
    source: String,
}

impl Row {
    fn board(&self) -> Board {
        let board = Board::new(self.rows, self.cols).unwrap();
        let Some(first) = self.first else { return board };
        let gone =
            (first..self.rows * self.cols).map(|i| Square::new(i / self.rows, self.rows - 1 - i % self.rows));
        board.without(gone).unwrap()
    }

    fn kind(&self) -> Kind {
        match self.kind.as_str() {
            "closed" => Kind::Closed,
            "open" => Kind::Open,
            "paths" => Kind::Paths,
            other => panic!("{other} is no kind"),
        }
    }

    fn check(&self, answer: &Answer) {
        let board = self.board();
        let counts = if self.start.is_empty() {
            &answer.counts
        } else {
            let square = self.start.parse().unwrap();
            &answer.per_start.iter().find(|start| start.square == square).unwrap().counts
        };
        let mut count = counts.get(self.kind()).unwrap().clone();
        if self.direction == "directed" && self.start.is_empty() {
            count = directed(&count, &board);
        }
        assert_eq!(count, self.count.into(), "{:?} of {:?}", answer.engine, self);
    }
}

fn rows() -> Vec<Row> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/published.csv");
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

fn check_all(engine: Engine, wanted: impl Fn(&Row) -> bool) -> usize {
    let mut groups: BTreeMap<(u16, u16, Option<u16>, String), Vec<Row>> = BTreeMap::new();
    for row in rows().into_iter().filter(wanted) {
        groups.entry((row.rows, row.cols, row.first, row.kind.clone())).or_default().push(row);
    }
    for rows in groups.values() {
        let one = Request { kind: Some(rows[0].kind()), ..request(&rows[0].board(), Leaper::KNIGHT, engine) };
        let answer = counted(&one);
        for row in rows {
            assert!(!row.source.is_empty());
            row.check(&answer);
        }
    }
    groups.len()
}

#[test]
fn multipath_counts_what_was_published() {
    assert!(check_all(Engine::Multipath, |_| true) > 100);
}

#[test]
fn backtracking_counts_what_was_published_of_small_boards() {
    assert!(check_all(Engine::Backtrack, |row| row.first.unwrap_or(row.rows * row.cols) <= 30) > 70);
}
