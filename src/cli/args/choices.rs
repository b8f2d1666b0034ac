//! The options by which a caller makes the choices of a job, and the options that exclude each other.
//!
//! The rules about choices are those of the library: see [`ktour::count::job_spec`]. Rules about options that are no choices,
//! such as `--mpi`, stand with the options.

use clap::{Command, Id};
use ktour::count::job_spec::{Choice, Task};

/// Returns the id of the option that makes a choice.
const fn option_id(choice: Choice) -> &'static str {
    match choice {
        Choice::Kind(_) => "kind",
        Choice::Start => "start",
        Choice::End => "end",
        Choice::Required => "require",
        Choice::Forbidden => "forbid",
        Choice::Distinct => "distinct",
        Choice::Directed => "directed",
        Choice::Classes => "classes",
        Choice::Symmetry | Choice::SymmetryName(_) => "symmetry",
        Choice::PerStart => "per_start",
        Choice::Modulus => "modulus",
        Choice::Engine(_) => "engine",
        Choice::Shard => "shard",
        Choice::SplitDepth => "split_depth",
        Choice::MoveOrder => "moves",
        Choice::Rule => "rule",
        Choice::Seed => "seed",
        _ => panic!("a choice without an option"),
    }
}

/// Returns the option that makes a choice, with its value if the choice determines it: `--kind closed`.
pub fn option_name(choice: Choice) -> String {
    let option = format!("--{}", option_id(choice).replace('_', "-"));
    match choice {
        Choice::Kind(kind) => format!("{option} {}", kind.name()),
        Choice::SymmetryName(symmetry) => format!("{option} {}", symmetry.name()),
        Choice::Engine(engine) => format!("{option} {}", engine.name()),
        _ => option,
    }
}

/// Makes the options of a command exclude each other by the rules of its task.
pub fn with_exclusions(command: Command, task: Task) -> Command {
    let ids: Vec<Id> = command.get_arguments().map(|option| option.get_id().clone()).collect();
    command.mut_args(|option| {
        let rules = task.rules().filter(|rule| rule.unless.is_empty());
        let of_option = rules.filter(|rule| option.get_id() == option_id(rule.choice));
        let excluded: Vec<&str> = of_option
            .flat_map(|rule| rule.excluded.iter().map(|&excluded| option_id(excluded)))
            .filter(|excluded| ids.iter().any(|id| id == excluded))
            .collect();
        option.conflicts_with_all(excluded)
    })
}

#[cfg(test)]
mod tests {
    use ktour::count::Engine;
    use ktour::tour::Kind;

    use super::*;

    #[test]
    fn option_name_has_the_value_of_a_choice() {
        let names = [Choice::PerStart, Choice::Kind(Kind::Closed), Choice::Engine(Engine::Backtrack)];
        assert_eq!(names.map(option_name), ["--per-start", "--kind closed", "--engine backtrack"]);
    }

    #[test]
    fn every_choice_of_a_rule_has_an_option() {
        for task in [Task::Count, Task::List, Task::Sample, Task::Find] {
            for rule in task.rules() {
                let choices = rule.excluded.iter().chain(rule.unless).chain([&rule.choice]);
                assert!(choices.copied().all(|choice| option_name(choice).len() > 2));
            }
        }
    }
}
