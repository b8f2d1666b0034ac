//! Listing tours: every tour once, in an order that depends on the question alone.
//!
//! Without an order of moves the multi-path kernel lists, unit by unit; each tour
//! it visits is followed by its images under the symmetries for which the unit
//! stands. With an order of moves the path-extension kernel lists, in the order
//! of plain backtracking.
//!
//! *Distinct* tours: a unit whose choices no symmetry keeps holds at most one tour
//! of each class, so all of its tours count. In the few units that some symmetries
//! H keep, a tour counts if its lowest reading is the least among its images under
//! H. Nothing is remembered from one tour to the next. In backtracking order a
//! tour counts if it is its class's canonical form.
//!
//! Memory: some MB for output that waits for its turn.

use std::ops::ControlFlow;

use crate::board::Bitboard;
use crate::control::Control;
use crate::tour::{Kind, Shape, TourKind, TourWriter, canonical, lowest};

use super::order::Steps;
use super::ordered::{self, Chunk, Outbox};
use super::prefix::PrefixPlan;
use super::problem::{Problem, ProblemError};
use super::split::{Plan, Unit};
use super::visitor::Lister;
use super::width::{ForBitboard, with_bitboard};
use super::workers::Stopped;

/// What to list besides the problem itself.
#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    /// Both directions of every tour.
    pub directed: bool,
    /// One tour of each class under the problem's symmetries.
    pub distinct: bool,
    /// An order of moves: list in the order of plain backtracking.
    pub steps: Option<Steps>,
    /// See [`Plan::new`] and [`PrefixPlan::new`].
    pub split_depth: Option<u32>,
}

/// Why not all tours were listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// The sink or the control ended the run before the last tour.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The problem cannot be split so.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Lists all tours of a problem: hands text in the writer's format to `sink`, chunk by chunk and in order.
/// Uses as many threads as the current rayon pool has.
///
/// # Errors
/// See [`ListError`].
pub fn list(
    problem: Problem,
    options: ListOptions,
    writer: &TourWriter,
    control: &Control,
    sink: &mut dyn FnMut(&Chunk) -> ControlFlow<()>,
) -> Result<(), ListError> {
    let len = problem.graph().len();
    if len == 1 {
        return single(&problem, writer, sink);
    }
    let flow = with_bitboard(len, List { problem, options, writer, control, sink })?;
    if flow.is_break() || control.is_cancelled() { Err(Stopped.into()) } else { Ok(()) }
}

/// One square: one path of no moves, and no closed tour.
fn single(
    problem: &Problem,
    writer: &TourWriter,
    sink: &mut dyn FnMut(&Chunk) -> ControlFlow<()>,
) -> Result<(), ListError> {
    if problem.kind() == Kind::Closed {
        return Ok(());
    }
    let mut chunk = Chunk::default();
    writer.write(&mut chunk.bytes, TourKind::Open, &[0]);
    chunk.ends.push(chunk.bytes.len());
    if sink(&chunk).is_break() { Err(Stopped.into()) } else { Ok(()) }
}

struct List<'a> {
    problem: Problem,
    options: ListOptions,
    writer: &'a TourWriter,
    control: &'a Control,
    sink: &'a mut dyn FnMut(&Chunk) -> ControlFlow<()>,
}

impl ForBitboard for List<'_> {
    type Output = Result<ControlFlow<()>, ProblemError>;

    fn run<B: Bitboard>(self) -> Self::Output {
        let Self { problem, options, writer, control, sink } = self;
        let threads = rayon::current_num_threads();
        let forms = Forms::new(&problem, &options, writer);
        let stop = control.flag();
        if let Some(steps) = &options.steps {
            // A plan in order uses symmetry only to tell canonical forms.
            let plan = PrefixPlan::in_order::<B>(problem, steps, options.directed, options.split_depth)?;
            let all: Vec<u32> = (0..plan.units().len() as u32).collect();
            control.begin(all.len(), &all);
            let work = |number: usize, outbox: &mut Outbox<'_>| {
                let kernel = plan.kernel::<B>(&plan.units()[number]);
                let mut tours = 0;
                let mut lister = Lister::new(stop, |sequence: &mut Vec<u32>| {
                    if !forms.is_wanted_in_order(sequence) {
                        return ControlFlow::Continue(());
                    }
                    tours += 1;
                    forms.write(sequence, outbox)
                });
                let nodes = kernel.visit(steps, &mut lister);
                control.unit_done(number, nodes, tours);
            };
            return Ok(ordered::run(plan.units().len(), threads, writer.separator(), stop, work, sink));
        }
        let plan = Plan::new(problem, options.split_depth)?;
        let all: Vec<u32> = (0..plan.units().len() as u32).collect();
        control.begin(all.len(), &all);
        let work = |number: usize, outbox: &mut Outbox<'_>| {
            let unit = &plan.units()[number];
            let images = plan.images(unit);
            let mut image = Vec::new();
            let mut tours = 0;
            let mut lister = Lister::new(stop, |sequence: &mut Vec<u32>| {
                if options.distinct {
                    let Some(form) = forms.of_class(sequence, unit) else { return ControlFlow::Continue(()) };
                    tours += 1;
                    return forms.write(&form, outbox);
                }
                for &g in &images {
                    let element = &plan.problem().group().elements()[g as usize];
                    image.clear();
                    image.extend(sequence.iter().map(|&v| element.image[v as usize]));
                    tours += 1;
                    forms.write_directions(&mut image, outbox)?;
                }
                ControlFlow::Continue(())
            });
            let nodes = plan.root::<B>(unit).visit(&mut lister);
            control.unit_done(number, nodes, tours);
        };
        Ok(ordered::run(plan.units().len(), threads, writer.separator(), stop, work, sink))
    }
}

/// How the tours of a problem are read and written.
struct Forms<'a> {
    shape: Shape,
    kind: Kind,
    /// A closed tour begins here.
    from: Option<u32>,
    /// Ends, for telling re-entrant paths.
    problem: Problem,
    both_directions: bool,
    distinct: bool,
    writer: &'a TourWriter,
}

impl<'a> Forms<'a> {
    fn new(problem: &Problem, options: &ListOptions, writer: &'a TourWriter) -> Self {
        let shape = match problem.kind() {
            Kind::Closed => Shape::Closed,
            _ if problem.is_fixed() => Shape::Directed,
            _ => Shape::Path,
        };
        // A path with a fixed start or end has one direction; a closed tour from a start has two.
        let both_directions = match shape {
            Shape::Closed => options.directed || problem.is_fixed(),
            Shape::Path => options.directed,
            Shape::Directed => false,
        };
        Self {
            shape,
            kind: problem.kind(),
            from: problem.start().filter(|_| shape == Shape::Closed),
            problem: problem.clone(),
            both_directions,
            distinct: options.distinct,
            writer,
        }
    }

    fn tour_kind(&self, sequence: &[u32]) -> TourKind {
        let ends = (sequence[0], sequence[sequence.len() - 1]);
        match self.kind {
            Kind::Closed => TourKind::Closed,
            _ if self.problem.is_re_entrant(ends.0, ends.1) => TourKind::ReEntrant,
            _ => TourKind::Open,
        }
    }

    fn write(&self, sequence: &[u32], outbox: &mut Outbox<'_>) -> ControlFlow<()> {
        let kind = self.tour_kind(sequence);
        outbox.push(|out| self.writer.write(out, kind, sequence))
    }

    /// Writes the lowest reading, or the one from the fixed start, and the other direction if wanted.
    fn write_directions(&self, sequence: &mut [u32], outbox: &mut Outbox<'_>) -> ControlFlow<()> {
        lowest(sequence, self.shape);
        if let Some(at) = self.from.and_then(|from| sequence.iter().position(|&v| v == from)) {
            sequence.rotate_left(at);
        }
        self.write(sequence, outbox)?;
        if self.both_directions {
            match self.shape {
                Shape::Closed => sequence[1..].reverse(),
                _ => sequence.reverse(),
            }
            self.write(sequence, outbox)?;
        }
        ControlFlow::Continue(())
    }

    /// The canonical form of a unit's tour if it is the one that stands for its class.
    fn of_class(&self, sequence: &[u32], unit: &Unit) -> Option<Vec<u32>> {
        let problem = &self.problem;
        if !self.is_least(sequence, unit) {
            return None;
        }
        let form = canonical(sequence, self.shape, problem.symmetries());
        // Where the search makes use of some symmetries only, the others carry it to further tours of the class.
        let whole = problem.group().order() == problem.symmetries().order();
        (whole || canonical(sequence, self.shape, problem.group()) == form).then_some(form)
    }

    /// Whether no symmetry that keeps the unit makes its tour lower.
    fn is_least(&self, sequence: &[u32], unit: &Unit) -> bool {
        if unit.residual.len() == 1 {
            return true;
        }
        let reading = |g: u32| {
            let element = &self.problem.group().elements()[g as usize];
            let mut image: Vec<u32> = sequence.iter().map(|&v| element.image[v as usize]).collect();
            lowest(&mut image, self.shape);
            image
        };
        // The identity comes first.
        let own = reading(unit.residual[0]);
        unit.residual[1..].iter().all(|&g| own <= reading(g))
    }

    /// Whether a tour found by plain backtracking is to be written.
    fn is_wanted_in_order(&self, sequence: &[u32]) -> bool {
        let second_direction = self.shape == Shape::Closed
            && !self.both_directions
            && sequence.len() > 2
            && sequence[1] > sequence[sequence.len() - 1];
        !second_direction
            && (!self.distinct || canonical(sequence, self.shape, self.problem.symmetries()) == sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Arena, Board, Leaper};
    use crate::tour::TourFormat;
    use std::collections::HashSet;

    fn listed(text: &str, kind: Kind, options: ListOptions) -> Vec<String> {
        let board: Board = text.parse().unwrap();
        let writer = TourWriter::new(&board, TourFormat::Squares, 1);
        let problem = Problem::new(&Arena::board(board, Leaper::KNIGHT), kind, None, None).unwrap();
        let mut lines = Vec::new();
        list(problem, options, &writer, &Control::new(), &mut |chunk| {
            lines.extend(String::from_utf8(chunk.bytes.clone()).unwrap().lines().map(str::to_owned));
            ControlFlow::Continue(())
        })
        .unwrap();
        lines
    }

    fn in_order(text: &str) -> Option<Steps> {
        let arena = Arena::board(text.parse().unwrap(), Leaper::KNIGHT);
        Some(Steps::as_listed(arena.graph()))
    }

    #[test]
    fn both_kernels_list_the_same_tours_each_once() {
        for (text, kind, tours, classes) in [
            ("5x5", Kind::Paths, 864, 112),
            ("3x4", Kind::Paths, 8, 3),
            ("5x6", Kind::Closed, 8, 3),
            ("1x1", Kind::Paths, 1, 1),
            ("4x4", Kind::Paths, 0, 0),
        ] {
            for (distinct, expected) in [(false, tours), (true, classes)] {
                let fast = listed(text, kind, ListOptions { distinct, ..ListOptions::default() });
                let steps = in_order(text);
                let plain = listed(text, kind, ListOptions { distinct, steps, ..ListOptions::default() });
                assert_eq!((fast.len(), plain.len()), (expected, expected), "{text} {kind:?} {distinct}");
                let (fast, plain): (HashSet<_>, HashSet<_>) =
                    (fast.into_iter().collect(), plain.into_iter().collect());
                assert_eq!(fast.len(), expected, "{text} {kind:?}: each once");
                assert_eq!(fast, plain, "{text} {kind:?} {distinct}");
            }
        }
    }

    #[test]
    fn a_sink_that_has_enough_is_told_so() {
        let board: Board = "5x5".parse().unwrap();
        let writer = TourWriter::new(&board, TourFormat::Squares, 1);
        let problem = Problem::new(&Arena::board(board, Leaper::KNIGHT), Kind::Paths, None, None).unwrap();
        let enough =
            list(problem, ListOptions::default(), &writer, &Control::new(), &mut |_| ControlFlow::Break(()));
        assert_eq!(enough, Err(ListError::Stopped(Stopped)));
    }
}
