//! Times, sizes and progress as text.

use std::time::Duration;

use indicatif::{HumanBytes, HumanDuration};
use ktour::frontier::Snapshot;
use ktour::text_format;
pub use ktour::text_format::format_threads;

/// Formats seconds as words, with at most two significant figures.
pub fn format_seconds(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1000.0)
    } else if seconds < text_format::YEAR_SECONDS {
        HumanDuration(Duration::from_secs_f64(seconds)).to_string()
    } else {
        text_format::format_years(seconds)
    }
}

/// Formats bytes with a unit.
pub fn format_bytes(bytes: u64) -> String {
    if bytes == u64::MAX { "more than any machine has".to_owned() } else { HumanBytes(bytes).to_string() }
}

/// Returns the progress of a suspended sweep, such as `12 of 64 steps`.
pub fn format_sweep_progress(snapshot: &Snapshot) -> String {
    let steps = text_format::format_count(snapshot.step as u64, "step");
    match snapshot.meets {
        // The total of a sweep from both ends is unknown until it is planned again.
        Some(_) => format!("{steps}, from both ends"),
        None => format!("{} of {} steps", snapshot.step, snapshot.order.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_fitting_units() {
        let told = [0.0123, 45.0, 7200.0, 1.5 * text_format::YEAR_SECONDS, f64::INFINITY].map(format_seconds);
        assert_eq!(told, ["12 ms", "45 seconds", "2 hours", "78 weeks", "no end of time"]);
        assert_eq!(
            (format_bytes(1536), format_bytes(u64::MAX)),
            ("1.50 KiB".to_owned(), "more than any machine has".to_owned())
        );
    }
}
