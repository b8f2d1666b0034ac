//! A number without a unit is a size in bytes, or a duration in seconds.

use std::time::Duration;

/// Parses `90`, `90s`, `5m`, `2h` or `1d`.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
