//! Groups of arguments that several commands share, and the parsers of their values.

use std::ops::{Bound, RangeBounds};

use clap::Arg;
use num_traits::{Bounded, ToPrimitive};

pub(crate) mod board;
pub(crate) mod checkpoint_options;
pub(crate) mod choices;
pub(crate) mod count_options;
pub(crate) mod named_files;
pub(crate) mod output_options;
pub(crate) mod restrictions;
pub(crate) mod run_options;
pub(crate) mod seed;
pub(crate) mod tours;

/// Headings of the help, in their order. An option has the same heading in every command.
pub(crate) mod heading {
    pub const BOARD: &str = "Board and piece";
    pub const TOURS: &str = "Tours";
    pub const METHOD: &str = "Method";
    pub const PICTURE: &str = "Picture";
    pub const OUTPUT: &str = "Output";
    pub const LONG_RUNS: &str = "Long runs";
    pub const GENERAL: &str = "General";
}

/// Returns an option with a paragraph in its long help that says what the option is for in a command.
pub(crate) fn with_explanation(option: Arg, explanation: &str) -> Arg {
    let help = option.get_help().map(ToString::to_string).unwrap_or_default();
    option.long_help(format!("{help}\n\n{explanation}"))
}

/// Returns a parser of whole numbers in `range`, whose upper end is by default the maximum of the type.
pub(crate) fn number<T: TryFrom<u64> + Bounded + ToPrimitive>(
    range: impl RangeBounds<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync {
    let start = if let Bound::Included(&start) = range.start_bound() { start } else { 0 };
    let end = match range.end_bound() {
        Bound::Included(&end) => end,
        _ => T::max_value().to_u64().unwrap_or(u64::MAX),
    };
    move |text| {
        let number = text.parse().ok().filter(|number| (start..=end).contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            let number = text.parse::<i128>();
            let fault = if number.is_ok() { "out of range" } else { "not a whole number" };
            // The greatest number of all is named only to those who exceed it.
            if end == u64::MAX && number.map_or(true, |number| number < i128::from(end)) {
                return format!("{fault}; use a number from {start} on");
            }
            format!("{fault}; use a number from {start} to {end}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_errors_name_the_range() {
        let threads = number::<u16>(1..=1024);
        assert_eq!(threads("1024"), Ok(1024));
        for (text, fault) in [("0", "out of range"), ("1025", "out of range"), ("-1", "out of range")] {
            assert_eq!(threads(text), Err(format!("{fault}; use a number from 1 to 1024")), "{text}");
        }
        for text in ["", "x", "1.5", "1e3"] {
            assert!(threads(text).unwrap_err().starts_with("not a whole number; "), "{text}");
        }
        let seed = number::<u64>(0..);
        assert_eq!(seed("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(seed("-1").unwrap_err(), "out of range; use a number from 0 on");
        assert_eq!(seed("x").unwrap_err(), "not a whole number; use a number from 0 on");
        assert_eq!(
            seed("18446744073709551616").unwrap_err(),
            "out of range; use a number from 0 to 18446744073709551615"
        );
    }
}
