//! Squares, pairs, moves and records with step numbers, and records that give a square in several ways.
//!
//! ```text
//! 1. (0, 0) 2. (1, 2)      1. (0, 0) -> (1, 2)      {1: "a1", 2: "b3"}      [(1, "a1"), (2, "b3")]
//! {"step": 1, "x": 0, "y": 0}      {"from": "a1", "to": "b3"}      {"square": "a1", "row": 7, "col": 0}
//! ```

use std::collections::HashSet;

use super::coordinates::{Coordinates, Position};
use super::field_names::{MOVE_NAMES, STEP_KEYS, holds_steps};
use super::given_squares::{SquareRecords, check_given_squares};
use super::names::NameLine;
use super::read_context::CoordinateOrder;
use super::steps::{are_tour_numbers, order_all_by_steps, order_by_steps, split_by_tour_number};
use super::tree::{Element, List, Node};
use super::tree_tours::{Readings, TreeReader};
use super::tree_values::{
    Reading, invalid, is_position, letter_number, pair_of, record_order, square_position,
};
use crate::tour::read_error::ReadErrorKind;

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
        let orders = match order_all_by_steps(&steps, !self.metadata.is_enclosed) {
            Ok(orders) => orders,
            Err((_, reason)) => return are_positions.then_some(Err(ReadErrorKind::StepNumbers(reason))),
        };
        (self.metadata.has_steps, self.metadata.has_tour_numbers) = (size < 3, size > 2);
        let mut readings = Vec::new();
        for order in orders {
            let values = order.iter().flat_map(|&at| groups[at]);
            let elements = values.map(|&element| Element { key: None, ..element.clone() }).collect();
            match self.read_list(&List { elements, name: None }) {
                Ok(more) => readings.extend(more),
                Err(kind) => return Some(Err(kind)),
            }
        }
        Some(Ok(readings))
    }

    /// Returns the squares or pairs of maps that hold moves, `{"from": "a1", "to": "b3"}`, in order.
    pub(super) fn moves_of(&mut self, lists: &[(u64, &List)]) -> Result<Option<Vec<Reading>>, ReadErrorKind> {
        let ends = |[from, to]: [&str; 2]| -> Option<Vec<(u64, [&Node; 2])>> {
            lists.iter().map(|(line, list)| Some((*line, [list.value(from)?, list.value(to)?]))).collect()
        };
        let Some((keys, moves)) = MOVE_NAMES.into_iter().find_map(|keys| Some((keys, ends(keys)?))) else {
            return Ok(None);
        };
        let tours = self.by_steps(lists, moves)?;
        self.metadata.unread_keys.retain(|key| !keys.contains(&key.as_str()));
        let is_enclosed = self.metadata.is_enclosed;
        let reading = |moves: &Vec<(u64, [&Node; 2])>| -> Option<Reading> {
            let nodes = || moves.iter().flat_map(|(line, ends)| ends.map(|node| (*line, node)));
            let names = nodes().map(|(line, node)| Some((line, node.as_square()?.clone())));
            if let Some(names) = names.collect::<Option<Vec<_>>>() {
                // Outside of brackets, the moves of several tours may follow each other.
                let line = |pair: &[(u64, String)]| {
                    let names = pair.iter().map(|(_, name)| name.clone()).collect();
                    (pair[0].0, NameLine { names, ..NameLine::default() })
                };
                return Some(match is_enclosed {
                    true => Reading::from_names(names),
                    false => Reading::Names(names.chunks(2).map(line).collect()),
                });
            }
            let lists: Vec<(u64, &List)> =
                nodes().map(|(line, node)| Some((line, node.as_list()?))).collect::<Option<_>>()?;
            let order = record_order(lists.iter().map(|(_, list)| *list));
            let pair = |list: &List| match order {
                Some(([a, b], _)) => Some((list.value(a)?.as_number()?, list.value(b)?.as_number()?)),
                None => pair_of(list),
            };
            let pairs = lists.iter().map(|(line, list)| Some((*line, pair(list)?)));
            let order = order.map(|(_, order)| order);
            Some(Reading::Coordinates(Coordinates { pairs: pairs.collect::<Option<_>>()?, order }))
        };
        Ok(tours.iter().map(reading).collect())
    }

    /// Reads maps with the keys of coordinates.
    pub(super) fn read_records(
        &mut self,
        lists: &[(u64, &List)],
        order: ([&str; 2], CoordinateOrder),
    ) -> Readings {
        let ([first, second], order) = order;
        let number = |list: &List, key: &str| list.value(key)?.as_number();
        let pairs =
            lists.iter().map(|(line, list)| Some((*line, (number(list, first)?, number(list, second)?))));
        let pairs: Option<Vec<(u64, (u64, u64))>> = pairs.collect();
        let pairs = pairs.ok_or(invalid("a coordinate is not a number from 0 on"))?;
        let tours = self.by_steps(lists, pairs)?;
        let reading = |pairs| Reading::Coordinates(Coordinates { pairs, order: Some(order) });
        Ok(tours.into_iter().map(reading).collect())
    }

    /// Returns the values of each tour in the order of the steps in their maps, if the maps have steps. Keys that are
    /// not read become metadata.
    pub(super) fn by_steps<T: Clone>(
        &mut self,
        lists: &[(u64, &List)],
        values: Vec<(u64, T)>,
    ) -> Result<Vec<Vec<(u64, T)>>, ReadErrorKind> {
        self.metadata.unread_keys.extend(check_records(lists)?);
        let steps = steps_of(lists);
        let are_tour_numbers = !self.metadata.is_enclosed && are_tour_numbers(&steps);
        self.metadata.has_steps |= !are_tour_numbers && steps.iter().any(Option::is_some);
        let tours = if are_tour_numbers {
            split_by_tour_number(&steps)
        } else {
            order_by_steps(&steps, !self.metadata.is_enclosed).into_iter().collect()
        };
        let tours = tours.map_err(|(_, reason)| ReadErrorKind::StepNumbers(reason))?;
        Ok(tours.into_iter().map(|tour| tour.into_iter().map(|at| values[at].clone()).collect()).collect())
    }
}

/// Maps as columns of values.
struct Records<'a>(&'a [(u64, &'a List)]);

impl SquareRecords for Records<'_> {
    fn squares(&self, name: &str) -> Vec<Option<Position>> {
        let square = |(_, list): &(u64, &List)| square_position(list.value(name)?.as_square()?);
        self.0.iter().map(square).collect()
    }

    fn coordinates(&self, name: &str) -> Vec<Option<u64>> {
        let value = |(_, list): &(u64, &List)| match list.value(name)? {
            Node::Word(word) => letter_number(word),
            node => node.as_number(),
        };
        self.0.iter().map(value).collect()
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

/// Returns the step numbers of records.
fn steps_of(lists: &[(u64, &List)]) -> Vec<Option<u64>> {
    step_key(lists).map_or_else(|| vec![None; lists.len()], |key| values_of_step_key(lists, key))
}

/// Returns the keys of records that are not read. Different ways in which the records give their squares must agree.
///
/// # Errors
/// [`ReadErrorKind::DifferentSquares`]; [`ReadErrorKind::InvalidArray`] for a record with equal or missing keys.
fn check_records(lists: &[(u64, &List)]) -> Result<Vec<String>, ReadErrorKind> {
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
    names.extend(step_key(lists));
    let mut unread: Vec<String> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    for element in lists.iter().flat_map(|(_, list)| &list.elements).filter(|element| element.key.is_some()) {
        let key = element.key_text();
        if !names.contains(key.to_ascii_lowercase().as_str()) && seen.insert(key.clone()) {
            unread.push(key);
        }
    }
    Ok(unread)
}
