//! What would make room for a sweep that has none, and is told only where it does.
//!
//! ```text
//! Forecast, of the sweep and of one for a residue -+
//!                                                  |-> Remedies -> words
//! Here: memory, room on the disk ------------------+
//! ```

use super::human::bytes;
use super::size::{rounded, typed};
use ktour::control::Control;
use ktour::count::{Forecast, Request, Work};
use ktour::frontier::Lane;

/// The greatest prime of the narrowest residues.
const PRIME: u32 = 65_521;

/// Machines that share a sweep are told if they have this many times its memory at most.
const MOST_OVER: u64 = 4;

/// One in so many bytes more is kept for what is told from an order alone.
const DOUBT: u64 = 8;

/// What there is on this machine.
#[derive(Clone, Copy, Debug)]
pub struct Here {
    /// Bytes of memory that may be used.
    pub ceiling: u64,
    /// Bytes of memory that might be, were they allowed.
    pub most: Option<u64>,
    /// Bytes to spare on the disk, where that is known.
    pub free: Option<u64>,
}

impl Here {
    /// Whether a sweep that needs so much memory at least, and so much of the disk beside the ceiling, has room.
    fn holds(&self, least: u64, disk: u64) -> bool {
        least < self.ceiling && self.free.is_none_or(|free| disk <= free)
    }
}

/// What can be done beside a larger machine.
#[derive(Debug)]
pub struct Remedies<'a> {
    /// What does not fit.
    pub forecast: &'a Forecast,
    /// A sweep for a residue, where the number can come from residues and that takes less.
    pub residue: Option<Forecast>,
    /// The sweep from one end, of which machines make their share, and parts are made.
    pub shared: Option<Forecast>,
    /// Whether it may be cut into parts.
    pub can_cut: bool,
}

impl Remedies<'_> {
    /// What helps, in words: what fits here, or what is lacking.
    pub fn told(&self, here: &Here) -> String {
        let Self { forecast, residue, shared, can_cut } = self;
        let shared = shared.as_ref().unwrap_or(forecast);
        // Roughly told, it may take a bit more.
        let more = |bytes: u64| bytes.saturating_add(bytes / DOUBT);
        let enough = forecast.memory_beside(here.free.unwrap_or(u64::MAX));
        let enough = if forecast.is_rough { more(enough) } else { enough };
        let mut ways = Vec::new();
        let has_memory = enough > here.ceiling && here.most.is_some_and(|most| rounded(enough) <= most);
        if has_memory {
            ways.push(format!("raise --memory to {}", typed(enough)));
        }
        let beside =
            |disk: u64| if disk > 0 { format!(" and {} on the disk", bytes(disk)) } else { String::new() };
        if let Some(residue) =
            residue.as_ref().filter(|residue| here.holds(more(residue.least), residue.disk))
        {
            let takes = format!("{} of memory{} for a sweep", bytes(residue.memory), beside(residue.disk));
            ways.push(format!("add --residues, with {takes}"));
        }
        // Each of 64 parts takes a half at most.
        if *can_cut && here.holds(more(shared.least), shared.disk / 2) {
            let half = beside(shared.disk / 2);
            ways.push(format!("make 64 parts by --shard R/64, with a half each at most{half}"));
        }
        let mut told = if ways.is_empty() { self.lacking(enough, here) } else { ways.join(", or ") };
        // Where tables leave little of each, larger ones are what is lacking.
        let is_fair =
            |machines: u64| machines.saturating_mul(here.ceiling) / MOST_OVER <= shared.whole_memory;
        let machines = shared.machines(here.ceiling).filter(|&machines| machines > 1 && !has_memory);
        if let Some(machines) = machines.filter(|&machines| is_fair(machines)) {
            told += &format!("; {machines} machines like this one hold it with --mpi");
        }
        told
    }

    /// What a machine must have that it fits on, as nothing does here.
    fn lacking(&self, enough: u64, here: &Here) -> String {
        let Self { forecast, residue, can_cut, .. } = self;
        let memory = match enough {
            u64::MAX => None,
            enough => Some(format!("{} of memory", bytes(enough))),
        };
        let needed = match (here.free, memory) {
            (Some(free), memory) if forecast.disk > free && forecast.least < here.ceiling => {
                let or = memory.map_or_else(String::new, |memory| format!(", or {memory} beside this one"));
                format!("it takes {} more of the disk{or}", bytes(forecast.disk - free))
            }
            (_, None) => "it takes more memory than any machine has".to_owned(),
            (Some(_), Some(memory)) => format!("it takes {memory} beside this disk"),
            (None, Some(memory)) => format!("it takes {memory}"),
        };
        let others = match (residue.is_some(), *can_cut) {
            (true, true) => "; --residues and --shard are not enough",
            (true, false) => "; --residues is not enough",
            (false, true) => "; --shard is not enough",
            (false, false) => "",
        };
        needed + others
    }
}

/// A sweep for a residue of a request, if that takes less than the whole number's.
pub fn residue(
    request: &Request,
    memory: Option<u64>,
    whole: &Forecast,
    control: &Control,
) -> Option<Forecast> {
    if request.modulus.is_some() || request.per_start {
        return None;
    }
    let work = Work::new(&Request { modulus: Lane::new(PRIME), ..request.clone() }).ok()?.with_memory(memory);
    let residue = work.outlook(&work.schedule(), control).ok()?;
    (residue.whole_memory < whole.whole_memory / 4 * 3).then_some(residue)
}

/// The sweep of a request from one end, if it can be planned.
pub fn shared(request: &Request, memory: Option<u64>, control: &Control) -> Option<Forecast> {
    let work = Work::new(request).ok()?.with_memory(memory).one_ended();
    work.outlook(&work.schedule(), control).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::board::Arena;
    use ktour::count::Engine;
    use ktour::tour::Kind;

    const GIB: u64 = 1 << 30;

    /// What is told of a board's closed tours with a ceiling, if the machine has so much memory and room.
    fn told(board: &str, ceiling: u64, most: u64, free: u64) -> String {
        let (kind, engine) = (Some(Kind::Closed), Engine::Frontier);
        let request = Request { kind, engine, ..Request::new(board.parse::<Arena>().unwrap()) };
        let work = Work::new(&request).unwrap().with_memory(Some(ceiling));
        let forecast = work.outlook(&work.schedule(), &Control::new()).unwrap();
        let residue = residue(&request, Some(ceiling), &forecast, &Control::new());
        let here = Here { ceiling, most: Some(most), free: Some(free) };
        let shared = shared(&request, Some(ceiling), &Control::new());
        Remedies { forecast: &forecast, residue, shared, can_cut: true }.told(&here)
    }

    #[test]
    fn only_what_fits_is_advised() {
        // 10x10 takes about 1.2 TiB, or 470 GiB on the disk beside 20 of memory.
        let little = told("10x10", 20 * GIB, 22 * GIB, 75 * GIB);
        assert!(little.starts_with("it takes ") && little.contains(" more of the disk, or "), "{little}");
        assert!(little.contains(" beside this one; --residues and --shard are not enough; "), "{little}");
        assert!(little.ends_with("with --mpi"), "{little}");
        assert!(!little.contains("raise") && !little.contains("add"), "{little}");
        let parts = told("10x10", 20 * GIB, 22 * GIB, 300 * GIB);
        assert!(parts.starts_with("make 64 parts by --shard R/64, with a half each at most and "), "{parts}");
        let residues = told("10x10", 20 * GIB, 22 * GIB, 400 * GIB);
        assert!(residues.starts_with("add --residues, with 20.00 GiB of memory and "), "{residues}");
        let memory = told("10x10", 20 * GIB, 1400 * GIB, 75 * GIB);
        assert!(memory.starts_with("raise --memory to "), "{memory}");
        // Its tables alone take more than two gigabytes.
        let tables = told("10x10", 2 * GIB, 3 * GIB, 900 * GIB);
        assert!(
            tables.starts_with("it takes ") && tables.contains("not enough") && !tables.contains("--mpi"),
            "{tables}"
        );
        assert!(told("10x10", 2 * GIB, 22 * GIB, 900 * GIB).starts_with("raise --memory to "));
    }
}
