//! Counts of a line of boards from residues: one sweep of the whole line for each modulus.
//!
//! ```text
//! one sweep over signatures -> a bound for each board -> as many moduli as the greatest bound needs
//! a sweep for each modulus  -> residues of all boards -> Bounds::join, theorems -> SeriesRow
//! ```
//!
//! A board needs as many residues as its own bound requires, plus one that checks the others. So the rows of
//! short boards are complete after the first few sweeps.

use num_bigint::BigUint;

use super::row;
use super::sweep::Planned;
use super::watched::Watched;
use super::{Rest, Row};
use crate::control::Control;
use crate::count::{Bounds, CountError, Forecast, ResidueSums};
use crate::frontier::{Lane, Tours, moduli};
use crate::search::workers::Stopped;

/// A planned line, with the moduli that its numbers need.
#[derive(Clone, Debug)]
pub struct FromResidues {
    planned: Planned,
    /// Upper bounds, by length from 1 on.
    bounds: Vec<Bounds>,
    /// Number of moduli that determine and check the count, by length from 1 on.
    needed: Vec<usize>,
    moduli: Vec<Lane>,
}

impl Planned {
    /// Computes how many residues the numbers need, modulo primes of `bits` bits, 16 or 32. Cost: a few
    /// hundredths of a sweep.
    ///
    /// # Errors
    /// The frontier is too wide for an upper bound, or the control was cancelled.
    ///
    /// # Panics
    /// If `bits` is neither 16 nor 32.
    pub fn from_residues(self, bits: u32, control: &Control) -> Result<FromResidues, CountError> {
        let mut bounds = vec![Bounds::default(); usize::from(self.line.last())];
        control.planning();
        for family in &self.families {
            let Some(found) = family.bounds() else {
                return Err(if control.is_cancelled() { Stopped.into() } else { CountError::NoBound });
            };
            for (bounds, bound) in bounds.iter_mut().zip(found) {
                let is_closed = family.tours() == Tours::Closed;
                *(if is_closed { &mut bounds.closed } else { &mut bounds.paths }) = bound;
            }
        }
        let told = &bounds[usize::from(self.line.first()) - 1..];
        let moduli = moduli(told.iter().map(Bounds::most).max().expect("a line has boards"), bits);
        let needed = bounds.iter().map(|bounds| enough(&moduli, bounds)).collect();
        Ok(FromResidues { planned: self, bounds, needed, moduli })
    }
}

/// Returns how many of the moduli determine a number below the bounds, plus one to check it.
fn enough(moduli: &[Lane], bounds: &Bounds) -> usize {
    let mut product = BigUint::from(1u8);
    let telling = moduli.iter().take_while(|lane| {
        let is_short = product <= *bounds.most();
        product *= lane.modulus();
        is_short
    });
    (telling.count() + 1).min(moduli.len())
}

impl FromResidues {
    /// Returns the moduli in the order of their sweeps. The last one checks the number of the board with the
    /// greatest bound.
    #[must_use]
    pub fn moduli(&self) -> &[Lane] {
        &self.moduli
    }

    /// Returns the rough estimate of time and memory of all sweeps, one after the other, from the order of
    /// the squares.
    #[must_use]
    pub fn forecast(&self) -> Forecast {
        self.planned.forecast_times(self.moduli.len())
    }

    /// Runs the sweeps. Passes each board to `row` as soon as its numbers are known and checked against the
    /// theorems. If `saver` saves the progress, saved sweeps are resumed, and all rows are passed again.
    ///
    /// # Errors
    /// A sweep does not fit into memory or is cancelled, residues contradict each other, or numbers
    /// contradict a theorem or differ from the saved ones. Rows that were passed before are valid.
    pub fn sweep(
        self,
        rest: Option<&dyn Rest>,
        control: &Control,
        row: &mut (dyn FnMut(Row) + Send),
    ) -> Result<(), CountError> {
        let Planned { line, families, .. } = &self.planned;
        let watched = Watched::begin(*line, families, self.moduli.len(), rest, control);
        let (mut found, mut next, mut broken) = (Found::default(), line.first(), None);
        let mut swept = Ok(());
        'sweeps: for (m, &lane) in self.moduli.iter().enumerate() {
            found.begin();
            for (f, family) in families.iter().enumerate() {
                let (tours, is_last) = (family.tours(), f + 1 == families.len());
                let mut each = |length, residue| {
                    found.add(tours, residue);
                    while is_last && broken.is_none() && next <= line.last() {
                        // One residue fewer is known of the boards that this sweep has not passed.
                        let there = m + usize::from(next <= length);
                        if there < self.needed[usize::from(next) - 1] {
                            break;
                        }
                        match self.row(&found, there, next) {
                            Ok(made) => row(made),
                            Err(error) => {
                                broken = Some(error);
                                control.cancel();
                            }
                        }
                        next += 1;
                    }
                };
                swept = watched.sweep(m * families.len() + f, family.modulo(lane), &mut each);
                if swept.is_err() || broken.is_some() {
                    break 'sweeps;
                }
            }
        }
        watched.end(broken, swept)
    }

    /// Returns the row of the board of length `length`, from its first `known_residues` residues.
    fn row(&self, found: &Found, there: usize, length: u16) -> Result<Row, CountError> {
        let Planned { line, play, kind, .. } = &self.planned;
        let sums = found.of(&self.moduli[..there], length);
        let joined = self.bounds[usize::from(length) - 1].join(&sums);
        let joined = joined.map_err(|misfit| {
            let board = line.board(length).to_string();
            CountError::Misfit { board, misfit }
        })?;
        Ok(row::exact(*line, play, *kind, length, joined)?)
    }
}

/// Residues so far, by modulus and length.
#[derive(Default)]
struct Found {
    zero: BigUint,
    closed: Vec<Vec<BigUint>>,
    paths: Vec<Vec<BigUint>>,
}

impl Found {
    /// Starts the next modulus.
    fn begin(&mut self) {
        self.closed.push(Vec::new());
        self.paths.push(Vec::new());
    }

    /// Adds the residue of the next length.
    fn add(&mut self, tours: Tours, residue: BigUint) {
        let all = if tours == Tours::Closed { &mut self.closed } else { &mut self.paths };
        all.last_mut().expect("a modulus has begun").push(residue);
    }

    /// Returns the residues of one length modulo the first moduli. A kind that is not swept has residue 0.
    fn of(&self, moduli: &[Lane], length: u16) -> Vec<ResidueSums<'_>> {
        let place = usize::from(length) - 1;
        let all = moduli.iter().zip(self.closed.iter().zip(&self.paths));
        all.map(|(&lane, (closed, paths))| ResidueSums {
            lane,
            closed: closed.get(place).unwrap_or(&self.zero),
            paths: paths.get(place).unwrap_or(&self.zero),
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Wrap;
    use crate::count::Misfit;
    use crate::frontier::{Snapshot, Store};
    use crate::series::{Boards, Line, Play, Swept};
    use crate::tour::Kind;

    fn line(text: &str) -> Line {
        let Boards::Line(line) = text.parse().unwrap() else { panic!("{text} is a line") };
        line
    }

    fn planned(text: &str, play: &Play, kind: Option<Kind>, bits: u32) -> FromResidues {
        let control = Control::new();
        let planned = line(text).plan_modulo(play, kind, Lane::new(3), None, &control).unwrap();
        planned.from_residues(bits, &control).unwrap()
    }

    fn told(row: &Row) -> String {
        let counts = Kind::ALL.map(|kind| row.counts.get(kind).map_or("-".into(), ToString::to_string));
        format!("{} {}", row.board, counts.join(" "))
    }

    /// The saved numbers of sweeps that have all ended in an earlier run.
    struct Left(Vec<Vec<BigUint>>);

    impl Rest for Left {
        fn begin(&self, line: &str, sweeps: usize) -> Swept {
            assert_eq!(self.0.len(), sweeps);
            Swept { numbers: self.0.clone(), ..Swept::new(line, sweeps) }
        }

        fn store(&self) -> &dyn Store {
            unreachable!("nothing is swept")
        }

        fn known(&self, _: usize, _: &BigUint) {}

        fn done(&self) {}

        fn is_due(&self) -> bool {
            false
        }

        fn resting(&self) {}

        fn rest(&self, _: &Snapshot) {}

        fn not_saved(&self, _: &str) {}
    }

    #[test]
    fn numbers_are_those_of_exact_sweeps() {
        for (boards, wrap, piece, kind) in [
            ("5x3..9", Wrap::None, "knight", None),
            ("5x2..30", Wrap::None, "knight", Some(Kind::Closed)),
            ("1..7x4", Wrap::Cols, "knight", Some(Kind::Paths)),
            ("3x1..12", Wrap::None, "king", Some(Kind::Open)),
            ("1x1..5", Wrap::None, "wazir", None),
            ("2x1..9", Wrap::Rows, "wazir", None),
        ] {
            let play = Play { wrap, piece: piece.parse().unwrap() };
            let (mut exact, control) = (Vec::new(), Control::new());
            let whole = line(boards).plan(&play, kind, None, &control).unwrap();
            whole.sweep(&control, &mut |row: Row| exact.push(told(&row))).unwrap();
            for bits in [16, 32] {
                let (mut found, planned) = (Vec::new(), planned(boards, &play, kind, bits));
                planned.sweep(None, &control, &mut |row: Row| found.push(told(&row))).unwrap();
                assert_eq!(found, exact, "{bits}");
            }
        }
    }

    #[test]
    fn a_wrong_residue_is_named_with_its_board() {
        let planned = planned("6x5..12", &Play::default(), Some(Kind::Closed), 16);
        let (numbers, control) = (std::sync::Mutex::new(Vec::new()), Control::new());
        let family = planned.planned.families[0].clone();
        let mut silent = crate::frontier::Silent;
        family.sweep(&mut silent, &mut |_, number| numbers.lock().unwrap().push(number)).unwrap();
        let numbers = numbers.into_inner().unwrap();
        let exact = line("6x5..12").plan(&Play::default(), Some(Kind::Closed), None, &control).unwrap();
        let mut all = Vec::new();
        exact.sweep(&control, &mut |row: Row| all.push(row.counts.closed.unwrap())).unwrap();
        assert_eq!(numbers.len(), all.len() + 4);
        let residues = |lane: &Lane| {
            let shorter = std::iter::repeat_n(BigUint::ZERO, 4);
            shorter.chain(all.iter().map(|number| lane.of(number))).collect::<Vec<_>>()
        };
        let kept: Vec<Vec<BigUint>> = planned.moduli().iter().map(residues).collect();
        let sweep = |kept: &[Vec<BigUint>]| {
            let mut rows = Vec::new();
            let left = Left(kept.to_vec());
            let swept =
                planned.clone().sweep(Some(&left), &Control::new(), &mut |row: Row| rows.push(told(&row)));
            (rows.len(), swept)
        };
        assert_eq!(sweep(&kept), (8, Ok(())));
        for (place, lane) in planned.moduli().iter().enumerate() {
            let mut wrong = kept.clone();
            // 6x10.
            wrong[place][9] = lane.of(&(&wrong[place][9] + 1u8));
            let (rows, error) = sweep(&wrong);
            if place < planned.needed[9] {
                let error = error.unwrap_err();
                let CountError::Misfit { board, misfit } = &error else { panic!("{error}") };
                assert!(rows == 5 && board == "6x10", "{error}");
                assert!(*misfit == Misfit::Wrong(*lane) || *misfit == Misfit::Unknown, "{error}");
            } else {
                assert_eq!((rows, error), (8, Ok(())), "this residue is not needed");
            }
        }
    }

    #[test]
    fn short_boards_take_few_residues() {
        let planned = planned("5x2..40", &Play::default(), Some(Kind::Closed), 32);
        let needed = &planned.needed;
        assert_eq!(needed.iter().max(), Some(&planned.moduli().len()));
        assert!(needed[5] == 2 && needed[39] > 5, "{needed:?}");
    }
}
