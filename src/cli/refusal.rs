//! Refusals of the admission check in words.

use ktour::budget::{Division, Refusal, RefusedPart, Remedy};

use super::quantities::{format_bytes, format_seconds, format_size};

/// Hint that ends the message of a refused run.
pub const FORCE_HINT: &str = "--force starts anyway";

/// The options that remedies name: those with which a command uses the disk, and the folder whose space is
/// short.
#[derive(Debug)]
pub struct RemedyWords {
    /// Options with which the command stores data on disk; empty if it has none.
    pub disk_option: String,
    /// Folder for this data.
    pub folder: String,
    /// Option that chooses another folder for this data; empty if there is none.
    pub folder_option: &'static str,
}

impl RemedyWords {
    /// Returns the words of a command that uses the disk with the option `disk_option`, in the current folder.
    pub fn new(disk_option: &str) -> Self {
        Self { disk_option: disk_option.to_owned(), folder: "this folder".to_owned(), folder_option: "" }
    }

    /// Returns a remedy in words, such as `raise --memory to 14G`.
    pub fn phrase(&self, remedy: &Remedy) -> String {
        match *remedy {
            Remedy::RaiseMemory(bytes) => format!("raise --memory to {}", format_size(bytes)),
            Remedy::LargerMachine(size) => format!("use a machine with {size}"),
            Remedy::UseDisk(bytes) => {
                format!("add {}, which takes about {} of disk", self.disk_option, format_bytes(bytes))
            }
            Remedy::FreeDisk(bytes) => {
                let other = match self.folder_option {
                    "" => String::new(),
                    option => format!(", or use {option} on a larger disk"),
                };
                format!("free {} in {}{other}", format_bytes(bytes), self.folder)
            }
            Remedy::Divide(division) => phrase_division(&division),
            Remedy::Sweep(seconds) => {
                format!("add --engine frontier, which takes about {}", format_seconds(seconds))
            }
            Remedy::WithoutIndex { memory: None } => "add --without-index, which takes longer".to_owned(),
            Remedy::WithoutIndex { memory: Some(bytes) } => {
                format!("add --without-index --memory {}, which takes longer", format_size(bytes))
            }
            Remedy::FewerTours => "list fewer tours by --limit N".to_owned(),
            Remedy::Pipe => "write to a pipe".to_owned(),
            Remedy::Sample => "use ktour sample for random tours".to_owned(),
            Remedy::WithoutSymmetry => "omit --distinct or --classes".to_owned(),
            _ => "use a smaller BOARD or graph".to_owned(),
        }
    }

    /// Returns the message of a refused job. `name` is its title.
    pub fn describe(&self, name: &str, refusal: &Refusal) -> String {
        let force = match refusal.part {
            RefusedPart::Sweep => "--engine frontier --force starts the sweep anyway",
            _ => FORCE_HINT,
        };
        format!("{}; {force}", self.describe_without_force(name, refusal))
    }

    /// Returns the message like [`RemedyWords::describe`], for a command without `--force`.
    pub fn describe_without_force(&self, name: &str, refusal: &Refusal) -> String {
        let refusal = refusal.clone();
        let refusal = if self.disk_option.is_empty() { refusal.without_disk() } else { refusal };
        refusal.describe(name, |remedy| self.phrase(remedy))
    }
}

/// Returns a division in words, such as `run 4 shards by --shard R/4, each with at most 2 GiB of
/// memory, at most 3 hours in all`.
fn phrase_division(division: &Division) -> String {
    let Division { residue_bits, residues, shards, memory, disk, seconds } = *division;
    let way = match residue_bits {
        Some(16) if shards == 1 => format!("add --residues, about {residues} sweeps"),
        Some(bits) if shards == 1 => format!("add --residues={bits}, about {residues} sweeps"),
        Some(bits) => format!(
            "run {shards} shards by --shard R/{shards} modulo each of about {residues} primes of {bits} bits by \
             --modulus, which estimate --bound lists"
        ),
        None => format!("run {shards} shards by --shard R/{shards}"),
    };
    let disk = match disk {
        0 => String::new(),
        disk => format!(" and {} of disk", format_bytes(disk)),
    };
    let (memory, time) = (format_bytes(memory), format_seconds(seconds));
    format!("{way}, each with at most {memory} of memory{disk}, at most {time} in all")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::count::CountError;
    use ktour::count::symmetric::DistinctEstimate;

    #[test]
    fn refused_enumeration_names_the_options_that_need_it() {
        let long = DistinctEstimate { seconds: 1e10, visit_seconds: 1e10, visited_tours: 1e16 };
        let Err(CountError::Refused(refusal)) = long.admit() else { panic!("an enumeration of centuries") };
        let message = RemedyWords::new("").describe("8x8 paths", &refusal);
        assert!(message.contains("omit --distinct or --classes"), "{message}");
        assert!(message.contains("8x8 paths"), "{message}");
        assert!(message.ends_with(FORCE_HINT), "{message}");
    }
}
