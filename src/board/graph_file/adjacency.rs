//! Parser of lists of neighbours: `v: w x` in each line, or `v:w x` in each line.
//!
//! Each edge is in the list of one of its ends, or each edge is in the lists of both. A file with edges of
//! both kinds may be directed or damaged, and is rejected.

use std::collections::{HashMap, HashSet};

use super::edge_set::{EdgeSet, GraphFile};
use super::edge_table::NameTable;
use super::error::{GraphFileError, excerpt};
use super::header::is_size_word;
use super::lines::{Line, SeparatorCheck, split_fields};
use super::vertex_name::{check_spellings, is_number};

/// Lists of neighbours of numbered vertices.
#[derive(Debug, Default)]
pub(super) struct NeighbourLists {
    /// The vertices that have a list.
    listed: HashSet<u32>,
    /// The neighbours, each with its line and the vertex of its list.
    arcs: Vec<(usize, u32, u32)>,
    pairs: HashSet<(u32, u32)>,
}

impl NeighbourLists {
    /// Begins the list of a vertex.
    ///
    /// # Errors
    /// The vertex has a list already.
    pub fn begin(&mut self, line: &Line<'_>, v: u32) -> Result<(), GraphFileError> {
        if self.listed.insert(v) {
            return Ok(());
        }
        Err(line.quoted_error("is a second list of one vertex; join both lists"))
    }

    /// Adds a neighbour to the list of a vertex.
    ///
    /// # Errors
    /// The neighbour is in the list already.
    pub fn push(&mut self, line: &Line<'_>, v: u32, w: u32) -> Result<(), GraphFileError> {
        if self.pairs.insert((v, w)) {
            self.arcs.push((line.number, v, w));
            return Ok(());
        }
        Err(line.quoted_error("has a neighbour twice; keep it once"))
    }

    /// Returns each edge once, and pushes a note if each edge is in one list only.
    ///
    /// # Errors
    /// Some edges are in two lists and some in one; contains the line of the first of the latter.
    pub fn into_edges(
        self,
        name: impl Fn(u32) -> String,
        notes: &mut Vec<String>,
    ) -> Result<Vec<(usize, u32, u32)>, GraphFileError> {
        let is_mutual = |&&(_, v, w): &&(usize, u32, u32)| self.pairs.contains(&(w, v));
        let joining = || self.arcs.iter().filter(|(_, v, w)| v != w);
        let single = joining().find(|arc| !is_mutual(arc));
        let Some(&(line, v, w)) = single else {
            return Ok(self
                .arcs
                .into_iter()
                .filter(|(_, v, w)| v <= w || !self.pairs.contains(&(*w, *v)))
                .collect());
        };
        if joining().any(|arc| is_mutual(&arc)) {
            let (v, w) = (excerpt(&name(v)), excerpt(&name(w)));
            return Err(GraphFileError::new(
                line,
                format!(
                    "`{w}` is in the list of `{v}`, but `{v}` is not in the list of `{w}`, as in a directed graph; add `{v}` to that list"
                ),
            ));
        }
        notes.push("each edge is in the list of one of its ends, and is read as undirected".to_owned());
        Ok(self.arcs)
    }
}

/// A function that splits a list into the vertex and the text of its neighbours; `None` for another line.
pub(super) type SplitList = for<'a> fn(&Line<'a>) -> Option<(&'a str, &'a str)>;

/// Splits `v: w x`.
fn split_list<'a>(line: &Line<'a>) -> Option<(&'a str, &'a str)> {
    let (vertex, neighbours) = line.text.split_once(':')?;
    let vertex = vertex.trim_end();
    let is_list =
        is_one_name(vertex) && (neighbours.is_empty() || neighbours.starts_with(char::is_whitespace));
    is_list.then_some((vertex, neighbours.trim()))
}

/// Splits `v: w x` and `v:w x`, if the line has no other colon.
fn split_joined_list<'a>(line: &Line<'a>) -> Option<(&'a str, &'a str)> {
    let (vertex, neighbours) = line.text.split_once(':')?;
    let is_list = is_one_name(vertex) && !neighbours.contains(':');
    is_list.then_some((vertex, neighbours.trim()))
}

/// Returns the vertex of a list.
fn list_vertex<'a>(line: &Line<'a>) -> &'a str {
    line.text.split_once(':').map_or("", |(vertex, _)| vertex.trim_end())
}

fn is_one_name(vertex: &str) -> bool {
    !vertex.is_empty() && !vertex.contains(|c: char| c.is_whitespace() || c == ',')
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
}

/// Returns what is wrong with a line that may be a list without the blank behind its colon, and a remedy.
pub(super) fn joined_list_error(line: &str) -> String {
    let list = line.replacen(':', ": ", 1);
    format!(
        "may be an edge, or the neighbours of a vertex without the blank behind the colon; write `{list}` for neighbours, or names without `:`"
    )
}

/// Returns the form of the lists of neighbours, if lines of the file are lists.
///
/// # Errors
/// All lines may be lists as well as edges, as in `1:2 4`.
pub(super) fn find_lists(lines: &[Line<'_>]) -> Result<Option<SplitList>, GraphFileError> {
    let has_lists = lines.iter().any(|line| split_list(line).is_some());
    let form = has_lists.then_some(split_list as SplitList);
    if lines.iter().all(|line| split_list(line).is_some()) {
        return Ok(form);
    }
    let lists: Option<Vec<_>> = lines.iter().map(split_joined_list).collect();
    let Some(lists) = lists.filter(|_| !lines.iter().all(Line::is_one_word)) else { return Ok(form) };
    let vertices: HashSet<&str> = lists.iter().map(|&(vertex, _)| vertex).collect();
    // Edges of vertices with a colon in their names.
    if vertices.len() < lists.len() {
        return Ok(form);
    }
    let is_list = |name: &str| vertices.contains(name);
    if lists.iter().all(|(_, neighbours)| words(neighbours).all(is_list)) {
        return Ok(Some(split_joined_list));
    }
    // A line such as `Title: text` may be a list as well.
    if has_lists {
        return Ok(form);
    }
    if lines.iter().all(|line| words(line.text).nth(2).is_none()) {
        return Err(lines[0].quoted_error(joined_list_error(&excerpt(lines[0].text))));
    }
    let mut uses: HashMap<&str, usize> = HashMap::new();
    let names = |&(vertex, neighbours): &(_, _)| words(neighbours).chain([vertex]);
    lists.iter().flat_map(names).for_each(|name| *uses.entry(name).or_default() += 1);
    let is_connected = |list: &(_, _)| names(list).any(|name| uses[name] > 1);
    Ok(lists.iter().all(is_connected).then_some(split_joined_list as SplitList))
}

/// Parses lists of neighbours, with a note if a blank is missing behind a colon.
///
/// # Errors
/// The first line that is not a list, or the line of an edge that is in one list only.
pub(super) fn parse_neighbour_lists(
    lines: &[Line<'_>],
    split: SplitList,
) -> Result<GraphFile, GraphFileError> {
    let mut table = NameTable::default();
    let mut lists = NeighbourLists::default();
    let mut separator = SeparatorCheck::default();
    for line in lines {
        let Some((vertex, neighbours)) = split(line) else {
            let list = lines.iter().find(|line| split(line).is_some()).expect("the caller has found one");
            return Err(line.quoted_error(format!(
                "is not a list of neighbours, and line {}, `{}`, looks like one or like a header; write all lines as `v: w x`, or two names a line",
                list.number,
                excerpt(list.text)
            )));
        };
        if is_size_word(vertex) {
            return Err(
                line.quoted_error("looks like a header, not like a list of neighbours; delete the line")
            );
        }
        let mut fields = vec![vertex];
        split_fields(neighbours, &mut fields)
            .map_err(|what| line.error(what))
            .or_else(|error| if neighbours.is_empty() { Ok(()) } else { Err(error) })?;
        if fields.len() > 2 {
            separator.add(line, Line { text: neighbours, ..*line }.separator())?;
        }
        let vertices: Vec<u32> =
            fields.into_iter().map(|name| table.add(line, name)).collect::<Result<_, _>>()?;
        lists.begin(line, vertices[0])?;
        for &w in &vertices[1..] {
            lists.push(line, vertices[0], w)?;
        }
    }
    let names = table.names;
    check_spellings(&names).map_err(|what| lines[0].error(what))?;
    if lists.arcs.is_empty() {
        return Err(lines[0]
            .error("the lists have no neighbours; write `v: w x`, or graph6 for a graph without edges"));
    }
    check_title(lines, &names, &lists)?;
    check_first_list(lines, &names, &lists)?;
    check_numbered_edges(lines, &names, &lists)?;
    let joined = lines.iter().find(|line| split_list(line).is_none()).map(|line| {
        format!(
            "line {}, `{}`, is read as a list of neighbours, without a blank behind its colon",
            line.number,
            excerpt(line.text)
        )
    });
    let mut notes: Vec<String> = joined.into_iter().collect();
    let edges = lists.into_edges(|v| names[v as usize].to_owned(), &mut notes)?;
    Ok(EdgeSet { vertices: names.len(), edges }.into_named_graph(&names, notes))
}

/// Rejects a line such as `K3:` that may be a title: no other line has its name, and it is the first line or
/// the only kind of word between numbers.
fn check_title(lines: &[Line<'_>], names: &[&str], lists: &NeighbourLists) -> Result<(), GraphFileError> {
    let joined: HashSet<u32> = lists.arcs.iter().flat_map(|&(_, v, w)| [v, w]).collect();
    let are_numbers = joined.iter().all(|&v| is_number(names[v as usize]));
    // Almost all vertices have edges.
    let isolated = (0..).zip(names).filter(|(v, _)| !joined.contains(v));
    for (_, name) in isolated.filter(|(_, name)| !(are_numbers && is_number(name))) {
        let is_title = |line: &&Line<'_>| list_vertex(line) == *name;
        let line = lines.iter().take(if are_numbers { lines.len() } else { 1 }).find(is_title);
        if let Some(line) = line {
            let remedy = if are_numbers {
                "rename the vertex to a number"
            } else {
                "move the vertex to the last line"
            };
            return Err(line.quoted_error(format!(
                "may be a title, or a vertex without neighbours; begin a title with `#`, or {remedy}"
            )));
        }
    }
    Ok(())
}

/// Rejects a first line such as `name: neighbours` that may be a header: no other line has its names.
fn check_first_list(
    lines: &[Line<'_>],
    names: &[&str],
    lists: &NeighbourLists,
) -> Result<(), GraphFileError> {
    let first = lines[0].number;
    // The first line has the first names.
    let count = 1 + lists.arcs.iter().take_while(|(line, ..)| *line == first).count();
    let is_other = |&(line, v, w): &(usize, u32, u32)| line == first || v.min(w) as usize >= count;
    let is_apart = lists.arcs.iter().all(is_other)
        && lists.listed.iter().filter(|&&v| (v as usize) < count).count() == 1;
    match lines.len() > 2 && is_apart && names[..count].iter().any(|name| !is_number(name)) {
        true => Err(lines[0].quoted_error(
            "may be a header or a list of neighbours, as no other line has these names; delete the header, or begin it with `#`",
        )),
        false => Ok(()),
    }
}

/// Rejects lines such as `1: a b` and `2: b c` that may be numbered edges.
fn check_numbered_edges(
    lines: &[Line<'_>],
    names: &[&str],
    lists: &NeighbourLists,
) -> Result<(), GraphFileError> {
    if lines.len() < 2 || lists.arcs.len() != 2 * lines.len() {
        return Ok(());
    }
    // Each list has two names if each pair of arcs has one line, as no line has more than one list.
    let has_two = lists.arcs.chunks(2).all(|arcs| arcs[0].0 == arcs[1].0)
        && lists.arcs.chunks(2).zip(lines).all(|(arcs, line)| arcs[0].0 == line.number);
    let key = |line: &Line<'_>| list_vertex(line).to_lowercase();
    let keys: Vec<String> = lines.iter().map(key).collect();
    let stem = keys[0].trim_end_matches(|c: char| c.is_ascii_digit());
    let number = |key: &String| key.strip_prefix(stem).and_then(|number| number.parse::<usize>().ok());
    let is_counted = |first: usize| keys.iter().enumerate().all(|(at, key)| number(key) == Some(first + at));
    if !has_two || !["", "e", "edge"].contains(&stem) || !(is_counted(0) || is_counted(1)) {
        return Ok(());
    }
    // Lists in which each edge occurs twice are lists of neighbours.
    let is_mutual = lists.arcs.iter().all(|&(_, v, w)| lists.pairs.contains(&(w, v)));
    if is_mutual {
        return Ok(());
    }
    let (_, v, w) = lists.arcs[0];
    let w2 = lists.arcs[1].2;
    Err(lines[0].quoted_error(format!(
        "may be an edge with its number, or two neighbours of `{}`; write `{} {}` for an edge, and each edge in the lists of both ends otherwise",
        excerpt(names[v as usize]),
        excerpt(names[w as usize]),
        excerpt(names[w2 as usize])
    )))
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use crate::board::BoardKind;

    #[test]
    fn parse_reads_lists_with_each_edge_once_or_twice() {
        let ring = parse("1 2\n2 3\n3 1\n").unwrap().graph;
        for (text, notes) in [
            ("1: 2 3\n2: 1 3\n3: 1 2\n", 0),
            ("1 : 2, 3\n2 : 1, 3\n3 : 1, 2\n", 0),
            ("1: 2 3\n2: 3\n3:\n", 1),
            ("1: 2 3\n2: 3\n", 1),
            ("1: 2\n2: 3\n3: 1\n", 1),
            ("1:\t2\t3\n2:\t1\t3\n3:\t1\t2\n", 0),
            ("2: 1 3\n3: 1\n", 1),
            // No blank behind the colon.
            ("1:2 3\n2:1 3\n3:1 2\n", 1),
            ("1:2,3\n2:1,3\n3:1,2\n", 1),
            ("1:2 3\n2:3\n3:\n", 2),
            ("1: 2 3\n2:1 3\n3:1 2\n", 1),
        ] {
            let file = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!((&file.graph, file.notes.len()), (&ring, notes), "{text:?}: {:?}", file.notes);
        }
    }

    #[test]
    fn lists_of_two_and_isolated_vertices_are_read() {
        for (text, vertices, edges) in [
            ("1: 2 4\n2: 1 3\n3: 2 4\n4: 1 3\n", 4, 4),
            ("u1: a b\nu2: b c\nu3: c a\n", 6, 6),
            ("a: b c\nb: d e\n", 5, 4),
            ("e1: e2 e3\ne2: e1 e3\ne3: e1 e2\n", 3, 3),
            ("10:20 40\n20:10 30\n30:20 40\n40:10 30\n", 4, 4),
            ("1:2 3 4\n2:3 4\n3:4\n", 4, 6),
            // Names with a colon.
            ("1:2 1\n1:2 2\n2:3 2\n2:3 3\n3:1 3\n3:1 1\n", 6, 6),
            ("a:1 b:1\nb:1 c:1\nc:1 a:1\n", 3, 3),
            ("1:2 1\n1:2 2\n2:3 2\n2:3 3\n", 5, 4),
            ("1 1:2\n1:2 2\n2 2:3\n2:3 3\n", 5, 4),
            ("1: 1:2\n2: 1:2\n", 3, 2),
            ("1:\n2: 3\n3: 2\n", 3, 1),
            ("a: b\nb: a\nc:\n", 3, 1),
        ] {
            let file = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(
                (file.graph.vertex_count(), file.graph.graph().edge_count()),
                (vertices, edges),
                "{text:?}"
            );
        }
    }

    #[test]
    fn parse_rejects_headers_directed_and_broken_lists() {
        for (text, line) in [
            ("vertices: 3\n1 2\n2 3\n3 1\n", 1),
            ("vertices: 3\n1: 2\n2: 3\n", 1),
            ("1: 2 3\n2: 1 3\n3: 1\n", 2),
            ("1: 2 3\n1: 2\n", 2),
            ("1: 2 2\n", 1),
            ("1: [2, 3]\n", 1),
            ("1: 2 3\n2: 1,3\n3: 1 2\n", 0),
            ("1: 2 3\n2 1 3\n3: 1 2\n", 2),
            ("1: 2,5 3,1\n", 1),
            ("a: -b\n", 1),
            ("1:2 3\n2:1 3\n3:1\n", 2),
            ("1:2 4\n2:1 3\n3 2 4\n4:1 3\n", 3),
            ("1:2 4\n2:1 3\n3 2\n4:1 3\n", 1),
            ("1:2 4\n2:3 5\n", 1),
            ("1:2 3\n2:3\n", 1),
            ("K4\n1:2 4\n2:1 3\n3:2 4\n4:1 3\n", 1),
            ("# K4\nK4 ring\n1:2 4\n2:1 3\n3:2 4\n4:1 3\n", 2),
            ("Note:four edges\n1:2 4\n2:1 3\n3:2 4\n4:1 3\n", 1),
            ("Nodes:4\n1:2 4\n2:1 3\n3:2 4\n4:1 3\n", 1),
            // Titles, and edges with numbers.
            ("K3:\n1: 2 3\n2: 1 3\n3: 1 2\n", 1),
            ("1: 2 3\n2: 1 3\n3: 1 2\nK3:\n", 4),
            ("ring:\na: b c\nb: a c\nc: a b\n", 1),
            ("3:\na: b c\nb: a c\nc: a b\n", 1),
            ("name: neighbours\na: b c\nb: c\n", 1),
            ("name:neighbours\na:b c\nb:a c\nc:a b\n", 1),
            ("1: a b\n2: b c\n3: c a\n", 1),
            ("e0: a b\ne1: b c\ne2: c a\n", 1),
            ("Edge1: a b\nEdge2: b c\nEdge3: c a\n", 1),
            ("1: 1 2\n2: 2 3\n3: 3 4\n4: 4 1\n5: 1 3\n", 1),
            ("1: 2 3\n2: 3 4\n3: 4 5\n4: 5 1\n5: 1 2\n", 1),
        ] {
            let error = parse(text).expect_err(text);
            assert!(line == 0 || error.line == line, "{text:?}: {error}");
        }
    }
}
