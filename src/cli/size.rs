//! Sizes of memory as a user writes them.

/// Reads bytes, or a number with K, M, G or T (powers of 1024; `8G`, `8GiB` and `8GB` are the same).
pub fn parse(text: &str) -> Result<u64, String> {
    let bad = || format!("`{text}` is not a size: write a number with K, M, G or T, such as 8G");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| bad())?;
    let unit = unit.to_ascii_uppercase();
    let power = match unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(&unit) {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return Err(bad()),
    };
    let bytes = number * 1024f64.powi(power);
    if bytes >= 1.0 && bytes < 2f64.powi(60) { Ok(bytes as u64) } else { Err(bad()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in
            [("4096", 4096), ("1k", 1024), ("300M", 300 << 20), ("1.5GiB", 3 << 29), ("2TB", 2 << 40)]
        {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for bad in ["", "G", "0", "-1G", "1X", "1e3", "1.2.3G", "9999999T"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
