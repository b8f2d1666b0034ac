//! An ordinal number is written with its ending.

/// Returns `1st`, `2nd`, `3rd`, `4th`, ..
#[must_use]
pub fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinal_has_english_ending() {
        let all: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 22, 101].map(ordinal).into();
        assert_eq!(all.join(" "), "1st 2nd 3rd 4th 11th 12th 13th 22nd 101st");
    }
}
