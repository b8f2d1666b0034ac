//! Advice for a sweep that does not fit into memory and disk. Only options that would fit are advised.
//!
//! ```text
//! estimates: the sweep, a sweep of one residue -+
//!                                               |-> MemoryAdvice -> text
//! Resources: memory, free disk space -----------+
//! ```

use super::human::bytes;
use super::size::{rounded, typed};
use ktour::control::Control;
use ktour::count::{Forecast, Request, Work};
use ktour::frontier::Lane;

/// The largest prime below 2^16, the modulus of two-byte residues.
const PRIME: u32 = 65_521;

/// Sharing by `--mpi` is advised only if the machines' total memory is at most this multiple of the sweep's
/// memory.
const MOST_OVER: u64 = 4;

/// Safety margin of estimates from the order alone: one byte in this many is added.
const DOUBT: u64 = 8;

/// Memory and disk of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Here {
    /// Bytes of memory that may be used.
    pub ceiling: u64,
    /// Bytes of memory that a larger `--memory` could allow.
    pub most: Option<u64>,
    /// Free bytes on the disk, if known.
    pub free: Option<u64>,
}

impl Here {
    /// Returns true if a sweep fits that needs at least `least` bytes of memory and `disk` bytes of disk.
    fn holds(&self, least: u64, disk: u64) -> bool {
        least < self.ceiling && self.free.is_none_or(|free| disk <= free)
    }
}

/// What the user can do on this machine, or with several, if a sweep does not fit.
#[derive(Debug)]
pub struct Remedies<'a> {
    /// Estimate of the sweep that does not fit.
    pub forecast: &'a Forecast,
    /// Estimate of a sweep of one residue, if the count can be recovered from residues and such a sweep is
    /// smaller.
    pub residue: Option<Forecast>,
    /// Estimate of the sweep from one end, which can be shared by machines and cut into shards.
    pub shared: Option<Forecast>,
    /// Whether the sweep may be cut into shards.
    pub can_cut: bool,
}

impl Remedies<'_> {
    /// Returns the advice as text: options that fit, or the missing memory and disk.
    pub fn told(&self, here: &Here) -> String {
        let Self { forecast, residue, shared, can_cut } = self;
        let shared = shared.as_ref().unwrap_or(forecast);
        // An estimate from the order alone may be too low.
        let more = |bytes: u64| bytes.saturating_add(bytes / DOUBT);
        let enough = forecast.memory_beside(here.free.unwrap_or(u64::MAX));
        let enough = if forecast.is_rough { more(enough) } else { enough };
        let mut ways = Vec::new();
        let has_memory = enough > here.ceiling && here.most.is_some_and(|most| rounded(enough) <= most);
        if has_memory {
            ways.push(format!("raise --memory to {}", typed(enough)));
        }
        let beside =
            |disk: u64| if disk > 0 { format!(" and {} of disk", bytes(disk)) } else { String::new() };
        if let Some(residue) =
            residue.as_ref().filter(|residue| here.holds(more(residue.least), residue.disk))
        {
            let takes = format!("{} of memory{} for each sweep", bytes(residue.memory), beside(residue.disk));
            ways.push(format!("add --residues, which needs {takes}"));
        }
        // Each of 64 shards takes at most half of the sweep's memory and disk.
        if *can_cut && here.holds(more(shared.least), shared.disk / 2) {
            let half = beside(shared.disk / 2);
            ways.push(format!("run 64 shards by --shard R/64, each with at most half of the memory{half}"));
        }
        let mut told = if ways.is_empty() { self.lacking(enough, here) } else { ways.join(", or ") };
        // If tables fill most of the memory, larger machines are needed, and not more machines.
        let is_fair =
            |machines: u64| machines.saturating_mul(here.ceiling) / MOST_OVER <= shared.whole_memory;
        let machines = shared.machines(here.ceiling).filter(|&machines| machines > 1 && !has_memory);
        if let Some(machines) = machines.filter(|&machines| is_fair(machines)) {
            told += &format!("; {machines} such machines suffice with --mpi");
        }
        told
    }

    /// Describes the memory or disk that a machine needs for the sweep, if no option helps here.
    fn lacking(&self, enough: u64, here: &Here) -> String {
        let Self { forecast, residue, can_cut, .. } = self;
        let memory = match enough {
            u64::MAX => None,
            enough => Some(format!("{} of memory", bytes(enough))),
        };
        let needed = match (here.free, memory) {
            (Some(free), memory) if forecast.disk > free && forecast.least < here.ceiling => {
                let or = memory.map_or_else(String::new, |memory| {
                    format!(
                        ", or use a machine with \
                    {memory}"
                    )
                });
                format!("free {} of disk{or}", bytes(forecast.disk - free))
            }
            (_, None) => "no machine has enough memory".to_owned(),
            (Some(_), Some(memory)) => format!("use a machine with {memory} and this disk"),
            (None, Some(memory)) => format!("use a machine with {memory}"),
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

/// Returns the estimate of a sweep of one residue, if it takes less than 3/4 of the memory of the whole
/// sweep.
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

/// Returns the estimate of the sweep of a request from one end, if it can be planned.
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

    /// Returns the advice for closed tours of a board with a memory limit `ceiling`, on a machine with `most`
    /// bytes of memory and `free` bytes of disk.
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
        // 10x10 takes about 1.2 TiB of memory, or 20 GiB of memory and 470 GiB of disk.
        let little = told("10x10", 20 * GIB, 22 * GIB, 75 * GIB);
        assert!(little.contains(" GiB of disk") && little.contains(" TiB of memory"), "{little}");
        assert!(little.contains("--residues and --shard are not enough"), "{little}");
        assert!(little.contains("--mpi"), "{little}");
        assert!(!little.contains("raise") && !little.contains("add"), "{little}");
        let parts = told("10x10", 20 * GIB, 22 * GIB, 300 * GIB);
        assert!(parts.contains("--shard R/64") && parts.contains(" GiB of disk"), "{parts}");
        let residues = told("10x10", 20 * GIB, 22 * GIB, 400 * GIB);
        assert!(residues.contains("--residues") && residues.contains("20.00 GiB of memory"), "{residues}");
        let memory = told("10x10", 20 * GIB, 1400 * GIB, 75 * GIB);
        assert!(memory.contains("--memory"), "{memory}");
        // The tables alone take more than 2 GiB.
        let tables = told("10x10", 2 * GIB, 3 * GIB, 900 * GIB);
        assert!(
            tables.contains(" of memory") && tables.contains("not enough") && !tables.contains("--mpi"),
            "{tables}"
        );
        assert!(told("10x10", 2 * GIB, 22 * GIB, 900 * GIB).contains("--memory"));
    }
}
