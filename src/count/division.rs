//! Divisions of a job of sweeps that does not fit: into residues, into shards, or into both.
//!
//! Exact shards make the fewest transitions, residues store fewer bytes for each weight, and shards of residues need the
//! least memory and disk. All are estimated from the plan of the whole job, without a dry run: for shards the sizes and
//! times are upper bounds.

use num_bigint::BigUint;

use super::JobEstimate;
use super::admission::Admission;
use super::job_estimate::with_margin;
use super::sweep_units::SweepUnits;
use crate::budget::{Division, Remedy};
use crate::control::Control;
use crate::frontier::{ResidueRing, prime_moduli};
use crate::text_format::YEAR_SECONDS;

/// Numbers of bits of the residues that are examined.
const RESIDUE_BITS: [u32; 3] = [32, 16, 8];

/// The largest number of shards that is examined. All powers of two up to this number are.
const MAX_SHARDS: u32 = 64;

/// The residues that determine a count.
#[derive(Clone, Copy)]
struct Residues {
    /// Number of bits of each residue.
    bits: u32,
    /// The first modulus, which is the greatest.
    ring: ResidueRing,
    /// Number of residues, with one that checks the others.
    count: u32,
}

impl Residues {
    /// Returns the residues of `bits` bits for counts of about `count_bits` bits; `None` if there are too few primes.
    fn new(bits: u32, count_bits: u32) -> Option<Self> {
        let moduli = prime_moduli(&(BigUint::from(1u8) << count_bits), bits)?;
        Some(Self { bits, ring: *moduli.first()?, count: moduli.len() as u32 })
    }
}

impl Admission<'_> {
    /// Returns the remedies that divide the job: the fastest residues, and the fewest shards; if neither fits, the fastest
    /// shards of residues. `fits` returns true if a number of bytes of memory and of disk are available.
    pub(super) fn division_remedies(
        &self,
        whole: &JobEstimate,
        fits: &dyn Fn(u64, u64) -> bool,
        control: &Control,
    ) -> Vec<Remedy> {
        let (Some(sweeps), alternatives) = (self.work.sweep_units(), self.alternatives) else {
            return Vec::new();
        };
        let count_bits = if alternatives.residues { sweeps.rough_count_bits(control).ok() } else { None };
        let of_width = |width: u32| Residues::new(width, count_bits?);
        let residues = Vec::from_iter(RESIDUE_BITS.into_iter().filter_map(of_width));
        let divide = |residues: Option<Residues>, shards: u32| {
            let (estimate, division) =
                divided_estimate(sweeps, (residues, shards), whole.memory_limit, control)?;
            let is_smaller = residues.is_none() || estimate.unspilled_bytes < whole.unspilled_bytes / 4 * 3;
            let fits = fits(with_margin(estimate.min_memory_bytes), estimate.disk_bytes);
            (is_smaller && fits && division.seconds <= YEAR_SECONDS).then_some(division)
        };
        let shard_counts = || (1..=MAX_SHARDS.ilog2()).map(|exponent| 1 << exponent);
        let fewest_shards =
            |residues: Option<Residues>| shard_counts().find_map(|count| divide(residues, count));
        let fastest = |all: &mut dyn Iterator<Item = Division>| {
            all.min_by(|one, other| one.seconds.total_cmp(&other.seconds))
        };
        let whole_residues = fastest(&mut residues.iter().filter_map(|&residues| divide(Some(residues), 1)));
        let exact_shards = if alternatives.shards { fewest_shards(None) } else { None };
        let mut found: Vec<Division> = whole_residues.into_iter().chain(exact_shards).collect();
        if found.is_empty() && alternatives.shards {
            found.extend(fastest(&mut residues.iter().filter_map(|&residues| fewest_shards(Some(residues)))));
        }
        found.into_iter().map(Remedy::Divide).collect()
    }
}

/// Returns the rough estimate of the largest of some shards of the sweeps, modulo the first of some residues, and the
/// division. `limit` is the memory limit in bytes. `None` if the control was cancelled.
fn divided_estimate(
    sweeps: &SweepUnits,
    (residues, shards): (Option<Residues>, u32),
    limit: Option<u64>,
    control: &Control,
) -> Option<(JobEstimate, Division)> {
    let divided = sweeps.divided(shards, residues.map(|residues| residues.ring));
    let first_shards = Vec::from_iter((0..divided.unit_count() as u32).step_by(shards as usize));
    let estimates = divided.rough_estimates(&first_shards, limit, control).ok()?;
    let estimate = JobEstimate::from_sweeps(estimates.into_values().collect(), limit);
    let sweep_count = residues.map_or(1, |residues| residues.count);
    let division = Division {
        residue_bits: residues.map(|residues| residues.bits),
        residues: sweep_count,
        shards,
        memory: estimate.memory_bytes,
        disk: estimate.disk_bytes,
        seconds: estimate.seconds? * f64::from(sweep_count) * f64::from(shards),
    };
    Some((estimate, division))
}
