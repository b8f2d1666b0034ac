//! Searches for puzzles on 8x8 with few numbers and a unique solution.
//!
//! `cargo run --release --example number_puzzles -- SEED COUNT closed|paths SECONDS` prints the numbers of each
//! puzzle that it finds, as `ktour count --place` takes them.
//!
//! The first numbers are pairs of squares that are far apart, with the difference of the numbers equal to the
//! distance in moves: few ways lead from one to the other. Then the search replaces one number at a time by
//! another number of a solution, and keeps the change unless there are more solutions than before. Numbers
//! whose solutions take longer than a few seconds are dropped.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use ktour::board::{Board, Vertex};
use ktour::control::Control;
use ktour::random::Random;
use ktour::search::numbered_squares::NumberedSquares;
use ktour::tour::{Kind, TourSpec};

/// Maximum number of solutions of the first numbers.
const MAX_SOLUTIONS: usize = 20_000;
/// Maximum time of one search for all solutions.
const MAX_TIME: Duration = Duration::from_secs(2);
/// Number of failed changes after which the search begins anew.
const MAX_FAILURES: usize = 250;
/// Minimum distance of the squares of a pair, in moves.
const MIN_DISTANCE: u32 = 4;

type Numbers = Vec<(u32, Vertex)>;

/// Returns the number of solutions and one of them, chosen at random; `None` if there are none, more than
/// `limit`, or if the search takes too long.
fn solve(
    tours: &TourSpec,
    numbers: &Numbers,
    limit: usize,
    random: &mut Random,
) -> Option<(usize, Vec<Vertex>)> {
    let numbered = NumberedSquares::new(tours, numbers.iter().copied()).ok()?;
    let (control, began) = (Control::new(), Instant::now());
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let flag = control.cancel_flag();
        scope.spawn(move || {
            if waiting.recv_timeout(MAX_TIME).is_err() && began.elapsed() >= MAX_TIME {
                flag.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        });
        let (mut count, mut solution) = (0, None);
        let all = numbered.for_each(&control, &mut |squares| {
            count += 1;
            if random.below(count) == 0 {
                solution = Some(squares.to_vec());
            }
            if count > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        drop(done);
        if all == Ok(true) { solution.map(|solution| (count, solution)) } else { None }
    })
}

/// Returns the distances of all squares from `start`, in moves.
fn distances(board: &Board, start: Vertex) -> Vec<u32> {
    let mut distances = vec![u32::MAX; board.len()];
    distances[start as usize] = 0;
    let mut squares = vec![start];
    let mut next = 0;
    while let Some(&v) = squares.get(next) {
        next += 1;
        for &w in board.graph().neighbours(v as usize) {
            if distances[w as usize] == u32::MAX {
                distances[w as usize] = distances[v as usize] + 1;
                squares.push(w);
            }
        }
    }
    distances
}

/// Returns `count` numbers: pairs of distant squares, spread evenly over the tour; `None` if they do not fit.
fn random_pairs(board: &Board, count: usize, random: &mut Random) -> Option<Numbers> {
    let mut numbers = Numbers::new();
    for pair in 0..count / 2 {
        let [v, w] = [random.below(board.len()) as Vertex, random.below(board.len()) as Vertex];
        let distance = distances(board, v)[w as usize];
        let number = (pair * board.len() / (count / 2) + 1 + random.below(3)) as u32;
        if distance < MIN_DISTANCE || number + distance > board.len() as u32 {
            return None;
        }
        numbers.extend([(number, v), (number + distance, w)]);
    }
    Some(numbers)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seed, count, kind, seconds] = arguments.as_slice() else {
        return Err("give SEED COUNT closed|paths SECONDS".into());
    };
    let (mut random, count): (_, usize) = (Random::new(seed.parse()?), count.parse()?);
    let kind = Kind::from_name(kind).ok_or("give closed or paths as the third argument")?;
    let board: Board = "8x8".parse()?;
    let tours = TourSpec::all(board.clone(), kind);
    let (began, time) = (Instant::now(), Duration::from_secs(seconds.parse()?));
    while began.elapsed() < time {
        let Some(mut numbers) = random_pairs(&board, count, &mut random) else { continue };
        let Some((mut solutions, mut tour)) = solve(&tours, &numbers, MAX_SOLUTIONS, &mut random) else {
            continue;
        };
        let mut failures = 0;
        while solutions > 1 && failures < MAX_FAILURES && began.elapsed() < time {
            let place = random.below(board.len());
            let mut changed = numbers.clone();
            changed[random.below(numbers.len())] = (place as u32 + 1, tour[place]);
            match solve(&tours, &changed, solutions, &mut random) {
                Some(found) => {
                    failures = if found.0 < solutions { 0 } else { failures + 1 };
                    (solutions, tour) = found;
                    numbers = changed;
                }
                None => failures += 1,
            }
        }
        if solutions == 1 {
            numbers.sort_unstable();
            let all = numbers.iter().map(|&(number, v)| format!("{number}={}", board.name(v)));
            println!("{}", all.collect::<Vec<_>>().join(","));
        }
    }
    Ok(())
}
