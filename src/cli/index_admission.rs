//! The admission check of an index of all tours: prints its estimate before it is built, and refuses an index
//! that does not fit or would take more than a year.

use std::path::Path;

use super::format_units::{format_bytes, format_seconds, format_threads};
use super::run::{FORCE_HINT, NOTICE_SECONDS};
use crate::report::print_notice;
use ktour::batch::SpillDir;
use ktour::index::{IndexEstimate, Shortfall};
use ktour::text_format::YEAR_SECONDS;

/// Purpose and limits of an index.
pub struct IndexAdmission<'a> {
    /// Title of its tours.
    pub name: String,
    /// Memory limit in bytes.
    pub memory_limit: Option<u64>,
    /// Folder of the index, and its free bytes if known.
    pub folder: Option<(&'a Path, Option<u64>)>,
    /// True if exact statistics are to be computed from the index.
    pub needs_statistics: bool,
    /// True if the index is built in any case (`--force`).
    pub is_forced: bool,
}

impl IndexAdmission<'_> {
    /// Prints the estimate of a long build.
    ///
    /// # Errors
    /// The refusal of an index that does not fit, as a message with remedies.
    pub fn check(&self, demand: &IndexEstimate) -> Result<(), String> {
        let Self { name, memory_limit: memory, folder, needs_statistics: wants_statistics, is_forced } = self;
        let threads = format_threads(rayon::current_num_threads());
        if !is_forced {
            if demand.seconds > YEAR_SECONDS {
                let (time, memory) = (format_seconds(demand.seconds), format_bytes(demand.memory_bytes));
                return Err(format!(
                    "{name}: an index would take about {time} on {threads} and {memory} of memory; use a smaller \
                     BOARD; {FORCE_HINT}"
                ));
            }
            if let Some(lack) = demand.shortfall(*memory, folder.map(|(_, free)| free)) {
                return Err(self.refusal_message(demand, lack));
            }
            if let Some(Shortfall::Memory(needed, may)) =
                demand.statistics_shortfall(*memory).filter(|_| *wants_statistics)
            {
                return Err(format!(
                    "{name}: exact statistics need about {} of memory, {} may be used; raise --memory, or add \
                     --without-index, which takes longer; {FORCE_HINT}",
                    format_bytes(needed),
                    format_bytes(may)
                ));
            }
        }
        if demand.seconds >= NOTICE_SECONDS {
            let (time, index_bytes) = (format_seconds(demand.seconds), format_bytes(demand.layer_bytes));
            let place = folder.map_or("memory".to_owned(), |(dir, _)| dir.display().to_string());
            print_notice(format_args!(
                "{name}: building an index of about {index_bytes} in {place}, about {time} on {threads}"
            ));
        }
        Ok(())
    }

    fn refusal_message(&self, demand: &IndexEstimate, lack: Shortfall) -> String {
        let Self { name, memory_limit: memory, folder, needs_statistics: wants_statistics, .. } = self;
        let without_index = if *wants_statistics { ", add --without-index" } else { "" };
        match lack {
            Shortfall::Disk(needed, free) => format!(
                "{name}: an index needs about {} of disk with {} of memory, and {} has {} free; raise --memory, give \
                 --index a folder on a larger disk{without_index}, or use a smaller BOARD; {FORCE_HINT}",
                format_bytes(needed),
                format_bytes(memory.unwrap_or(0)),
                folder.map_or(String::new(), |(dir, _)| dir.display().to_string()),
                format_bytes(free)
            ),
            Shortfall::Tables(needed, may) => format!(
                "{name}: the tables of an index alone need about {} of memory, {} may be used; raise \
                 --memory{without_index}, or use a smaller BOARD; {FORCE_HINT}",
                format_bytes(needed),
                format_bytes(may)
            ),
            Shortfall::Memory(needed, may) => {
                let mut remedies = String::new();
                if ktour::memory::default_limit_bytes().is_none_or(|most| needed <= most) {
                    remedies += "raise --memory, ";
                }
                let free = SpillDir::free_bytes_at(Path::new(".")).ok();
                remedies += &match demand.shortfall(Some(may), Some(free)) {
                    None => {
                        format!(
                            "add --index DIR, which needs about {} of disk, ",
                            format_bytes(demand.layer_bytes)
                        )
                    }
                    Some(Shortfall::Disk(needed, _)) => {
                        format!("add --index DIR on a disk with {} free, ", format_bytes(needed))
                    }
                    Some(_) => String::new(),
                };
                if *wants_statistics {
                    remedies += "add --without-index, ";
                }
                remedies += if remedies.is_empty() { "" } else { "or " };
                format!(
                    "{name}: an index needs about {} of memory, {} may be used; {remedies}use a smaller BOARD; {FORCE_HINT}",
                    format_bytes(needed),
                    format_bytes(may)
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
    use ktour::index::{Index, TourSet};
    use ktour::tour::Kind;

    #[test]
    fn refusals_name_remedies() {
        let numbered = TourSet::new("8x8".parse().unwrap(), Kind::Closed);
        let demand = Index::estimate(&numbered, None, 0.0, &Control::new()).unwrap().unwrap();
        let said = |memory: u64, folder: Option<Option<u64>>, wants_statistics, is_forced| {
            let folder = folder.map(|free| (Path::new("chess"), free));
            let name = "8x8 closed".to_owned();
            IndexAdmission {
                name,
                memory_limit: Some(memory),
                folder,
                needs_statistics: wants_statistics,
                is_forced,
            }
            .check(&demand)
        };
        assert_eq!(said(16 << 30, None, true, false), Ok(()));
        let refused = said(600 << 20, None, false, false).unwrap_err();
        assert!(refused.contains("--index DIR, ") && refused.ends_with(FORCE_HINT), "{refused}");
        assert_eq!(said(600 << 20, None, false, true), Ok(()));
        let refused = said(600 << 20, Some(Some(1 << 20)), false, false).unwrap_err();
        assert!(refused.contains("chess") && refused.contains("1.00 MiB"), "{refused}");
        let refused = said(8 << 20, Some(None), true, false).unwrap_err();
        assert!(refused.contains("tables") && refused.contains("--without-index"), "{refused}");
        let refused = said(300 << 20, Some(None), true, false).unwrap_err();
        assert!(refused.contains("exact statistics") && refused.contains("300.00 MiB"), "{refused}");
        // The refusal does not advise a folder on a disk that is too small.
        let numbered = TourSet::new("10x10".parse().unwrap(), Kind::Closed);
        let demand = Index::estimate(&numbered, None, 0.0, &Control::new()).unwrap().unwrap();
        let name = "10x10 closed".to_owned();
        let wanted = IndexAdmission {
            name,
            memory_limit: Some(8 << 30),
            folder: None,
            needs_statistics: false,
            is_forced: false,
        };
        let refused = wanted.check(&demand).unwrap_err();
        let has_room = SpillDir::free_bytes_at(Path::new(".")).is_ok_and(|free| free > 10 << 40);
        assert!(has_room || refused.contains("--index DIR on a disk with "), "{refused}");
    }
}
