//! What all checkpoint files have in common: five lines, one of them a digest of the others.
//!
//! ```text
//! ktour checkpoint 3                   what it is, and the version of its form
//! job ...                              what is done
//! saved ...                            when, and how much of it
//! sha256 5f3c...                       of the lines above and below
//! {...}                                the rest, as JSON
//! ```

use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::{CheckpointError, FAMILY, HEAD};
use crate::digest;
use crate::frontier::Snapshot;

/// First lines of all kinds of checkpoints.
const HEADS: [&str; 2] = [HEAD, FAMILY];

/// What is kept in a checkpoint file.
pub trait Saved: Sized {
    /// The first line.
    const HEAD: &'static str;

    /// Reads what [`Saved::to_text`] has written, at `path` or where it came from.
    ///
    /// # Errors
    /// It is damaged, or of another version.
    fn parse(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError>;

    /// The form in which it is saved.
    fn to_text(&self) -> String;

    /// The sweep at rest whose layers lie beside the file, if there is one.
    fn snapshot(&self) -> Option<&Snapshot>;
}

/// The lines of a checkpoint file, without their first words.
pub struct Frame {
    /// What is done.
    pub job: String,
    /// When it was saved, and how much of it was done.
    pub saved: String,
    /// The rest.
    pub body: String,
}

impl Frame {
    /// Reads the lines below a head.
    ///
    /// # Errors
    /// It is damaged, or of another version.
    pub fn parse(bytes: &[u8], head: &str, path: &Path) -> Result<Self, CheckpointError> {
        let damaged = |what: &str| CheckpointError::Damaged { path: path.to_owned(), what: what.to_owned() };
        let first = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
        if first.strip_suffix(b"\r") == Some(head.as_bytes()) {
            return Err(damaged("its lines end in CR LF, which is not how they were saved"));
        }
        if first != head.as_bytes() {
            // A first line that is nearly ours is damage, one of another version or program is not.
            if !HEADS.iter().any(|head| Self::begins_in(first, head)) {
                return Err(damaged("it does not begin as a checkpoint does"));
            }
            let found = String::from_utf8_lossy(&first[..first.len().min(80)]).into_owned();
            return Err(CheckpointError::Format { path: path.to_owned(), head: found });
        }
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is not text"))?;
        let mut lines = text.splitn(5, '\n');
        let mut line = || lines.next().ok_or_else(|| damaged("it is cut short"));
        let (head, job, saved, digest, body) = (line()?, line()?, line()?, line()?, line()?);
        let digest = digest.strip_prefix("sha256 ").ok_or_else(|| damaged("its digest is missing"))?;
        if digest != digest_of([head, job, saved, body]) {
            return Err(damaged("its digest does not match"));
        }
        let job = job.strip_prefix("job ").ok_or_else(|| damaged("its job is missing"))?;
        let saved = saved.strip_prefix("saved ").ok_or_else(|| damaged("its time is missing"))?;
        Ok(Self { job: job.to_owned(), saved: saved.to_owned(), body: body.to_owned() })
    }

    /// The lines below a head.
    pub fn to_text(&self, head: &str) -> String {
        let (job, saved, body) =
            (format!("job {}", self.job), format!("saved {}", self.saved), format!("{}\n", self.body));
        let digest = digest_of([head, &job, &saved, &body]);
        format!("{head}\n{job}\n{saved}\nsha256 {digest}\n{body}")
    }

    /// Whether bytes begin as files with this head do, of any version.
    pub fn begins_in(bytes: &[u8], head: &str) -> bool {
        let version = head.rfind(' ').map_or(head.len(), |at| at + 1);
        bytes.starts_with(&head.as_bytes()[..version])
    }
}

fn digest_of(parts: [&str; 4]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
        hash.update("\n");
    }
    digest::hex(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_back_and_heads_told_apart() {
        let frame = Frame { job: "a=1".into(), saved: "now".into(), body: "{}".into() };
        let text = frame.to_text("ktour family 2");
        let back = Frame::parse(text.as_bytes(), "ktour family 2", Path::new("f")).unwrap();
        assert_eq!((back.job.as_str(), back.saved.as_str(), back.body.as_str()), ("a=1", "now", "{}\n"));
        let read = |head| Frame::parse(text.as_bytes(), head, Path::new("f")).err();
        assert!(matches!(read("ktour family 3"), Some(CheckpointError::Format { .. })));
        assert!(matches!(read("ktour checkpoint 3"), Some(CheckpointError::Format { .. })));
    }
}
