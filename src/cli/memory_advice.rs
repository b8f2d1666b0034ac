//! Advice for a sweep that does not fit into memory and disk. Only options that would fit are advised.
//!
//! ```text
//! estimates: the sweep, a sweep of one residue -+
//!                                               |-> MemoryAdvice -> text
//! Resources: memory, free disk space -----------+
//! ```

use super::args::quantities::{format_size, round_up_size};
use super::format_units::format_bytes;
use ktour::control::Control;
use ktour::count::{JobEstimate, Request, WorkPlan};
use ktour::frontier::ResidueRing;

/// The largest prime below 2^16, the modulus of two-byte residues.
const NARROW_PRIME: u32 = 65_521;

/// Sharing by `--mpi` is advised only if the machines' total memory is at most this multiple of the sweep's
/// memory.
const MAX_MEMORY_RATIO: u64 = 4;

/// Safety margin of estimates from the order alone: one byte in this many is added.
const ROUGH_MARGIN_DIVISOR: u64 = 8;

/// Memory and disk of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Bytes of memory that may be used.
    pub memory_limit: u64,
    /// Bytes of memory that a larger `--memory` could allow.
    pub max_memory: Option<u64>,
    /// Free bytes on the disk, if known.
    pub free_disk: Option<u64>,
}

impl Resources {
    /// Returns true if a sweep fits that needs at least `least` bytes of memory and `disk` bytes of disk.
    fn fits(&self, least: u64, disk: u64) -> bool {
        least < self.memory_limit && self.free_disk.is_none_or(|free| disk <= free)
    }
}

/// What the user can do on this machine, or with several, if a sweep does not fit.
#[derive(Debug)]
pub struct MemoryAdvice<'a> {
    /// Estimate of the sweep that does not fit.
    pub estimate: &'a JobEstimate,
    /// Estimate of a sweep of one residue, if the count can be recovered from residues and such a sweep is
    /// smaller.
    pub residue_sweep: Option<JobEstimate>,
    /// Estimate of the sweep from one end, which can be shared by machines and cut into shards.
    pub shared_sweep: Option<JobEstimate>,
    /// Whether the sweep may be cut into shards.
    pub can_shard: bool,
}

impl MemoryAdvice<'_> {
    /// Returns the advice as text: options that fit, or the missing memory and disk.
    pub fn describe(&self, resources: &Resources) -> String {
        let Self { estimate: forecast, residue_sweep: residue, shared_sweep: shared, can_shard: can_cut } =
            self;
        let shared = shared.as_ref().unwrap_or(forecast);
        // An estimate from the order alone may be too low.
        let with_margin = |bytes: u64| bytes.saturating_add(bytes / ROUGH_MARGIN_DIVISOR);
        let enough = forecast.min_memory_with_disk(resources.free_disk.unwrap_or(u64::MAX));
        let enough = if forecast.is_rough { with_margin(enough) } else { enough };
        let mut options = Vec::new();
        let has_memory = enough > resources.memory_limit
            && resources.max_memory.is_some_and(|most| round_up_size(enough) <= most);
        if has_memory {
            options.push(format!("raise --memory to {}", format_size(enough)));
        }
        let disk_text =
            |disk: u64| if disk > 0 { format!(" and {} of disk", format_bytes(disk)) } else { String::new() };
        if let Some(residue) = residue
            .as_ref()
            .filter(|residue| resources.fits(with_margin(residue.min_memory_bytes), residue.disk_bytes))
        {
            let takes = format!(
                "{} of memory{} for each sweep",
                format_bytes(residue.memory_bytes),
                disk_text(residue.disk_bytes)
            );
            options.push(format!("add --residues, which needs {takes}"));
        }
        // Each of 64 shards takes at most half of the sweep's memory and disk.
        if *can_cut && resources.fits(with_margin(shared.min_memory_bytes), shared.disk_bytes / 2) {
            let half = disk_text(shared.disk_bytes / 2);
            options
                .push(format!("run 64 shards by --shard R/64, each with at most half of the memory{half}"));
        }
        let mut advice = if options.is_empty() {
            self.missing_resources(enough, resources)
        } else {
            options.join(", or ")
        };
        // If tables fill most of the memory, larger machines are needed, and not more machines.
        let is_fair = |machines: u64| {
            machines.saturating_mul(resources.memory_limit) / MAX_MEMORY_RATIO <= shared.unspilled_bytes
        };
        let machines =
            shared.min_machines(resources.memory_limit).filter(|&machines| machines > 1 && !has_memory);
        if let Some(machines) = machines.filter(|&machines| is_fair(machines)) {
            advice += &format!("; {machines} such machines suffice with --mpi");
        }
        advice
    }

    /// Describes the memory or disk that a machine needs for the sweep, if no option helps here.
    fn missing_resources(&self, enough: u64, resources: &Resources) -> String {
        let Self { estimate: forecast, residue_sweep: residue, can_shard: can_cut, .. } = self;
        let memory = match enough {
            u64::MAX => None,
            enough => Some(format!("{} of memory", format_bytes(enough))),
        };
        let needed = match (resources.free_disk, memory) {
            (Some(free), memory)
                if forecast.disk_bytes > free && forecast.min_memory_bytes < resources.memory_limit =>
            {
                let or = memory.map_or_else(String::new, |memory| {
                    format!(
                        ", or use a machine with \
                    {memory}"
                    )
                });
                format!("free {} of disk{or}", format_bytes(forecast.disk_bytes - free))
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
pub fn estimate_residue_sweep(
    request: &Request,
    memory: Option<u64>,
    whole: &JobEstimate,
    control: &Control,
) -> Option<JobEstimate> {
    if request.modulus.is_some() || request.per_start {
        return None;
    }
    let work = WorkPlan::new(&Request { modulus: ResidueRing::new(NARROW_PRIME), ..request.clone() })
        .ok()?
        .with_memory(memory);
    let residue = work.rough_estimate(&work.schedule(), control).ok()?;
    (residue.unspilled_bytes < whole.unspilled_bytes / 4 * 3).then_some(residue)
}

/// Returns the estimate of the sweep of a request from one end, if it can be planned.
pub fn estimate_shared_sweep(
    request: &Request,
    memory: Option<u64>,
    control: &Control,
) -> Option<JobEstimate> {
    let work = WorkPlan::new(request).ok()?.with_memory(memory).one_sided();
    work.rough_estimate(&work.schedule(), control).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::board::Board;
    use ktour::count::Engine;
    use ktour::tour::Kind;

    const GIB: u64 = 1 << 30;

    /// Returns the advice for closed tours of a board with a memory limit `ceiling`, on a machine with `most`
    /// bytes of memory and `free` bytes of disk.
    fn advice_for(board: &str, ceiling: u64, most: u64, free: u64) -> String {
        let (kind, engine) = (Some(Kind::Closed), Engine::Frontier);
        let request = Request { kind, engine, ..Request::new(board.parse::<Board>().unwrap()) };
        let work = WorkPlan::new(&request).unwrap().with_memory(Some(ceiling));
        let forecast = work.rough_estimate(&work.schedule(), &Control::new()).unwrap();
        let residue = estimate_residue_sweep(&request, Some(ceiling), &forecast, &Control::new());
        let here = Resources { memory_limit: ceiling, max_memory: Some(most), free_disk: Some(free) };
        let shared = estimate_shared_sweep(&request, Some(ceiling), &Control::new());
        MemoryAdvice { estimate: &forecast, residue_sweep: residue, shared_sweep: shared, can_shard: true }
            .describe(&here)
    }

    #[test]
    fn advice_names_only_options_that_fit() {
        // 10x10 takes about 1.2 TiB of memory, or 20 GiB of memory and 470 GiB of disk.
        let small = advice_for("10x10", 20 * GIB, 22 * GIB, 75 * GIB);
        assert!(small.contains(" GiB of disk") && small.contains(" TiB of memory"), "{small}");
        assert!(small.contains("--residues and --shard are not enough"), "{small}");
        assert!(small.contains("--mpi"), "{small}");
        assert!(!small.contains("raise") && !small.contains("add"), "{small}");
        let parts = advice_for("10x10", 20 * GIB, 22 * GIB, 300 * GIB);
        assert!(parts.contains("--shard R/64") && parts.contains(" GiB of disk"), "{parts}");
        let residues = advice_for("10x10", 20 * GIB, 22 * GIB, 400 * GIB);
        assert!(residues.contains("--residues") && residues.contains("20.00 GiB of memory"), "{residues}");
        let memory = advice_for("10x10", 20 * GIB, 1400 * GIB, 75 * GIB);
        assert!(memory.contains("--memory"), "{memory}");
        // The tables alone take more than 2 GiB.
        let tables = advice_for("10x10", 2 * GIB, 3 * GIB, 900 * GIB);
        assert!(
            tables.contains(" of memory") && tables.contains("not enough") && !tables.contains("--mpi"),
            "{tables}"
        );
        assert!(advice_for("10x10", 2 * GIB, 22 * GIB, 900 * GIB).contains("--memory"));
    }
}
