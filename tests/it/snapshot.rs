//! Snapshots of wording: the exact text of messages and tables, in `tests/it/snapshots`.
//!
//! Tests assert behaviour in code: exit status, kind of error, option, value, numbers. A snapshot holds the
//! wording, and one command rewrites all of them: `INSTA_UPDATE=always cargo test --release --test it`.

use std::fmt::Write as _;

/// The texts of several cases, compared with one snapshot at the end.
#[derive(Default)]
pub struct Transcript(String);

impl Transcript {
    /// Appends a case and the text that belongs to it.
    pub fn add(&mut self, case: &str, text: &str) {
        writeln!(self.0, "> {case}\n{}\n", text.trim_end()).unwrap();
    }

    /// Compares all cases with the snapshot `name`.
    #[track_caller]
    pub fn assert_snapshot(&self, name: &str) {
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, self.0);
        });
    }

    /// Compares all cases with the golden values `name`, which the command for snapshots does not rewrite. To change
    /// a format on purpose, edit the file in `tests/it/snapshots`; the failing test writes its text next to it, as
    /// `NAME.txt.new`.
    #[track_caller]
    pub fn assert_golden(&self, name: &str) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots").join(name);
        let golden = std::fs::read_to_string(path.with_extension("txt")).unwrap_or_default();
        if golden != self.0 {
            std::fs::write(path.with_extension("txt.new"), &self.0).unwrap();
        }
        assert_eq!(self.0, golden, "{name}: a stored format has changed");
    }
}
