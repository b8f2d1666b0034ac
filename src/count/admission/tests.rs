//! Tests of the admission of counting jobs: what is refused, and the remedies.

use super::*;
use crate::board::Board;
use crate::budget::Division;
use crate::tour::Kind;

const GIB: u64 = 1 << 30;

/// Returns the admission of a job that may use residues and shards, and the free space of `disk`.
fn divisible_job<'a>(
    request: &'a Request,
    work: &'a WorkPlan,
    units: &'a [u32],
    disk: DiskBudget,
) -> Admission<'a> {
    let free_disk = if let DiskBudget::Free(free) = disk { Some(free) } else { None };
    let alternatives = Alternatives { sweep: true, residues: true, shards: true };
    Admission { disk, free_disk, alternatives, ..Admission::new(request, work, units) }
}

/// Returns the remedies for the sweep `work` with a memory limit of `limit` bytes, on a machine with `most` bytes of
/// memory and `free` bytes of disk.
fn remedies_for(work: &WorkPlan, limit: u64, most: u64, free: u64) -> Vec<Remedy> {
    remedies_with(Alternatives { sweep: true, residues: true, shards: true }, work, (limit, most, free))
}

/// Returns the remedies like [`remedies_for`], with only some alternatives.
fn remedies_with(
    alternatives: Alternatives,
    work: &WorkPlan,
    (limit, most, free): (u64, u64, u64),
) -> Vec<Remedy> {
    let work = work.clone().with_memory(Some(limit));
    let (units, disk) = (work.schedule(), DiskBudget::Free(free));
    let job = divisible_job(work.validated_request().request(), &work, &units, disk);
    let admission = Admission { alternatives, ..job };
    let estimate = work.rough_estimate(&units, &Control::new()).unwrap();
    // A rough estimate that may be twice too high refuses nothing; the remedies are the same.
    let full = Shortage::Disk { needed: estimate.disk_bytes, available: free };
    let shortage = estimate.check(disk).err().unwrap_or(full);
    admission.remedies_on(Some(most), &estimate, shortage, None, &Control::new())
}

fn divisions(remedies: &[Remedy]) -> Vec<Division> {
    let division =
        |remedy: &Remedy| if let Remedy::Divide(division) = *remedy { Some(division) } else { None };
    remedies.iter().filter_map(division).collect()
}

fn is_residues(division: &Division) -> bool {
    division.residue_bits.is_some() && division.shards == 1
}

fn is_exact_shards(division: &Division) -> bool {
    division.residue_bits.is_none() && division.residues == 1 && division.shards > 1
}

/// The whole sweep takes more than 1 TiB of memory, and half of it on disk.
#[test]
fn division_is_the_coarsest_that_fits() {
    let closed = Request::of_kind("10x10".parse::<Board>().unwrap(), Kind::Closed);
    let work = WorkPlan::new(&Request { engine: Engine::Frontier, ..closed }).unwrap();
    let found = |limit: u64, free: u64| {
        let remedies = remedies_for(&work, limit * GIB, limit * GIB, free * GIB);
        let found = divisions(&remedies);
        assert!(
            found.iter().all(|part| part.disk <= free * GIB && part.memory <= limit * GIB),
            "{remedies:?}"
        );
        found
    };
    assert!(found(120, 560).iter().any(is_exact_shards));
    // Of whole sweeps only residues of one byte fit.
    let whole = found(14, 190).into_iter().find(is_residues).unwrap();
    assert!(whole.residue_bits == Some(8) && (9..=13).contains(&whole.residues), "{whole:?}");
    // Nothing but shards of residues fits.
    let [both] = found(18, 80)[..] else { panic!("not one way") };
    assert!(both.residue_bits == Some(8) && both.shards > 8 && both.seconds > whole.seconds, "{both:?}");
    assert!(found(2, 1).is_empty());
}

#[test]
fn remedies_are_those_that_fit() {
    let closed = Request::of_kind("9x18".parse::<Board>().unwrap(), Kind::Closed);
    let work = WorkPlan::new(&Request { engine: Engine::Frontier, ..closed }).unwrap();
    // 9x18 takes about 90 GiB of memory, or 10 GiB of memory and 31 GiB of disk; a residue takes 14 GiB of memory.
    let small = remedies_with(Alternatives::default(), &work, (10 * GIB, 22 * GIB, 2 * GIB));
    assert!(matches!(small[..], [Remedy::FreeDisk(_), Remedy::LargerMachine(_)]), "{small:?}");
    let only_residues = Alternatives { shards: false, residues: true, sweep: true };
    let residues = remedies_with(only_residues, &work, (12 * GIB, 13 * GIB, 10 * GIB));
    let [Remedy::Divide(residues)] = residues[..] else { panic!("{residues:?}") };
    assert!(residues.memory == 12 * GIB && residues.residue_bits == Some(16) && residues.shards == 1);
    // One byte for each weight needs neither disk nor shards.
    let narrow = remedies_with(only_residues, &work, (10 * GIB, 13 * GIB, 0));
    let [Remedy::Divide(narrow)] = narrow[..] else { panic!("{narrow:?}") };
    assert!(narrow.residue_bits == Some(8) && narrow.disk == 0 && narrow.residues > residues.residues);
    let parts = remedies_for(&work, 17 * GIB, 22 * GIB, 40 * GIB);
    let [.., Remedy::Divide(residues), Remedy::Divide(shards)] = parts[..] else { panic!("{parts:?}") };
    assert!(is_residues(&residues) && is_exact_shards(&shards) && shards.disk > 0, "{parts:?}");
    let memory = remedies_for(&work, 17 * GIB, 1400 * GIB, 10 * GIB);
    assert!(matches!(memory[0], Remedy::RaiseMemory(_)), "{memory:?}");
    // The tables and a chunk take more than 1 GiB.
    let least = remedies_for(&work, GIB / 2, GIB, 900 * GIB);
    let [Remedy::LargerMachine(size)] = least[..] else { panic!("{least:?}") };
    let (memory, disk) = size.with_disk.unwrap();
    assert!((GIB..12 * GIB).contains(&memory) && disk > 9 * GIB && size.memory > 50 * GIB, "{size}");
    let least = remedies_for(&work, GIB / 2, 22 * GIB, 900 * GIB);
    assert!(matches!(least[0], Remedy::RaiseMemory(_)), "{least:?}");
}

#[test]
fn remedies_exclude_impossible_divisions() {
    let closed = Request::of_kind("9x18".parse::<Board>().unwrap(), Kind::Closed);
    let request = Request { engine: Engine::Frontier, ..closed };
    let work = WorkPlan::new(&request).unwrap().with_memory(Some(17 * GIB));
    let (units, disk) = (work.schedule(), DiskBudget::Free(40 * GIB));
    let estimate = work.rough_estimate(&units, &Control::new()).unwrap();
    let full = Shortage::Disk { needed: estimate.disk_bytes, available: 40 * GIB };
    for residues in [false, true] {
        for shards in [false, true] {
            let alternatives = Alternatives { sweep: true, residues, shards };
            let admission = Admission { alternatives, ..divisible_job(&request, &work, &units, disk) };
            let remedies = admission.remedies_on(Some(22 * GIB), &estimate, full, None, &Control::new());
            let has = |is_it: fn(&Division) -> bool| divisions(&remedies).iter().any(is_it);
            assert_eq!(has(is_residues), residues, "{remedies:?}");
            assert_eq!(has(is_exact_shards), shards, "{remedies:?}");
        }
    }
}

#[test]
fn second_count_is_admitted_with_the_first() {
    const MIB: u64 = 1 << 20;
    let request = Request {
        engine: Engine::Frontier,
        ..Request::of_kind("6x8".parse::<Board>().unwrap(), Kind::Paths)
    };
    let shortage = |memory: u64| {
        let work = WorkPlan::new(&request).unwrap().with_memory(Some(memory));
        let (units, disk) = (work.schedule(), DiskBudget::Free(GIB));
        let job = divisible_job(&request, &work, &units, disk);
        let alternatives = Alternatives::default();
        let admission = Admission { double_check: Some(0.0), alternatives, ..job };
        let once = Admission { double_check: None, ..admission };
        let [found, found_once] =
            [admission, once].map(|job| job.find_shortage(false, &Control::new()).unwrap().1);
        let is_refused_once = found_once.is_some();
        let found = found.map(|(estimate, shortage)| {
            match admission.admit_or_refuse_as_planned(&estimate, shortage, &Control::new()) {
                Err(CountError::Refused(refusal)) => (refusal.remedies, refusal.shortage),
                other => panic!("{other:?}"),
            }
        });
        (found, is_refused_once)
    };
    let (Some((remedies, Shortage::SecondCount { needed: Some(needed), .. })), false) = shortage(25 * MIB)
    else {
        panic!("the first count fits, and the second does not");
    };
    let [Remedy::RaiseMemory(enough)] = remedies[..] else { panic!("{remedies:?}") };
    assert!((needed..needed + MIB).contains(&enough), "{needed} {enough}");
    assert_eq!(shortage(enough), (None, false));
    let (Some((remedies, Shortage::MinMemory { .. })), true) = shortage(4 * MIB) else {
        panic!("the first count does not fit");
    };
    assert_eq!(remedies, [Remedy::RaiseMemory(enough)]);
}

#[test]
fn job_that_fits_by_a_dry_run_is_not_refused() {
    let closed = Request::of_kind("6x8".parse::<Board>().unwrap(), Kind::Closed);
    let request = Request { engine: Engine::Frontier, ..closed };
    let control = Control::new();
    let whole = WorkPlan::new(&request).unwrap().with_dry_run_seconds(60.0);
    let exact = whole.estimate(&[0], &control).unwrap();
    let work = WorkPlan::new(&request).unwrap().with_memory(Some(exact.unspilled_bytes));
    let (units, disk) = (work.schedule(), DiskBudget::Absent);
    let job = divisible_job(&request, &work, &units, disk);
    // The rough estimate of an unusual board may be many times too high.
    let rough = work.rough_estimate(&units, &control).unwrap();
    let rough = JobEstimate { unspilled_bytes: 3 * exact.unspilled_bytes, ..rough };
    let shortage = rough.check(disk).unwrap_err();
    let measured = job.admit_or_refuse(&rough, shortage, &control).unwrap();
    assert!(!measured.is_rough && measured.check(disk).is_ok(), "{measured:?}");
    // The sweep takes over this estimate.
    control.cancel();
    let again = work.estimate(&units, &control).unwrap();
    assert_eq!((again.is_rough, again.unspilled_bytes), (false, measured.unspilled_bytes));
}

/// A dry run of this board takes a minute, and the rough estimate is far from what the dry run finds.
#[test]
fn unreliable_refusal_names_no_sizes() {
    let board: Board = "board=6x6 wrap=projective piece=1,2 remove=-".parse().unwrap();
    let request = Request { engine: Engine::Frontier, ..Request::of_kind(board, Kind::Paths) };
    let work = WorkPlan::new(&request).unwrap().with_memory(Some(GIB));
    let (units, control) = (work.schedule(), Control::new());
    for disk in [DiskBudget::Absent, DiskBudget::Free(GIB)] {
        let job = divisible_job(&request, &work, &units, disk);
        let (estimate, RoughVerdict::Refused(shortage)) = job.rough(&control).unwrap() else {
            panic!("the job does not fit")
        };
        assert!(estimate.is_unreliable());
        match job.admit_or_refuse(&estimate, shortage, &control) {
            Err(CountError::Refused(refusal)) => assert_eq!(refusal.remedies, [Remedy::SmallerBoard]),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn refused_search_advises_faster_sweep() {
    let request = Request::of_kind("8x8".parse::<Board>().unwrap(), Kind::Closed);
    let search = Request { engine: Engine::Multipath, ..request.clone() };
    let work = WorkPlan::new(&search).unwrap().with_memory(Some(GIB));
    let units = work.schedule();
    let admission = divisible_job(&request, &work, &units, DiskBudget::Absent);
    let estimate =
        JobEstimate { seconds: Some(1e12), ..work.rough_estimate(&units, &Control::new()).unwrap() };
    let shortage = estimate.check(DiskBudget::Absent).unwrap_err();
    assert!(matches!(shortage, Shortage::Time { .. }));
    let refusal = |decision| match decision {
        Err(CountError::Refused(refusal)) => *refusal,
        other => panic!("{other:?}"),
    };
    let advised = refusal(admission.admit_or_refuse(&estimate, shortage, &Control::new()));
    assert!(matches!(advised.remedies[..], [Remedy::Sweep(seconds)] if seconds < 1e6), "{advised:?}");
    let planned = refusal(admission.admit_or_refuse_as_planned(&estimate, shortage, &Control::new()));
    assert_eq!(planned.remedies, [Remedy::SmallerBoard]);
    // The engine was requested, so no other is advised.
    let split = Request { split_depth: Some(3), ..request.clone() };
    let requested = refusal(Admission { request: &split, ..admission }.admit_or_refuse(
        &estimate,
        shortage,
        &Control::new(),
    ));
    assert_eq!(requested.remedies, [Remedy::SmallerBoard], "a split depth is for searches");
    let resumed = Admission { alternatives: Alternatives::default(), ..admission };
    let resumed = refusal(resumed.admit_or_refuse(&estimate, shortage, &Control::new()));
    assert_eq!(resumed.remedies, [Remedy::SmallerBoard]);
    let requested = refusal(Admission { request: &search, ..admission }.admit_or_refuse(
        &estimate,
        shortage,
        &Control::new(),
    ));
    assert_eq!(requested.remedies, [Remedy::SmallerBoard]);
    // Little memory: the search itself does not fit, and no disk helps.
    let small = JobEstimate { seconds: None, memory_limit: Some(1), ..estimate };
    assert!(matches!(small.check(DiskBudget::Free(GIB)), Err(Shortage::Memory { available: 1, .. })));
}
