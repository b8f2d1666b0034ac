//! The admission check of an index of all tours: prints its estimate before it is built, and refuses an index
//! that does not fit or would take more than a year.

use std::path::Path;

use super::human::{bytes, threads, time};
use super::run::{FORCE, MINUTE};
use crate::report::tell;
use ktour::batch::Folder;
use ktour::index::{Demand, Lack};
use ktour::words::YEAR;

/// Purpose and limits of an index.
pub struct Wanted<'a> {
    /// Title of its tours.
    pub name: String,
    /// Memory limit in bytes.
    pub memory: Option<u64>,
    /// Folder of the index, and its free bytes if known.
    pub folder: Option<(&'a Path, Option<u64>)>,
    /// True if exact statistics are to be computed from the index.
    pub wants_statistics: bool,
    /// True if the index is built in any case (`--force`).
    pub is_forced: bool,
}

impl Wanted<'_> {
    /// Prints the estimate of a long build.
    ///
    /// # Errors
    /// The refusal of an index that does not fit, as a message with remedies.
    pub fn agree(&self, demand: &Demand) -> Result<(), String> {
        let Self { name, memory, folder, wants_statistics, is_forced } = self;
        let threads = threads(rayon::current_num_threads());
        if !is_forced {
            if demand.seconds > YEAR {
                let (time, memory) = (time(demand.seconds), bytes(demand.memory));
                return Err(format!(
                    "{name}: an index would take about {time} on {threads} and {memory} of memory; use a smaller \
                     BOARD; {FORCE}"
                ));
            }
            if let Some(lack) = demand.lacks(*memory, folder.map(|(_, free)| free)) {
                return Err(self.refusal(demand, lack));
            }
            if let Some(Lack::Memory(needed, may)) =
                demand.statistics_lack(*memory).filter(|_| *wants_statistics)
            {
                return Err(format!(
                    "{name}: exact statistics need about {} of memory, {} may be used; raise --memory, or add \
                     --without-index, which takes longer; {FORCE}",
                    bytes(needed),
                    bytes(may)
                ));
            }
        }
        if demand.seconds >= MINUTE {
            let (time, kept) = (time(demand.seconds), bytes(demand.bytes));
            let place = folder.map_or("memory".to_owned(), |(dir, _)| dir.display().to_string());
            tell(format_args!(
                "{name}: building an index of about {kept} in {place}, about {time} on {threads}"
            ));
        }
        Ok(())
    }

    fn refusal(&self, demand: &Demand, lack: Lack) -> String {
        let Self { name, memory, folder, wants_statistics, .. } = self;
        let without = if *wants_statistics { ", add --without-index" } else { "" };
        match lack {
            Lack::Disk(needed, free) => format!(
                "{name}: an index needs about {} of disk with {} of memory, and {} has {} free; raise --memory, give \
                 --index a folder on a larger disk{without}, or use a smaller BOARD; {FORCE}",
                bytes(needed),
                bytes(memory.unwrap_or(0)),
                folder.map_or(String::new(), |(dir, _)| dir.display().to_string()),
                bytes(free)
            ),
            Lack::Tables(needed, may) => format!(
                "{name}: the tables of an index alone need about {} of memory, {} may be used; raise \
                 --memory{without}, or use a smaller BOARD; {FORCE}",
                bytes(needed),
                bytes(may)
            ),
            Lack::Memory(needed, may) => {
                let mut ways = String::new();
                if ktour::memory::ceiling().is_none_or(|most| needed <= most) {
                    ways += "raise --memory, ";
                }
                let free = Folder::spare(Path::new(".")).ok();
                ways += &match demand.lacks(Some(may), Some(free)) {
                    None => {
                        format!("add --index DIR, which needs about {} of disk, ", bytes(demand.bytes))
                    }
                    Some(Lack::Disk(needed, _)) => {
                        format!("add --index DIR on a disk with {} free, ", bytes(needed))
                    }
                    Some(_) => String::new(),
                };
                if *wants_statistics {
                    ways += "add --without-index, ";
                }
                ways += if ways.is_empty() { "" } else { "or " };
                format!(
                    "{name}: an index needs about {} of memory, {} may be used; {ways}use a smaller BOARD; {FORCE}",
                    bytes(needed),
                    bytes(may)
                )
            }
            _ => lack.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::control::Control;
    use ktour::index::{Index, Numbered};
    use ktour::tour::Kind;

    #[test]
    fn what_has_no_room_is_refused_with_what_helps() {
        let numbered = Numbered::new("8x8".parse().unwrap(), Kind::Closed);
        let demand = Index::demand(&numbered, None, 0.0, &Control::new()).unwrap().unwrap();
        let said = |memory: u64, folder: Option<Option<u64>>, wants_statistics, is_forced| {
            let folder = folder.map(|free| (Path::new("chess"), free));
            let name = "8x8 closed".to_owned();
            Wanted { name, memory: Some(memory), folder, wants_statistics, is_forced }.agree(&demand)
        };
        assert_eq!(said(16 << 30, None, true, false), Ok(()));
        let refused = said(600 << 20, None, false, false).unwrap_err();
        assert!(refused.contains("--index DIR, ") && refused.ends_with(FORCE), "{refused}");
        assert_eq!(said(600 << 20, None, false, true), Ok(()));
        let refused = said(600 << 20, Some(Some(1 << 20)), false, false).unwrap_err();
        assert!(refused.contains("chess") && refused.contains("1.00 MiB"), "{refused}");
        let refused = said(8 << 20, Some(None), true, false).unwrap_err();
        assert!(refused.contains("tables") && refused.contains("--without-index"), "{refused}");
        let refused = said(300 << 20, Some(None), true, false).unwrap_err();
        assert!(refused.contains("exact statistics") && refused.contains("300.00 MiB"), "{refused}");
        // The refusal does not advise a folder on a disk that is too small.
        let numbered = Numbered::new("10x10".parse().unwrap(), Kind::Closed);
        let demand = Index::demand(&numbered, None, 0.0, &Control::new()).unwrap().unwrap();
        let name = "10x10 closed".to_owned();
        let wanted =
            Wanted { name, memory: Some(8 << 30), folder: None, wants_statistics: false, is_forced: false };
        let refused = wanted.agree(&demand).unwrap_err();
        let has_room = Folder::spare(Path::new(".")).is_ok_and(|free| free > 10 << 40);
        assert!(has_room || refused.contains("--index DIR on a disk with "), "{refused}");
    }
}
