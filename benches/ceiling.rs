//! Measures the throughput limits of the machine for the two operations of a sweep: gathering weights at
//! given indices, and reading and writing layers.
//!
//! Prints a JSON object for `scripts/ceiling`: billions of 4-byte gathers per second from tables of several
//! sizes, and GB/s of memory read and filled, each by one thread and by all threads. If there are several
//! kernels for gathering, the fastest counts.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

/// Names and bytes of the tables: they fit into the first, second and third cache level, and into no cache.
const TABLE_BYTES: [(&str, usize); 4] =
    [("16 KiB", 1 << 14), ("256 KiB", 1 << 18), ("4 MiB", 1 << 22), ("256 MiB", 1 << 28)];
/// Returns the number of indices per round for a table of `bytes` bytes: several for each cache line of a
/// small table, and more than the caches have lines for a large table.
const fn indices_per_round(bytes: usize) -> usize {
    if bytes > 1 << 20 { 1 << 20 } else { 1 << 14 }
}

/// Number of gathers per thread.
const GATHERS_PER_THREAD: usize = 1 << 23;
/// Bytes that a thread reads or fills, far more than the size of the caches.
const STREAM_BYTES: usize = 1 << 28;
/// Number of repetitions, of which the fastest counts.
const REPETITIONS: usize = 5;

/// Returns the seconds of `work` when `threads` threads run it at once, each on its own data from `make`. The
/// minimum of several repetitions of each thread, and the maximum over the threads.
fn time_on_threads<T>(threads: usize, make: impl Fn(usize) -> T + Sync, work: impl Fn(&mut T) + Sync) -> f64 {
    let barrier = Barrier::new(threads);
    let least = |thread: usize| {
        let mut own = make(thread);
        (0..REPETITIONS)
            .map(|_| {
                barrier.wait();
                let began = Instant::now();
                work(&mut own);
                barrier.wait();
                began.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min)
    };
    std::thread::scope(|scope| {
        let least = &least;
        let runs: Vec<_> = (0..threads).map(|thread| scope.spawn(move || least(thread))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).fold(0.0, f64::max)
    })
}

/// Returns the wrapping sum of the table entries at the indices, one by one.
fn gather_scalar(table: &[u32], places: &[u32]) -> u32 {
    let mut sums = [0u32; 8];
    for eight in places.chunks_exact(8) {
        for (sum, &place) in sums.iter_mut().zip(eight) {
            *sum = sum.wrapping_add(table[place as usize]);
        }
    }
    sums.iter().fold(0, |sum, &one| sum.wrapping_add(one))
}

/// Returns the same sum as [`gather_scalar`], with eight gathers at a time.
///
/// # Safety
/// The processor must support AVX2, and all indices must be less than the length of the table.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn gather_avx2(table: &[u32], places: &[u32]) -> u32 {
    use std::arch::x86_64::*;
    let mut sums = [_mm256_setzero_si256(); 4];
    for places in places.chunks_exact(32) {
        for (sum, eight) in sums.iter_mut().zip(places.chunks_exact(8)) {
            // SAFETY: eight numbers are read, and by the contract of this function all indices are within the
            // table.
            let found = unsafe {
                let at = _mm256_loadu_si256(eight.as_ptr().cast());
                _mm256_i32gather_epi32::<4>(table.as_ptr().cast(), at)
            };
            *sum = _mm256_add_epi32(*sum, found);
        }
    }
    let mut all = 0u32;
    for sum in sums {
        let mut lanes = [0u32; 8];
        // SAFETY: eight numbers are written.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sum) };
        all = lanes.iter().fold(all, |all, &lane| all.wrapping_add(lane));
    }
    all
}

/// A kernel that returns the wrapping sum of the table entries at some indices. All indices must be less than
/// the length of the table.
type GatherKernel = unsafe fn(&[u32], &[u32]) -> u32;

/// Returns the kernels that this processor supports.
fn available_kernels() -> Vec<GatherKernel> {
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
    let mut ways: Vec<GatherKernel> = vec![gather_scalar];
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        ways.push(gather_avx2);
    }
    ways
}

/// Returns the billions of gathers per second of all threads together from a table of `bytes` bytes.
fn gather_rate(threads: usize, bytes: usize) -> f64 {
    let len = bytes / 4;
    let make = |thread: usize| {
        let table: Vec<u32> = (0..len as u32).map(|place| place.wrapping_mul(0x9E37_79B1)).collect();
        let mut state = thread as u64 + 1;
        let places: Vec<u32> = (0..indices_per_round(bytes))
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as u32 % len as u32
            })
            .collect();
        let sum = places.iter().fold(0u32, |sum, &place| sum.wrapping_add(place.wrapping_mul(0x9E37_79B1)));
        (table, places, sum)
    };
    let rounds = GATHERS_PER_THREAD / indices_per_round(bytes);
    let each = available_kernels().into_iter().map(|way| {
        time_on_threads(threads, make, |(table, places, sum)| {
            for _ in 0..rounds {
                // SAFETY: the processor supports the kernel, and all indices are less than the length of
                // their table.
                let found = unsafe { way(black_box(table), black_box(places)) };
                assert_eq!(found, *sum);
            }
        })
    });
    (threads * GATHERS_PER_THREAD) as f64 / each.fold(f64::INFINITY, f64::min) / 1e9
}

/// Returns the GB/s that all threads together read, and that they fill.
fn stream_rates(threads: usize) -> (f64, f64) {
    let make = |_| vec![1u64; STREAM_BYTES / 8];
    let read = time_on_threads(threads, make, |words| {
        let mut sums = [0u64; 16];
        for some in words.chunks_exact(16) {
            for (sum, word) in sums.iter_mut().zip(some) {
                *sum += word;
            }
        }
        assert_eq!(sums.iter().sum::<u64>() as usize, STREAM_BYTES / 8);
    });
    let filled = time_on_threads(threads, make, |words| black_box(words).fill(1));
    let bytes = (threads * STREAM_BYTES) as f64 / 1e9;
    (bytes / read, bytes / filled)
}

fn main() {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let mut runs: Vec<String> = Vec::new();
    for threads in if all == 1 { vec![1] } else { vec![1, all] } {
        let gathered: Vec<String> = TABLE_BYTES
            .iter()
            .map(|&(name, bytes)| format!("\"{name}\":{:.3}", gather_rate(threads, bytes)))
            .collect();
        let (read, filled) = stream_rates(threads);
        runs.push(format!(
            "{{\"threads\":{threads},\"gathered\":{{{}}},\"read\":{read:.2},\"filled\":{filled:.2}}}",
            gathered.join(",")
        ));
    }
    println!("{{\"ceiling\":[{}]}}", runs.join(","));
}
