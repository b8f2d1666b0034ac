//! Checks that no two options of a command name the same file, even through links.

use std::fs;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use ktour::batch::{behind_links, folder_of, with_suffix};

/// The identity of a file, equal for all of its names.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// Device and inode of an existing file, shared by its hard links.
    #[cfg(unix)]
    There(u64, u64),
    /// Absolute path of a file without such numbers, or of a file yet to be created.
    Path(PathBuf),
}

/// Rejects two options that name the same file. Standard output, devices and pipes are not files.
pub fn refuse_same(options: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let mut seen: Vec<(&str, Identity)> = Vec::new();
    for &(option, path) in options {
        let Some(path) = path else { continue };
        if path == Path::new("-") {
            continue;
        }
        // A checkpoint also has `.previous` and `.lock` files.
        let with = if option == "--checkpoint" { &["", ".previous", ".lock"][..] } else { &[""] };
        for suffix in with {
            let Some(identity) = identity(&with_suffix(path, suffix)) else { continue };
            if let Some((other, _)) =
                seen.iter().find(|(other, found)| *other != option && *found == identity)
            {
                return Err(Failure::usage(format!(
                    "{other} and {option} name the same file, {}; use different files",
                    path.display()
                )));
            }
            seen.push((option, identity));
        }
    }
    Ok(())
}

fn identity(path: &Path) -> Option<Identity> {
    let path = behind_links(path);
    match fs::metadata(&path) {
        Ok(found) if !found.is_file() => None,
        #[cfg(unix)]
        Ok(found) => {
            use std::os::unix::fs::MetadataExt;
            Some(Identity::There(found.dev(), found.ino()))
        }
        #[cfg(not(unix))]
        Ok(_) => fs::canonicalize(&path).ok().map(Identity::Path),
        Err(_) => {
            // A missing folder is reported when the file is opened.
            let folder = fs::canonicalize(folder_of(&path)).ok()?;
            Some(Identity::Path(folder.join(path.file_name()?)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_many_names() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("there"), "").unwrap();
        fs::write(at("else"), "").unwrap();
        let same = |a: &str, b: &str| {
            refuse_same(&[("--json", Some(&at(a))), ("--csv", None), ("--record", Some(&at(b)))]).is_err()
        };
        assert!(same("new", "new") && same("new", "./new") && same("sub/../new", "new"));
        assert!(same("there", "sub/../there"));
        assert!(!same("there", "new") && !same("there", "else") && !same("new", "sub/new"));
        let out = Some(Path::new("-"));
        assert!(refuse_same(&[("--json", out), ("--csv", out)]).is_ok(), "standard output is not a file");
        #[cfg(unix)]
        {
            fs::hard_link(at("there"), at("hard")).unwrap();
            std::os::unix::fs::symlink("new", at("soft")).unwrap();
            assert!(same("there", "hard") && same("soft", "new") && !same("soft", "there"));
            let null = Some(Path::new("/dev/null"));
            assert!(refuse_same(&[("--json", null), ("--csv", null)]).is_ok());
        }
    }

    #[test]
    fn a_checkpoint_has_companions() {
        let dir = tempfile::tempdir().unwrap();
        let (run, lock) = (dir.path().join("run"), dir.path().join("run.lock"));
        let refused = refuse_same(&[("--json", Some(&lock)), ("--checkpoint", Some(&run))]).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("--json") && refused.contains("--checkpoint"), "{refused}");
        assert!(refuse_same(&[("--checkpoint", Some(&run))]).is_ok());
    }
}
