//! [`JobSpec`], what a caller chooses of a job on tours, and the rules about choices that exclude each other.
//!
//! A [`TourSpec`] says which tours; a [`JobSpec`] says what to do with them. The rules stand in one
//! table, [`Task::rules`]. Programs give the choices names of their own, such as the names of options, and phrase a
//! [`JobConflict`] by [`JobConflict::describe`].

use std::fmt;

use super::engine::Engine;
use super::symmetric::NamedSymmetry;
use crate::tour::{Kind, TourSpec};

/// What a job does with tours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Counts tours.
    Count,
    /// Lists tours.
    List,
    /// Draws tours at random.
    Sample,
    /// Finds one tour or several.
    Find,
}

/// A choice that a caller can make for a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// Tours of this kind; without this choice, of all kinds.
    Kind(Kind),
    /// A fixed first vertex.
    Start,
    /// A fixed last vertex.
    End,
    /// Moves that every tour contains.
    Required,
    /// Moves that no tour contains.
    Forbidden,
    /// One tour of each class up to symmetry.
    Distinct,
    /// Both directions of every tour.
    Directed,
    /// A table of all symmetry classes.
    Classes,
    /// Only tours with a symmetry.
    Symmetry,
    /// Only tours with this symmetry.
    SymmetryName(NamedSymmetry),
    /// Numbers of tours by their first vertex.
    PerStart,
    /// Counts modulo a number.
    Modulus,
    /// This method of a count.
    Engine(Engine),
    /// A part of the job.
    Shard,
    /// The depth at which a search is split into units.
    SplitDepth,
    /// The order in which a search tries moves.
    MoveOrder,
    /// A walking rule.
    Rule,
    /// A seed of random choices.
    Seed,
}

/// A choice that excludes other choices, unless a third choice allows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExclusionRule {
    /// Tasks to which the rule applies.
    pub tasks: &'static [Task],
    /// The choice that excludes others.
    pub choice: Choice,
    /// The excluded choices.
    pub excluded: &'static [Choice],
    /// Choices of which one allows the excluded choices. Empty if they are always excluded.
    pub unless: &'static [Choice],
}

/// Two choices that exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobConflict {
    /// The choice that excludes the other.
    pub choice: Choice,
    /// The excluded choice.
    pub excluded: Choice,
    /// Choices of which one would resolve the conflict; may be empty.
    pub alternatives: &'static [Choice],
}

/// The choices of a caller for a job on tours.
///
/// ```
/// use ktour::count::job_spec::{Choice, JobSpec, Task};
/// use ktour::{Kind, TourSpec};
///
/// let closed = TourSpec::new("6x6".parse()?, Kind::Closed, Some(0), None)?;
/// let job = JobSpec::new(Task::List).with_tours(&closed).with(Choice::Distinct, true);
/// let conflict = job.validate().unwrap_err();
/// assert_eq!((conflict.choice, conflict.excluded), (Choice::Distinct, Choice::Start));
/// assert_eq!(conflict.alternatives, [Choice::Kind(Kind::Paths), Choice::Kind(Kind::Open)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSpec {
    task: Task,
    choices: Vec<Choice>,
}

const ANY_TASK: &[Task] = &[Task::Count, Task::List, Task::Sample, Task::Find];

const RULES: &[ExclusionRule] = {
    use Choice::{
        Classes, Directed, Distinct, End, Forbidden, Modulus, MoveOrder, PerStart, Required, Seed, Shard,
        SplitDepth, Start, Symmetry, SymmetryName,
    };
    const fn rule(
        tasks: &'static [Task],
        choice: Choice,
        excluded: &'static [Choice],
        unless: &'static [Choice],
    ) -> ExclusionRule {
        ExclusionRule { tasks, choice, excluded, unless }
    }
    const PATHS: Choice = Choice::Kind(Kind::Paths);
    const OPEN: Choice = Choice::Kind(Kind::Open);
    const CLOSED: Choice = Choice::Kind(Kind::Closed);
    const BACKTRACK: Choice = Choice::Engine(Engine::Backtrack);
    const MULTIPATH: Choice = Choice::Engine(Engine::Multipath);
    const FRONTIER: Choice = Choice::Engine(Engine::Frontier);
    const CLOSED_OR_HALF_TURN: &[Choice] = &[CLOSED, SymmetryName(NamedSymmetry::Rot180)];
    &[
        rule(&[Task::Count], Distinct, &[Directed, Classes, PerStart, Shard], &[]),
        rule(&[Task::List], Distinct, &[Directed], &[]),
        // A class of closed tours has no start.
        rule(&[Task::Count, Task::List, Task::Sample], Distinct, &[Start, End], &[PATHS, OPEN]),
        rule(&[Task::Count], Classes, &[Directed, Start, End, PerStart, Shard], &[]),
        rule(&[Task::Count], PerStart, &[Start, End, Shard], &[]),
        rule(&[Task::Count], Modulus, &[Distinct, Directed, Classes, Symmetry, PerStart], &[]),
        // Only sweeps count modulo a number.
        rule(&[Task::Count], Modulus, &[BACKTRACK, MULTIPATH], &[FRONTIER]),
        rule(ANY_TASK, Symmetry, &[Start, End, Required, Forbidden], &[]),
        rule(&[Task::Count], Symmetry, &[Classes, PerStart, Shard, SplitDepth], &[]),
        rule(&[Task::Count], Symmetry, &[BACKTRACK], &[MULTIPATH, FRONTIER]),
        rule(&[Task::List], Symmetry, &[MoveOrder, SplitDepth, Shard], &[]),
        rule(&[Task::Find], Symmetry, &[MoveOrder, Choice::Rule, Seed], &[]),
        // These symmetries are defined by their effect on the direction of a closed tour.
        rule(ANY_TASK, SymmetryName(NamedSymmetry::Eulerian), &[PATHS, OPEN], CLOSED_OR_HALF_TURN),
        rule(ANY_TASK, SymmetryName(NamedSymmetry::Bergholtian), &[PATHS, OPEN], CLOSED_OR_HALF_TURN),
    ]
};

impl Task {
    /// Returns the rules about choices that exclude each other in jobs of this task.
    pub fn rules(self) -> impl Iterator<Item = &'static ExclusionRule> {
        RULES.iter().filter(move |rule| rule.tasks.contains(&self))
    }
}

impl JobSpec {
    /// Creates a job without choices.
    #[must_use]
    pub const fn new(task: Task) -> Self {
        Self { task, choices: Vec::new() }
    }

    /// Adds a choice if it is made.
    #[must_use]
    pub fn with(mut self, choice: Choice, is_chosen: bool) -> Self {
        self.choices.extend(is_chosen.then_some(choice));
        self
    }

    /// Adds the kind of the tours; `None` for all kinds.
    #[must_use]
    pub fn with_kind(mut self, kind: Option<Kind>) -> Self {
        self.choices.extend(kind.map(Choice::Kind));
        self
    }

    /// Adds the fixed ends and the restrictions of tours, but not their kind.
    #[must_use]
    pub fn with_ends(self, tours: &TourSpec) -> Self {
        self.with(Choice::Start, tours.start().is_some())
            .with(Choice::End, tours.end().is_some())
            .with(Choice::Required, !tours.board().required_moves().is_empty())
            .with(Choice::Forbidden, !tours.board().forbidden_moves().is_empty())
    }

    /// Adds the kind, the fixed ends and the restrictions of tours.
    #[must_use]
    pub fn with_tours(self, tours: &TourSpec) -> Self {
        self.with_kind(Some(tours.kind())).with_ends(tours)
    }

    /// Adds the symmetry that every tour has, if one is chosen.
    #[must_use]
    pub fn with_symmetry(mut self, symmetry: Option<NamedSymmetry>) -> Self {
        self.choices
            .extend(symmetry.into_iter().flat_map(|name| [Choice::Symmetry, Choice::SymmetryName(name)]));
        self
    }

    /// Checks that no two choices exclude each other.
    ///
    /// # Errors
    /// The first two choices, in the order of the rules, that exclude each other.
    pub fn validate(&self) -> Result<(), JobConflict> {
        let is_chosen = |choice: &Choice| self.choices.contains(choice);
        let conflict = |rule: &'static ExclusionRule| {
            let applies = is_chosen(&rule.choice) && !rule.unless.iter().any(is_chosen);
            let excluded = rule.excluded.iter().copied().find(|excluded| applies && is_chosen(excluded))?;
            Some(JobConflict { choice: rule.choice, excluded, alternatives: rule.unless })
        };
        self.task.rules().find_map(conflict).map_or(Ok(()), Err)
    }
}

impl JobConflict {
    /// Returns the conflict and its remedy as one line; `name` is what the caller calls a choice, such as the name
    /// of an option with its value.
    #[must_use]
    pub fn describe(&self, name: impl Fn(Choice) -> String) -> String {
        let names: Vec<String> = self.alternatives.iter().map(|&choice| name(choice)).collect();
        let alternatives =
            if names.is_empty() { String::new() } else { format!(", or use {}", names.join(" or ")) };
        format!("{} cannot be used with {}; omit one{alternatives}", name(self.choice), name(self.excluded))
    }
}

impl fmt::Display for JobConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(|choice| choice.to_string()))
    }
}

impl std::error::Error for JobConflict {}

impl fmt::Display for Choice {
    /// Writes the choice as a noun phrase.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phrase = match self {
            Self::Kind(kind) => kind.plural(),
            Self::Start => "a fixed start",
            Self::End => "a fixed end",
            Self::Required => "required moves",
            Self::Forbidden => "forbidden moves",
            Self::Distinct => "distinct tours",
            Self::Directed => "directed tours",
            Self::Classes => "a table of symmetry classes",
            Self::Symmetry => "a symmetry",
            Self::SymmetryName(symmetry) => return write!(f, "the symmetry {}", symmetry.name()),
            Self::PerStart => "counts by start",
            Self::Modulus => "a modulus",
            Self::Engine(engine) => return write!(f, "the engine {}", engine.name()),
            Self::Shard => "a shard",
            Self::SplitDepth => "a split depth",
            Self::MoveOrder => "an order of moves",
            Self::Rule => "a walking rule",
            Self::Seed => "a seed",
        };
        f.write_str(phrase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflict(task: Task, choices: &[Choice]) -> Option<(Choice, Choice)> {
        let job = choices.iter().fold(JobSpec::new(task), |job, &choice| job.with(choice, true));
        job.validate().err().map(|conflict| (conflict.choice, conflict.excluded))
    }

    #[test]
    fn every_rule_has_a_conflict_and_its_alternatives_resolve_it() {
        for rule in RULES {
            for &task in rule.tasks {
                for &excluded in rule.excluded {
                    let expected = Some((rule.choice, excluded));
                    assert_eq!(conflict(task, &[rule.choice, excluded]), expected, "{task:?}");
                    assert_eq!(conflict(task, &[excluded, rule.choice]), expected, "{task:?}");
                    assert_eq!(
                        conflict(task, &[excluded]).or(conflict(task, &[rule.choice])),
                        None,
                        "{task:?}"
                    );
                    for &allowed in rule.unless {
                        assert_eq!(
                            conflict(task, &[rule.choice, excluded, allowed]),
                            None,
                            "{task:?} {allowed:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn no_two_choices_are_in_two_rules_of_a_task() {
        for task in [Task::Count, Task::List, Task::Sample, Task::Find] {
            let pairs =
                task.rules().flat_map(|rule| rule.excluded.iter().map(|&excluded| (rule.choice, excluded)));
            let pairs: Vec<(Choice, Choice)> = pairs.collect();
            for (i, &(a, b)) in pairs.iter().enumerate() {
                assert!(!pairs[i + 1..].iter().any(|&pair| pair == (a, b) || pair == (b, a)), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn distinct_tours_with_ends_are_open_or_paths() {
        for task in [Task::Count, Task::List, Task::Sample] {
            for end in [Choice::Start, Choice::End] {
                let all = [Choice::Distinct, end, Choice::Kind(Kind::Closed)];
                assert_eq!(conflict(task, &all), Some((Choice::Distinct, end)));
                assert_eq!(conflict(task, &all[..2]), Some((Choice::Distinct, end)), "all kinds");
                for kind in [Kind::Open, Kind::Paths] {
                    assert_eq!(conflict(task, &[Choice::Distinct, end, Choice::Kind(kind)]), None);
                }
            }
        }
        assert_eq!(conflict(Task::Find, &[Choice::Distinct, Choice::Start]), None);
    }

    #[test]
    fn symmetries_of_closed_tours_exclude_other_kinds() {
        for kind in Kind::ALL {
            for symmetry in NamedSymmetry::ALL {
                let job = JobSpec::new(Task::List).with_kind(Some(kind)).with_symmetry(Some(symmetry));
                assert_eq!(job.validate().is_ok(), symmetry.applies_to(kind), "{kind:?} {symmetry:?}");
                let all_kinds = JobSpec::new(Task::Count).with_symmetry(Some(symmetry));
                assert_eq!(all_kinds.validate(), Ok(()));
            }
        }
    }

    #[test]
    fn with_tours_adds_ends_and_restrictions() {
        let board: crate::board::Board = "5x5".parse().unwrap();
        let spec = TourSpec::new(board, Kind::Open, Some(0), Some(4)).unwrap();
        let job = JobSpec::new(Task::Find).with_tours(&spec);
        assert_eq!(job.choices, [Choice::Kind(Kind::Open), Choice::Start, Choice::End]);
        let restricted = spec.board().with_restrictions([(0, 7)], [(4, 7)]).unwrap();
        let job = JobSpec::new(Task::Find).with_tours(&TourSpec::all(restricted, Kind::Paths));
        assert_eq!(job.choices, [Choice::Kind(Kind::Paths), Choice::Required, Choice::Forbidden]);
    }

    #[test]
    fn describe_names_choices_and_alternatives() {
        let job = JobSpec::new(Task::Count).with(Choice::Modulus, true);
        let engine = job.clone().with(Choice::Engine(Engine::Backtrack), true).validate().unwrap_err();
        assert_eq!(
            engine.to_string(),
            "a modulus cannot be used with the engine backtrack; omit one, or use the engine frontier"
        );
        let distinct = job.with(Choice::Distinct, true).validate().unwrap_err();
        assert_eq!(distinct.to_string(), "a modulus cannot be used with distinct tours; omit one");
        let option = |choice| if choice == Choice::Modulus { "--modulus" } else { "--distinct" }.to_owned();
        assert_eq!(distinct.describe(option), "--modulus cannot be used with --distinct; omit one");
    }
}
