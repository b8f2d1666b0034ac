//! Sidecar files are named after a file: `FILE.previous`, `FILE.lock`, `FILE.sweep`.

use std::path::{Path, PathBuf};

/// Returns the path of a sidecar file: `suffix` is appended to the whole file name of `path`.
#[must_use]
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_suffix_appends_to_whole_name() {
        assert_eq!(with_suffix(Path::new("a/run.8x8"), ".lock"), Path::new("a/run.8x8.lock"));
    }
}
