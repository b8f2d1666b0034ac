//! Sizes of memory and durations: parsing of arguments, and formatting as text.
//!
//! A number without a unit is a size in bytes, or a duration in seconds.

use std::time::Duration;

use indicatif::HumanDuration;
use ktour::frontier::{PhaseKind, Snapshot};
use ktour::memory::parse_size;
use ktour::text_format;

/// Smallest size in bytes that is accepted. Every run needs more memory.
const MIN_MEMORY_BYTES: u64 = 1 << 20;

/// Parses a size in bytes, such as `8G`.
///
/// # Errors
/// The text is not a size, or it is so small that the unit was probably forgotten.
pub fn parse_memory_size(text: &str) -> Result<u64, String> {
    let bytes = parse_size(text).map_err(|error| error.to_string())?;
    if bytes >= MIN_MEMORY_BYTES {
        return Ok(bytes);
    }
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = if bytes == 1 { "byte" } else { "bytes" };
    Err(format!(
        "`{text}` is {bytes} {unit}, less than any run needs; write a unit, such as {number}G or {number}M"
    ))
}

/// Parses a duration such as `90`, `90s`, `5m`, `2h` or `1d`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let bad = || {
        format!(
            "`{text}` is not a duration; write seconds, or a number with s, m, h or d, such as \
        2m"
        )
    };
    let (number, unit) = match text.strip_suffix(|c: char| c.is_ascii_alphabetic()) {
        Some(number) => (number, &text[number.len()..]),
        None => (text, "s"),
    };
    let number: f64 = number.parse().map_err(|_| bad())?;
    let scale = match unit {
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return Err(bad()),
    };
    Duration::try_from_secs_f64(number * scale).map_err(|_| bad())
}

/// Parses the time between two checkpoints: 0.01 seconds to one day.
pub fn parse_checkpoint_interval(text: &str) -> Result<Duration, String> {
    let time = parse_duration(text)?;
    if (Duration::from_millis(10)..=Duration::from_secs(86400)).contains(&time) {
        Ok(time)
    } else {
        Err(format!("`{text}` is out of range; write 0.01s to 1d"))
    }
}

pub use ktour::memory::format_size;

/// Returns the number of threads of the process, such as `4 threads`.
pub fn all_threads() -> String {
    text_format::format_threads(rayon::current_num_threads())
}

/// Formats a number of seconds as words, such as `5 minutes`.
pub fn format_seconds(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{:.0} ms", (seconds * 1000.0).max(1.0))
    } else if seconds < text_format::YEAR_SECONDS {
        HumanDuration(Duration::from_secs_f64(seconds)).to_string()
    } else {
        text_format::format_years(seconds)
    }
}

/// Formats a number of bytes with a unit, such as `1.20 GiB`.
pub fn format_bytes(bytes: u64) -> String {
    if bytes == u64::MAX {
        "more than any machine has".to_owned()
    } else {
        ktour::memory::format_bytes(bytes)
    }
}

/// Returns the progress of a suspended sweep, such as `12 of 64 steps`.
pub fn format_sweep_progress(snapshot: &Snapshot) -> String {
    let steps = text_format::format_count(snapshot.step as u64, "step");
    match snapshot.phase {
        PhaseKind::Whole => format!("{} of {} steps", snapshot.step, snapshot.order.len()),
        // The total of a sweep from both ends is unknown until it is planned again.
        _ => format!("{steps}, from both ends"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_memory_size_requires_plausible_unit() {
        assert_eq!(
            (parse_memory_size("8G"), parse_memory_size("1M"), parse_memory_size("5000000")),
            (Ok(8 << 30), Ok(1 << 20), Ok(5_000_000))
        );
        let too_small = parse_memory_size("5").unwrap_err();
        assert!(["`5`", "5 bytes", "5G", "5M"].iter().all(|part| too_small.contains(part)), "{too_small}");
        assert!(parse_memory_size("5k").unwrap_err().contains("5G") && parse_memory_size("x").is_err());
    }
    #[test]
    fn format_size_never_rounds_down() {
        let typed = [1, 8 << 30, (8 << 30) + 1, (20 << 30) + 1].map(format_size);
        assert_eq!(typed, ["1M", "8G", "8193M", "21G"]);
        assert!(parse_memory_size(&typed[2]).is_ok_and(|bytes| bytes > 8 << 30));
    }

    #[test]
    fn parse_duration_accepts_units() {
        for (text, seconds) in [("90", 90.0), ("90s", 90.0), ("1.5m", 90.0), ("2h", 7200.0), ("1d", 86400.0)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
        for bad in ["", "s", "x", "-1", "1y", "1 s", "inf", "nan"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn parse_checkpoint_interval_has_bounds() {
        assert_eq!(parse_checkpoint_interval("0.05"), Ok(Duration::from_millis(50)));
        assert_eq!(parse_checkpoint_interval("1d"), Ok(Duration::from_secs(86400)));
        for bad in ["0", "0.001", "2d", "x"] {
            assert!(parse_checkpoint_interval(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_and_sizes_have_fitting_units() {
        let printed =
            [0.0123, 45.0, 7200.0, 1.5 * text_format::YEAR_SECONDS, f64::INFINITY].map(format_seconds);
        assert_eq!(printed, ["12 ms", "45 seconds", "2 hours", "78 weeks", "no end of time"]);
        assert_eq!(
            (format_bytes(1536), format_bytes(u64::MAX)),
            ("1.50 KiB".to_owned(), "more than any machine has".to_owned())
        );
    }
}
