//! The text before an array in a program: its name, type, sizes, or a call.

/// Longest text before an array, in bytes.
const MAX_ARRAY_PREFIX_BYTES: usize = 256;

/// Returns the array of a line that assigns it to a name: `tour = [[1, 4], ...`, `int tour[3][4] = {{1, 4},
/// ...`.
pub(super) fn assigned_array(text: &[u8]) -> Option<&[u8]> {
    let at = text.iter().take(MAX_ARRAY_PREFIX_BYTES).position(|&b| b == b'=')?;
    let (name, array) = (&text[..at], text[at + 1..].trim_ascii_start());
    let names = |b: &u8| b.is_ascii_alphanumeric() || b"_[]<>:*. \t".contains(b);
    let is_name = name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(names);
    (is_name && (matches!(array.first(), Some(b'[' | b'{')) || is_tuple(array))).then_some(array)
}

/// Returns true if a line begins a tuple of tuples, or a tuple over several lines.
pub(super) fn is_tuple(text: &[u8]) -> bool {
    let inside = text.iter().position(|&b| b != b'(').unwrap_or(text.len());
    let is_cell = |b: &u8| b.is_ascii_digit() || matches!(b, b'"' | b'\'');
    text == b"(" || inside > 1 && text[inside..].trim_ascii_start().first().is_some_and(is_cell)
}

/// Returns the sizes in a declaration such as `int tour[3][4]`. `tours[0]` has no type before it and declares
/// no size.
pub(super) fn declared_sizes(text: &[u8]) -> Vec<usize> {
    let name = text.split(|&b| b == b'=').next().unwrap_or_default().trim_ascii();
    let at = name.iter().position(|&b| b == b'[').unwrap_or(name.len());
    if !name[..at].trim_ascii().contains(&b' ') {
        return Vec::new();
    }
    let sizes = name[at..].split(|&b| b == b'[' || b == b']').map(<[u8]>::trim_ascii);
    let sizes = sizes.filter_map(|size| std::str::from_utf8(size).ok()?.parse().ok());
    sizes.collect()
}

/// Returns the array argument of `array([[1, 4], ...` or `t = np.array(...`, the notation of numpy.
pub(super) fn call_argument(text: &[u8]) -> Option<&[u8]> {
    let at = text.iter().take(MAX_ARRAY_PREFIX_BYTES).position(|&b| b == b'(')?;
    let array = text[at + 1..].trim_ascii_start();
    let names = |b: &u8| b.is_ascii_alphanumeric() || b"_.= ".contains(b);
    let is_call = text[..at].ends_with(b"array") && text[..at].iter().all(names);
    (is_call && array.starts_with(b"[")).then_some(array)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigned_array_finds_array_after_name() {
        for (text, array) in [
            ("tour = [[1, 4],", Some("[[1, 4],")),
            ("const int t[3][4]={{1,4},", Some("{{1,4},")),
            ("let t: Vec<Vec<u32>> = [[1]]", Some("[[1]]")),
            ("tour = 3", None),
            ("= [1]", None),
            ("a1=b3", None),
        ] {
            assert_eq!(assigned_array(text.as_bytes()), array.map(str::as_bytes), "{text}");
        }
    }

    #[test]
    fn declared_sizes_reads_declarations() {
        for (text, sizes) in [
            ("int tour[3][4] = {", &[3, 4][..]),
            ("static const char *t[12]={", &[12]),
            ("tours[3] = [", &[]),
            ("int[][] tour = {", &[]),
        ] {
            assert_eq!(declared_sizes(text.as_bytes()), sizes, "{text}");
        }
        for (text, is_it) in
            [("((1, 4)", true), ("(", true), ("(('a1'", true), ("(1, 4)", false), ("((a1))", false)]
        {
            assert_eq!(is_tuple(text.as_bytes()), is_it, "{text}");
        }
    }
}
