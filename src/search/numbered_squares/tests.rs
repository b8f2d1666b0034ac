//! Tests of the search against all tours of small boards, and of the checks of numbers.

use std::collections::BTreeSet;

use super::super::list::ListOptions;
use super::super::tours;
use super::*;
use crate::random::Random;

fn completions(numbered: &NumberedSquares) -> Vec<Vec<Vertex>> {
    let mut found = Vec::new();
    let each = &mut |sequence: &[Vertex]| {
        found.push(sequence.to_vec());
        ControlFlow::Continue(())
    };
    assert_eq!(numbered.for_each(&Control::new(), each), Ok(true));
    found
}

/// All numberings of the tours of a kind. A closed tour can begin on every square.
fn numberings(board: &Board, kind: Kind) -> Vec<Vec<Vertex>> {
    let options = ListOptions { directed: true, ..ListOptions::default() };
    let all = tours(&TourSpec::all(board.clone(), kind), options, &Control::new()).unwrap();
    let rotations = |tour: Vec<Vertex>| {
        let count = if kind == Kind::Closed { tour.len() } else { 1 };
        (0..count).map(move |by| {
            let mut turned = tour.clone();
            turned.rotate_left(by);
            turned
        })
    };
    all.flat_map(|tour| rotations(tour.unwrap().into_vertices())).collect()
}

#[test]
fn completions_are_the_numberings_with_these_numbers() {
    let mut random = Random::new(3);
    for text in [
        "5x5",
        "3x7",
        "4x5",
        "5x6",
        "board=3x4 wrap=torus piece=1,2 remove=a1,b2",
        "board=3x4 piece=1,1+0,1 remove=-",
        "board=5x6 piece=1,2 remove=- require=c3-e4 forbid=d1-e3",
    ] {
        let board: Board = text.parse().unwrap();
        for kind in Kind::ALL {
            let all = numberings(&board, kind);
            for trial in 0..12 {
                let count = 1 + random.below(5);
                // Often the numbers of a tour, otherwise any.
                let numbers: Vec<(u32, Vertex)> = match all.get(random.below(all.len().max(1))) {
                    Some(tour) if trial % 4 > 0 => {
                        let at = |_| random.below(tour.len());
                        let places: BTreeSet<usize> = (0..count).map(at).collect();
                        places.into_iter().map(|i| (i as u32 + 1, tour[i])).collect()
                    }
                    _ => {
                        let mut any = || random.below(board.len()) as u32;
                        vec![(any() + 1, any())]
                    }
                };
                let tours = TourSpec::all(board.clone(), kind);
                let numbered = NumberedSquares::new(&tours, numbers.iter().copied()).unwrap();
                let has_numbers =
                    |tour: &&Vec<Vertex>| numbers.iter().all(|&(i, v)| tour[i as usize - 1] == v);
                let expected: BTreeSet<&Vec<Vertex>> = all.iter().filter(has_numbers).collect();
                let found = completions(&numbered);
                assert_eq!(found.iter().collect::<BTreeSet<_>>(), expected, "{text} {kind:?} {numbers:?}");
                assert_eq!(found.len(), expected.len(), "{text} {kind:?} {numbers:?}");
                let counts = numbered.count(&Control::new()).unwrap();
                let joined = |tour: &Vec<Vertex>| board.joins_ends(tour[0], tour[tour.len() - 1]);
                let number = match kind {
                    Kind::Closed => counts.closed,
                    Kind::Open => counts.paths - counts.closed,
                    Kind::Paths => {
                        let closed = found.iter().filter(|tour| joined(tour)).count();
                        assert_eq!(counts.closed, closed.into());
                        counts.paths
                    }
                };
                assert_eq!(number, found.len().into(), "{text} {kind:?} {numbers:?}");
            }
        }
    }
}

#[test]
fn impossible_numbers_are_refused() {
    let board: Board = "5x5".parse().unwrap();
    let tours = TourSpec::new(board.clone(), Kind::Paths, Some(0), None).unwrap();
    let error = |numbers: &[(u32, Vertex)]| {
        NumberedSquares::new(&tours, numbers.iter().copied()).unwrap_err().to_string()
    };
    assert_eq!(error(&[(26, 3)]), "there is no number 26; the squares have numbers from 1 to 25");
    assert_eq!(error(&[(0, 3)]), "there is no number 0; the squares have numbers from 1 to 25");
    assert_eq!(error(&[(1, 3)]), "1 is the number of two squares, a1 and d1");
    assert_eq!(error(&[(3, 0)]), "a1 has two numbers, 1 and 3");
    let free = TourSpec::all(board, Kind::Paths);
    assert_eq!(NumberedSquares::new(&free, []).unwrap_err(), NumberedSquaresError::Empty);
}
