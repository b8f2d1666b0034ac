//! Squares, pairs, moves and records with step numbers, and records that give a square in several ways.
//!
//! ```text
//! 1. (0, 0) 2. (1, 2)      1. (0, 0) -> (1, 2)      {1: "a1", 2: "b3"}      [(1, "a1"), (2, "b3")]
//! {"step": 1, "x": 0, "y": 0}      {"from": "a1", "to": "b3"}      {"square": "a1", "row": 7, "col": 0}
//! ```

use std::collections::HashSet;

use super::coordinates::{Coordinates, Position};
use super::field_names::{MOVE_NAMES, STEP_KEYS, find_move_coordinates, holds_steps};
use super::given_squares::{SquareRecords, check_given_squares};
use super::names::NameLine;
use super::read_context::CoordinateOrder;
use super::steps::{StepFault, StepOrder, order_by_steps, order_records_by_steps};
use super::tree::{Element, List, Node};
use super::tree_tours::{FoundReading, Readings, TreeReader};
use super::tree_values::{Reading, coordinate, invalid, is_position, pair_of, record_order, square_position};
use crate::tour::read_error::{ReadError, ReadErrorKind};

impl TreeReader {
    /// Reads lists of a number and a square or pair: `(1, "a1")`, `("a1", 1)`, `(1, (0, 0))`. Returns `None` for
    /// others.
    pub(super) fn read_numbered_pairs(&mut self, lists: &[(u64, &List)]) -> Option<Readings> {
        let counted = |(line, list): &(u64, &List)| match list.elements.as_slice() {
            [Element { key: None, node: number @ Node::Number(..), .. }, Element { key: None, node, .. }]
            | [
                Element { key: None, node: node @ Node::Square(_), .. },
                Element { key: None, node: number @ Node::Number(..), .. },
            ] if is_position(node) => {
                let key = Some(Box::new(number.clone()));
                Some(Element { key, node: node.clone(), line: *line, begins_row: false })
            }
            _ => None,
        };
        let counted: Vec<Element> = lists.iter().map(counted).collect::<Option<_>>()?;
        self.read_counted(&counted.iter().collect::<Vec<_>>())
    }

    /// Reads squares, pairs or moves in the order of the numbers that are their keys: `1. (0, 0)`. Outside of
    /// brackets, more elements may follow each numbered one, `1. (0, 0) -> (1, 2)`, and another tour may begin with the
    /// first number. Returns `None` if the keys are not numbers, or if other values have no order.
    pub(super) fn read_counted(&mut self, elements: &[&Element]) -> Option<Readings> {
        let mut groups: Vec<&[&Element]> = elements.chunk_by(|_, next| next.key.is_none()).collect();
        let size = groups.first()?.len();
        let (last, before) = groups.split_last()?;
        // Two squares for each number, and one for the last.
        let is_last = last.len() == size || (size, last.len()) == (2, 1);
        let are_equal = is_last && before.iter().all(|group| group.len() == size);
        if !are_equal || size > 1 && self.metadata.is_enclosed {
            // Only the first square of a tour may lack a number.
            groups = elements.chunks(1).collect();
        }
        let number = |group: &&[&Element]| match &group[0].key {
            Some(key) => key.as_number().map(Some),
            None => Some(None),
        };
        let steps: Vec<Option<u64>> = groups.iter().map(number).collect::<Option<_>>()?;
        let are_positions = elements.iter().all(|element| is_position(&element.node));
        // `2: [[1, 4], ..`: another key of an array.
        if !are_positions && steps.iter().flatten().all(|&number| number > 1) {
            return None;
        }
        let orders = order_by_steps(&steps, !self.metadata.is_enclosed);
        if !are_positions && orders.iter().any(Result::is_err) {
            return None;
        }
        (self.metadata.has_steps, self.metadata.has_tour_numbers) = (size < 3, size > 2);
        let mut readings = Vec::new();
        for order in orders {
            let line = |at: usize| groups[at][0].line;
            let read = order.map_err(|fault| step_error(fault, line)).and_then(|order| {
                let values = order.iter().flat_map(|&at| groups[at]);
                let elements = values.map(|&element| Element { key: None, ..element.clone() }).collect();
                let read = self.read_list(&List { elements, name: None });
                read.map_err(|kind| ReadError { line: line(order[0]), kind })
            });
            readings.extend(read.unwrap_or_else(|error| vec![Err(error)]));
        }
        Some(Ok(readings))
    }

    /// Reads maps that hold moves, `{"from": "a1", "to": "b3"}`, in order. Returns `None` for other maps.
    pub(super) fn moves_of(&mut self, lists: &[(u64, &List)]) -> Option<Vec<FoundReading>> {
        let is_end = |list: &List, key: &str| {
            list.value(key).is_some_and(|node| node.as_square().is_some() || node.as_list().is_some())
        };
        let has_all =
            |keys: &[&str; 2]| lists.iter().all(|(_, list)| keys.iter().all(|key| is_end(list, key)));
        let all_have =
            |key: &str| lists.iter().all(|(_, list)| list.value(key).is_some()).then(|| key.to_owned());
        if let Some((keys, order)) = find_move_coordinates(all_have) {
            let readings = self.by_steps(lists, |lists| {
                let ends = |(line, list): &(u64, &List)| {
                    let (ends, _) = find_move_coordinates(|key| coordinate(&list.value(key)?.text()?))?;
                    Some(ends.map(|[a, b]| (*line, (a, b))))
                };
                let pairs: Option<Vec<_>> = lists.iter().map(ends).collect();
                let pairs = pairs.ok_or(invalid("a coordinate is not a number from 0 on"))?.concat();
                Ok(Reading::Coordinates(Coordinates { pairs, order: Some(order) }))
            });
            self.metadata.unread_keys.retain(|key| !keys.concat().contains(key));
            return Some(readings);
        }
        let keys = MOVE_NAMES.into_iter().find(has_all)?;
        let is_enclosed = self.metadata.is_enclosed;
        let readings = self.by_steps(lists, |lists| {
            let nodes = || lists.iter().flat_map(|&(line, list)| keys.map(|key| (line, list.value(key))));
            let names = nodes().map(|(line, node)| Some((line, node?.as_square()?.clone())));
            if let Some(names) = names.collect::<Option<Vec<_>>>() {
                // Outside of brackets, the moves of several tours may follow each other.
                let line = |pair: &[(u64, String)]| {
                    let names = pair.iter().map(|(_, name)| name.clone()).collect();
                    (pair[0].0, NameLine { names, ..NameLine::default() })
                };
                return Ok(match is_enclosed {
                    true => Reading::from_names(names),
                    false => Reading::Names(names.chunks(2).map(line).collect()),
                });
            }
            let ends = nodes().map(|(line, node)| Some((line, node?.as_list()?)));
            let ends =
                ends.collect::<Option<Vec<_>>>().ok_or(invalid("squares and coordinates are mixed"))?;
            let order = record_order(ends.iter().map(|(_, list)| *list));
            let pair = |list: &List| match order {
                Some(([a, b], _)) => Some((list.value(a)?.as_number()?, list.value(b)?.as_number()?)),
                None => pair_of(list),
            };
            let pairs: Option<Vec<_>> = ends.iter().map(|(line, list)| Some((*line, pair(list)?))).collect();
            let pairs = pairs.ok_or(invalid("a coordinate is not a number from 0 on"))?;
            Ok(Reading::Coordinates(Coordinates { pairs, order: order.map(|(_, order)| order) }))
        });
        self.metadata.unread_keys.retain(|key| !keys.contains(&key.as_str()));
        Some(readings)
    }

    /// Reads maps with the keys of coordinates.
    pub(super) fn read_records(
        &mut self,
        lists: &[(u64, &List)],
        (keys, order): ([&str; 2], CoordinateOrder),
    ) -> Vec<FoundReading> {
        self.by_steps(lists, |lists| {
            let pair = |(line, list): &(u64, &List)| {
                let [a, b] = keys.map(|key| list.value(key).and_then(Node::as_number));
                Some((*line, (a?, b?)))
            };
            let pairs: Option<Vec<_>> = lists.iter().map(pair).collect();
            let pairs = pairs.ok_or(invalid("a coordinate is not a number from 0 on"))?;
            Ok(Reading::Coordinates(Coordinates { pairs, order: Some(order) }))
        })
    }

    /// Reads the maps of each tour in the order of their steps, if the maps have steps. Keys that are not read become
    /// metadata.
    pub(super) fn by_steps(
        &mut self,
        lists: &[(u64, &List)],
        read: impl Fn(&[(u64, &List)]) -> Result<Reading, ReadErrorKind>,
    ) -> Vec<FoundReading> {
        let step_key = step_key(lists);
        let steps = step_key.map_or_else(|| vec![None; lists.len()], |key| values_of_step_key(lists, key));
        let (orders, are_tour_numbers) = order_records_by_steps(&steps, !self.metadata.is_enclosed);
        self.metadata.has_steps |= !are_tour_numbers && steps.iter().any(Option::is_some);
        let mut read_tour = |order: StepOrder| {
            let order = order.map_err(|fault| step_error(fault, |at| lists[at].0))?;
            let lists: Vec<(u64, &List)> = order.into_iter().map(|at| lists[at]).collect();
            let unread = &mut self.metadata.unread_keys;
            let checked = check_records(&lists, step_key, unread).and_then(|()| read(&lists));
            checked.map_err(|kind| ReadError { line: lists.first().map_or(0, |(line, _)| *line), kind })
        };
        orders.into_iter().map(&mut read_tour).collect()
    }
}

/// Returns the error of wrong step numbers; `line` gives the line of a record.
fn step_error((at, reason): StepFault, line: impl Fn(usize) -> u64) -> ReadError {
    ReadError { line: line(at), kind: ReadErrorKind::StepNumbers(reason) }
}

/// Maps as columns of values.
struct Records<'a>(&'a [(u64, &'a List)]);

impl SquareRecords for Records<'_> {
    fn squares(&self, name: &str) -> Vec<Option<Position>> {
        let square = |(_, list): &(u64, &List)| square_position(list.value(name)?.as_square()?);
        self.0.iter().map(square).collect()
    }

    fn coordinates(&self, name: &str) -> Vec<Option<u64>> {
        self.0.iter().map(|(_, list)| coordinate(&list.value(name)?.text()?)).collect()
    }
}

/// Returns the values of a key of step numbers.
fn values_of_step_key(lists: &[(u64, &List)], key: &str) -> Vec<Option<u64>> {
    lists.iter().map(|(_, list)| list.value(key)?.as_number()).collect()
}

/// Returns the first key that holds step numbers.
fn step_key(lists: &[(u64, &List)]) -> Option<&'static str> {
    let is_fraction = |(_, list): &(u64, &List), key: &str| {
        list.value(key).is_some_and(|node| matches!(node, Node::Word(word) if word.contains('.')))
    };
    STEP_KEYS.into_iter().find(|key| {
        holds_steps(key, &values_of_step_key(lists, key), lists.iter().any(|list| is_fraction(list, key)))
    })
}

/// Checks the records of a tour, and adds their keys that are not read. Different ways in which the records give their
/// squares must agree.
///
/// # Errors
/// [`ReadErrorKind::DifferentSquares`]; [`ReadErrorKind::InvalidArray`] for a record with equal or missing keys.
fn check_records(
    lists: &[(u64, &List)],
    step_key: Option<&'static str>,
    unread: &mut Vec<String>,
) -> Result<(), ReadErrorKind> {
    for (_, list) in lists {
        let mut keys: HashSet<String> = HashSet::new();
        for element in &list.elements {
            if element.key.is_some() != list.elements[0].key.is_some() {
                return Err(invalid("some elements have keys and others have none"));
            }
            let key = element.key_text().to_ascii_lowercase();
            if !key.is_empty() && !keys.insert(key) {
                return Err(invalid("a key occurs twice in a record"));
            }
        }
    }
    let mut names: HashSet<&str> = check_given_squares(&Records(lists))?.into_iter().collect();
    names.extend(step_key);
    let mut seen: HashSet<String> = unread.iter().cloned().collect();
    for element in lists.iter().flat_map(|(_, list)| &list.elements).filter(|element| element.key.is_some()) {
        let key = element.key_text();
        if !names.contains(key.to_ascii_lowercase().as_str()) && seen.insert(key.clone()) {
            unread.push(key);
        }
    }
    Ok(())
}
