//! What an index of all tours takes, said before it is made; what has no room, or nobody would wait for, is refused.

use std::path::Path;

use super::human::{bytes, threads, time};
use super::run::{FORCE, MINUTE};
use crate::report::tell;
use ktour::batch::Folder;
use ktour::index::{Demand, Lack};
use ktour::words::YEAR;

/// What is wanted of an index, and what there is for it.
pub struct Wanted<'a> {
    /// What it is of.
    pub name: String,
    /// Bytes of memory that may be used.
    pub memory: Option<u64>,
    /// The folder that it goes to, and the bytes that are free there, if that is known.
    pub folder: Option<(&'a Path, Option<u64>)>,
    /// Whether exact statistics are wanted of it.
    pub wants_statistics: bool,
    /// Whether it is to be made in any case.
    pub is_forced: bool,
}

impl Wanted<'_> {
    /// Says what it takes if that is long, or why it is not begun.
    pub fn agree(&self, demand: &Demand) -> Result<(), String> {
        let Self { name, memory, folder, wants_statistics, is_forced } = self;
        let threads = threads(rayon::current_num_threads());
        if !is_forced {
            if demand.seconds > YEAR {
                let (time, memory) = (time(demand.seconds), bytes(demand.memory));
                return Err(format!(
                    "{name}: an index would take about {time} on {threads} and {memory}: take a smaller \
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
                    "{name}: exact statistics need about {} of memory, and {} may be used: raise --memory, or add \
                     --without-index, which takes longer; {FORCE}",
                    bytes(needed),
                    bytes(may)
                ));
            }
        }
        if demand.seconds >= MINUTE {
            let (time, kept) = (time(demand.seconds), bytes(demand.bytes));
            let place = folder.map_or("memory".to_owned(), |(dir, _)| dir.display().to_string());
            tell(format_args!("{name}: an index of about {kept} in {place}, about {time} on {threads}"));
        }
        Ok(())
    }

    fn refusal(&self, demand: &Demand, lack: Lack) -> String {
        let Self { name, memory, folder, wants_statistics, .. } = self;
        let without = if *wants_statistics { ", add --without-index" } else { "" };
        match lack {
            Lack::Disk(needed, free) => format!(
                "{name}: an index needs about {} on the disk beside {} of memory, and {} has {} to spare: raise \
                 --memory, name a folder on a disk with more room{without}, or take a smaller BOARD; {FORCE}",
                bytes(needed),
                bytes(memory.unwrap_or(0)),
                folder.map_or(String::new(), |(dir, _)| dir.display().to_string()),
                bytes(free)
            ),
            Lack::Tables(needed, may) => format!(
                "{name}: an index needs about {} of memory for its tables alone, and {} may be used: raise \
                 --memory{without}, or take a smaller BOARD; {FORCE}",
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
                        format!("name a folder by --index DIR, which takes about {}, ", bytes(demand.bytes))
                    }
                    Some(Lack::Disk(needed, _)) => {
                        format!("name a folder by --index DIR on a disk with {} to spare, ", bytes(needed))
                    }
                    Some(_) => String::new(),
                };
                if *wants_statistics {
                    ways += "add --without-index, ";
                }
                ways += if ways.is_empty() { "" } else { "or " };
                format!(
                    "{name}: an index needs about {} of memory, and {} may be used: {ways}take a smaller BOARD; {FORCE}",
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
        assert!(refused.contains("--index DIR, which takes about") && refused.ends_with(FORCE), "{refused}");
        assert_eq!(said(600 << 20, None, false, true), Ok(()));
        let refused = said(600 << 20, Some(Some(1 << 20)), false, false).unwrap_err();
        assert!(refused.contains("chess has 1.00 MiB to spare"), "{refused}");
        let refused = said(8 << 20, Some(None), true, false).unwrap_err();
        assert!(refused.contains("for its tables alone") && refused.contains("--without-index"), "{refused}");
        let refused = said(300 << 20, Some(None), true, false).unwrap_err();
        assert!(refused.contains("exact statistics need about"), "{refused}");
        // What cannot help is not advised.
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
