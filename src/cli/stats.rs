//! `ktour stats`: exact statistics of all tours.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::arena::ArenaArgs;
use super::common::{EndsArgs, KindArgs, vertex};
use super::failure::Failure;
use super::files::{FileArgs, print};
use super::index::IndexArgs;
use super::places::refuse_same;
use crate::report::{
    Output, heat_map, histogram_json, histogram_table, measures_json, measures_table, png, statistics_json,
    statistics_table, tell, write_histogram_csv, write_statistics_csv,
};
use ktour::index::{Histogram, IndexError, MoveClass, Numbered, Statistics, measurable};
use ktour::tour::{Kind, Letters};

const EXAMPLES: &str = "\
Examples:
  ktour stats 6x6 --kind closed
  ktour stats 8x8 --kind closed --index chess --heat use.svg
  ktour stats 5x5 --kind paths --csv -
  ktour stats 6x6 --kind open --heat ends.png --json all.json
  ktour stats 6x6 --kind closed --histogram steep
  ktour stats 8x8 --kind closed --index chess --samples 100000

How many of all tours use each move, and how many begin or end on each square, exactly, though no tour is \
visited. In the table moves that the board's symmetries make alike are one row; CSV and JSON have every move. Tours \
are counted once for both directions, with --start or --end in the one that they have.";

/// Exact statistics of all tours.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct StatsArgs {
    #[command(flatten)]
    arena: ArenaArgs,

    #[command(flatten)]
    kind: KindArgs,

    #[command(flatten)]
    ends: EndsArgs,

    /// Tours by how many moves of a class they have: steep, flat, rising, falling, files, ranks, border, 2/1
    ///
    /// files and ranks are moves over the line in their middle, border those between two squares of the border, and 2/1
    /// those that go two ranks for one file. It takes as many sweeps as a tour can have such moves, or half of them.
    #[arg(long, value_name = "CLASS", conflicts_with_all = ["heat", "index", "plan"])]
    histogram: Option<MoveClass>,

    /// The same for the moves in a file: a1-b3, one or more a line; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["histogram", "heat", "index", "plan"], hide_short_help = true)]
    moves_file: Option<PathBuf>,

    /// Measure N tours drawn uniformly: crossings, turns, straight runs, distances from the centre
    ///
    /// What is no sum over moves has no exact statistics; means come with their standard errors.
    #[arg(long, value_name = "N", conflicts_with_all = ["histogram", "moves_file", "heat", "csv"], value_parser = clap::value_parser!(u64).range(2..))]
    samples: Option<u64>,

    /// Seed of all choices left to chance
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Draw a heat map of moves and ends: .svg or .png
    #[arg(long, value_name = "FILE")]
    heat: Option<PathBuf>,

    #[command(flatten)]
    files: FileArgs,

    #[command(flatten)]
    index: IndexArgs,
}

impl StatsArgs {
    /// Tells them.
    pub fn run(&self) -> Result<(), Failure> {
        let [shape, graph] = self.arena.inputs();
        let [csv, json] = self.files.named();
        let moves = ("--moves-file", self.moves_file.as_deref());
        refuse_same(&[shape, graph, moves, csv, json, ("--heat", self.heat.as_deref())])?;
        let ending = self.heat.as_deref().and_then(Path::extension).and_then(|ending| ending.to_str());
        if let (Some(heat), false) = (&self.heat, matches!(ending, Some("svg" | "png"))) {
            return Err(Failure::usage(format!(
                "--heat {}: heat maps are .svg or .png: change the ending",
                heat.display()
            )));
        }
        let arena = self.arena.arena()?;
        let (start, end) =
            (vertex(&arena, self.ends.start.as_deref())?, vertex(&arena, self.ends.end.as_deref())?);
        let kind = self.kind.kind.map_or(Kind::Paths, Kind::from);
        if kind == Kind::Closed && start.is_some() {
            return Err(Failure::usage("every closed tour passes --start: drop it, or ask for --kind paths"));
        }
        let numbered = Numbered { arena, kind, start, end };
        if let Some(class) = self.class(&numbered)? {
            return self.histogram(&numbered, &class);
        }
        if let Some(samples) = self.samples {
            return self.measured(&numbered, samples);
        }
        let files = self.files.open()?;
        let heat = self.heat.as_deref().map(Output::create).transpose()?;
        let progress = self.index.progress(format!("{} {}", numbered.arena.title(), kind.name()));
        let index = self.index.open(&numbered, progress.control())?;
        let found = Statistics::of_index(&index, self.index.room(), progress.control())
            .map_err(|error| self.index.refused(error))?;
        drop(progress);
        if let Some(mut out) = heat {
            let letters = if ending == Some("png") { Letters::Strokes } else { Letters::Text };
            let svg =
                heat_map(&found, letters).map_err(|error| Failure::failed(format!("--heat: {error}")))?;
            let bytes = match ending {
                Some("png") => png(&svg).map_err(|error| Failure::failed(format!("--heat: {error}")))?,
                _ => svg.into_bytes(),
            };
            out.write_all(&bytes).map_err(|error| Failure::write(&out.name(), &error))?;
            out.finish()?;
        }
        let is_quiet = files.is_quiet();
        files.write(|out| write_statistics_csv(out, &found), || statistics_json(&found, index.order()))?;
        if is_quiet { Ok(()) } else { print(statistics_table(&found)) }
    }

    /// The moves of which there is to be a histogram.
    fn class(&self, numbered: &Numbered) -> Result<Option<BTreeSet<(u32, u32)>>, Failure> {
        let arena = &numbered.arena;
        if let Some(class) = &self.histogram {
            let moves = class.moves(arena);
            return moves.map(Some).map_err(|error| {
                Failure::usage(format!("--histogram: {error}: add --moves-file FILE instead"))
            });
        }
        let Some(path) = &self.moves_file else { return Ok(None) };
        let text = if path.as_os_str() == "-" {
            io::read_to_string(io::stdin())
        } else {
            std::fs::read_to_string(path)
        };
        let text =
            text.map_err(|error| Failure::failed(format!("--moves-file {}: {error}", path.display())))?;
        let mut moves = BTreeSet::new();
        for (line, words) in (1..).zip(text.lines()) {
            let words = words.split('#').next().unwrap_or_default();
            for word in words.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
                let of = |why: &str| {
                    Failure::failed(format!(
                        "--moves-file {}, line {line}: `{word}` {why}: write moves such as a1-b3",
                        path.display()
                    ))
                };
                let (from, to) = word.split_once('-').ok_or_else(|| of("is no move"))?;
                let vertex = |name: &str| arena.vertex(name).map_err(|error| of(&error.to_string()));
                let (v, w) = (vertex(from)?, vertex(to)?);
                if !arena.is_move(v, w) {
                    return Err(of("is no move of the piece"));
                }
                moves.insert((v.min(w), v.max(w)));
            }
        }
        Ok(Some(moves))
    }

    fn measured(&self, numbered: &Numbered, samples: u64) -> Result<(), Failure> {
        measurable(&numbered.arena).map_err(|error| {
            Failure::usage(format!("--samples: {}", error.to_string().replace(": name them in a file", "")))
        })?;
        let files = self.files.open()?;
        let progress = self.index.progress(format!("{} {}", numbered.arena.title(), numbered.kind.name()));
        let index = self.index.open(numbered, progress.control())?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let found = index.measured(samples, &mut rng, progress.control());
        let found = found.map_err(|error| self.index.refused(error))?;
        drop(progress);
        let is_quiet = files.is_quiet();
        files.write(|_| Ok(()), || measures_json(numbered, samples, self.seed, &found))?;
        if is_quiet { Ok(()) } else { print(measures_table(&found)) }
    }

    fn histogram(&self, numbered: &Numbered, class: &BTreeSet<(u32, u32)>) -> Result<(), Failure> {
        let files = self.files.open()?;
        let name = format!("{} {}", numbered.arena.title(), numbered.kind.name());
        let progress = self.index.progress(name);
        let began = Instant::now();
        let found =
            Histogram::of(numbered, class, self.index.memory, progress.control(), &mut |done, all| {
                // A sweep or two are soon over; of many one wants to know.
                if done > 0 && began.elapsed().as_secs() >= 10 {
                    tell(format_args!("sweep {done} of {all}, {:.0} s", began.elapsed().as_secs_f64()));
                }
            });
        let found = found.map_err(|error| match error {
            IndexError::Open => {
                Failure::usage("--histogram is of closed tours or paths: ask for --kind closed or paths")
            }
            error => self.index.refused(error),
        })?;
        drop(progress);
        let is_quiet = files.is_quiet();
        files.write(|out| write_histogram_csv(out, &found), || histogram_json(&found))?;
        if is_quiet { Ok(()) } else { print(histogram_table(&found)) }
    }
}
