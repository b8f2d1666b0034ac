//! Checks that no two options of a command name the same file, even through links.

use std::fs;
use std::path::{Path, PathBuf};

use super::failure::CliError;
use ktour::batch::{parent_folder, resolve_links, with_suffix};

/// The identity of a file, equal for all of its names.
#[derive(Debug, PartialEq, Eq)]
enum FileIdentity {
    /// Device and inode of an existing file, shared by its hard links.
    #[cfg(unix)]
    Inode(u64, u64),
    /// Absolute path of a file without such numbers, or of a file yet to be created.
    Path(PathBuf),
}

/// Rejects two options that name the same file. Standard output, devices and pipes are not files.
pub fn check_distinct_files(options: &[(&str, Option<&Path>)]) -> Result<(), CliError> {
    let mut seen: Vec<(&str, FileIdentity)> = Vec::new();
    for &(option, path) in options {
        let Some(path) = path else { continue };
        if path == Path::new("-") {
            continue;
        }
        // A checkpoint also has `.previous` and `.lock` files.
        let suffixes = if option == "--checkpoint" { &["", ".previous", ".lock"][..] } else { &[""] };
        for suffix in suffixes {
            let Some(identity) = file_identity(&with_suffix(path, suffix)) else { continue };
            if let Some((other, _)) =
                seen.iter().find(|(other, found)| *other != option && *found == identity)
            {
                return Err(CliError::usage(format!(
                    "{other} and {option} name the same file, {}; use different files",
                    path.display()
                )));
            }
            seen.push((option, identity));
        }
    }
    Ok(())
}

fn file_identity(path: &Path) -> Option<FileIdentity> {
    let path = resolve_links(path);
    match fs::metadata(&path) {
        Ok(found) if !found.is_file() => None,
        #[cfg(unix)]
        Ok(found) => {
            use std::os::unix::fs::MetadataExt;
            Some(FileIdentity::Inode(found.dev(), found.ino()))
        }
        #[cfg(not(unix))]
        Ok(_) => fs::canonicalize(&path).ok().map(FileIdentity::Path),
        Err(_) => {
            // A missing folder is reported when the file is opened.
            let folder = fs::canonicalize(parent_folder(&path)).ok()?;
            Some(FileIdentity::Path(folder.join(path.file_name()?)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_distinct_files_follows_links() {
        let dir = tempfile::tempdir().unwrap();
        let path_of = |name: &str| dir.path().join(name);
        fs::create_dir(path_of("sub")).unwrap();
        fs::write(path_of("there"), "").unwrap();
        fs::write(path_of("else"), "").unwrap();
        let same = |a: &str, b: &str| {
            check_distinct_files(&[
                ("--json", Some(&path_of(a))),
                ("--csv", None),
                ("--record", Some(&path_of(b))),
            ])
            .is_err()
        };
        assert!(same("new", "new") && same("new", "./new") && same("sub/../new", "new"));
        assert!(same("there", "sub/../there"));
        assert!(!same("there", "new") && !same("there", "else") && !same("new", "sub/new"));
        let out = Some(Path::new("-"));
        assert!(
            check_distinct_files(&[("--json", out), ("--csv", out)]).is_ok(),
            "standard output is not a file"
        );
        #[cfg(unix)]
        {
            fs::hard_link(path_of("there"), path_of("hard")).unwrap();
            std::os::unix::fs::symlink("new", path_of("soft")).unwrap();
            assert!(same("there", "hard") && same("soft", "new") && !same("soft", "there"));
            let null = Some(Path::new("/dev/null"));
            assert!(check_distinct_files(&[("--json", null), ("--csv", null)]).is_ok());
        }
    }

    #[test]
    fn check_distinct_files_includes_checkpoint_lock() {
        let dir = tempfile::tempdir().unwrap();
        let (run, lock) = (dir.path().join("run"), dir.path().join("run.lock"));
        let refused =
            check_distinct_files(&[("--json", Some(&lock)), ("--checkpoint", Some(&run))]).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("--json") && refused.contains("--checkpoint"), "{refused}");
        assert!(check_distinct_files(&[("--checkpoint", Some(&run))]).is_ok());
    }
}
