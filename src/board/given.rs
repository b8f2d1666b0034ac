//! [`CustomGraph`]: a board made from any graph, with optional title, vertex names, layout and symmetries.
//!
//! ```text
//! graph=DqK title=pentagon names=a,b,c,d,e layout=2x3:a1,b1,c1,a2,c2 seams=0-2
//! ```
//!
//! The graph is written in graph6, or in sparse6 if it is large and that is shorter. Every other word is
//! optional: the vertex names (default: numbers from 1), the layout, the moves across a seam, and generators
//! of the symmetry group (default: all automorphisms, see [`find_automorphism_group`]). In titles and names,
//! characters other than letters, digits and `._+-` are percent-encoded as in URLs: a space is `%20`.

use std::collections::HashMap;

use super::automorphisms::{Automorphisms, MOST_ELEMENTS, automorphisms};
use super::error::{ArenaError, GivenError, NameError};
use super::ground::Ground;
use super::group::SymmetryGroup;
use super::order::GroupOrder;
use super::words::{Words, unword, word};
use super::{Board, Graph, Layout, sparse6};

/// A graph with an optional title, vertex names, layout and symmetries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    graph: Graph,
    title: Option<String>,
    names: Option<Names>,
    layout: Option<Layout>,
    generators: Option<Vec<Vec<u32>>>,
}

/// Vertex names, with a lookup in both directions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Names {
    of: Vec<String>,
    vertices: HashMap<String, u32>,
}

impl Given {
    /// The first key of the text form.
    pub(super) const WORD: &str = "graph";

    /// Creates a board from a graph alone.
    #[must_use]
    pub const fn new(graph: Graph) -> Self {
        Self { graph, title: None, names: None, layout: None, generators: None }
    }

    /// Sets the title.
    #[must_use]
    pub fn titled(self, title: &str) -> Self {
        Self { title: Some(title.to_owned()), ..self }
    }

    /// Sets the names of the vertices, in order.
    ///
    /// # Errors
    /// The number of names differs from the number of vertices, two names are equal, or a name is empty.
    pub fn named(self, names: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, GivenError> {
        let of: Vec<String> = names.into_iter().map(Into::into).collect();
        self.count("names", of.len())?;
        let mut vertices = HashMap::with_capacity(of.len());
        for (v, name) in (0..).zip(&of) {
            if name.is_empty() || vertices.insert(name.clone(), v).is_some() {
                return Err(GivenError::Name(name.clone()));
            }
        }
        // The default names are not stored, so that equal boards compare equal.
        let usual = (1..).zip(&of).all(|(number, name): (u32, &String)| *name == number.to_string());
        Ok(Self { names: (!usual).then_some(Names { of, vertices }), ..self })
    }

    /// Sets the positions of the vertices.
    ///
    /// # Errors
    /// The number of positions differs from the number of vertices, or a seam move is not an edge.
    pub fn placed(self, layout: Layout) -> Result<Self, GivenError> {
        self.count("positions", layout.places().len())?;
        let vertices = self.graph.len();
        let is_move = |v: u32, w: u32| (w as usize) < vertices && self.graph.is_edge(v as usize, w as usize);
        let strange = layout.seams().find(|&(v, w)| !is_move(v, w));
        match strange {
            Some((v, w)) => Err(GivenError::Seam(v, w)),
            None => Ok(Self { layout: Some(layout), ..self }),
        }
    }

    /// Sets the symmetry group by generators, each the list of images of all vertices. With no generators the
    /// group is trivial.
    ///
    /// # Errors
    /// A generator is not an automorphism, or the group has more than [`MAX_GROUP_ELEMENTS`] elements.
    pub fn symmetric(self, generators: Vec<Vec<u32>>) -> Result<Self, GivenError> {
        let vertices = self.graph.len();
        for image in &generators {
            let mut sorted = image.clone();
            sorted.sort_unstable();
            let is_permutation = sorted.iter().copied().eq(0..vertices as u32);
            if !is_permutation || !self.graph.is_kept_by(image) {
                return Err(GivenError::Symmetry);
            }
        }
        if SymmetryGroup::generated(vertices, &generators, MOST_ELEMENTS).is_none() {
            return Err(GivenError::Order);
        }
        Ok(Self { generators: Some(generators), ..self })
    }

    fn count(&self, what: &'static str, found: usize) -> Result<(), GivenError> {
        let vertices = self.graph.len();
        if found == vertices { Ok(()) } else { Err(GivenError::Count { what, found, vertices }) }
    }

    /// Parses the words of a text form.
    pub(super) fn parse(mut words: Words<'_>) -> Result<Self, ArenaError> {
        let wrong = |what: &str| ArenaError::Words(what.to_owned());
        let unescaped = |text: &str| {
            unword(text)
                .ok_or_else(|| wrong("a title or name is not valid UTF-8; percent-encode its UTF-8 bytes"))
        };
        let mut given = Self::new(sparse6::from_either(words.needed(Self::WORD)?)?);
        given.title = words.optional("title").map(unescaped).transpose()?;
        if let Some(names) = words.optional("names") {
            let names: Vec<String> = names.split(',').map(unescaped).collect::<Result<_, _>>()?;
            given = given.named(names)?;
        }
        if let Some(text) = words.optional("layout") {
            let (size, places) = text
                .split_once(':')
                .ok_or_else(|| wrong("the layout has no positions; write ROWSxCOLS:SQUARES"))?;
            let size: Board = size.parse()?;
            let place = |name: &str| {
                let place = name.parse().map_err(NameError::from)?;
                if size.in_rectangle(place) { Ok(place) } else { Err(NameError::NotOnBoard(place)) }
            };
            let places: Vec<_> = places.split(',').map(place).collect::<Result<_, _>>()?;
            let mut different = places.clone();
            different.sort_unstable();
            different.dedup();
            if different.len() != places.len() {
                return Err(wrong("two vertices of the layout have one position; give every vertex its own"));
            }
            let mut layout = Layout::new(size.rows(), size.cols(), places);
            if let Some(seams) = words.optional("seams") {
                let pair = |text: &str| {
                    let (v, w) = text.split_once('-')?;
                    Some((v.parse().ok()?, w.parse().ok()?))
                };
                let seams: Option<Vec<(u32, u32)>> = seams.split(',').map(pair).collect();
                layout = layout.with_seams(seams.ok_or_else(|| {
                    wrong("a seam is not a pair of vertex numbers; write pairs such as 0-2")
                })?);
            }
            given = given.placed(layout)?;
        }
        if let Some(text) = words.optional("symmetries") {
            let image = |text: &str| text.split('.').map(str::parse).collect();
            let generators = match text {
                "-" => Ok(Vec::new()),
                _ => text.split(',').map(image).collect::<Result<Vec<Vec<u32>>, _>>(),
            };
            given = given.symmetric(generators.map_err(|_| wrong("a symmetry is not a list of vertex numbers; write numbers separated by dots, such as 1.2.0"))?)?;
        }
        words.end()?;
        Ok(given)
    }
}

impl Ground for Given {
    fn text(&self) -> String {
        fn list<T>(items: &[T], by: &str, item: impl FnMut(&T) -> String) -> String {
            items.iter().map(item).collect::<Vec<_>>().join(by)
        }
        let mut text = format!("{}={}", Self::WORD, sparse6::shortest(&self.graph));
        if let Some(title) = &self.title {
            text += &format!(" title={}", word(title));
        }
        if let Some(names) = &self.names {
            text += &format!(" names={}", list(&names.of, ",", |name| word(name)));
        }
        if let Some(layout) = &self.layout {
            let places = list(layout.places(), ",", ToString::to_string);
            text += &format!(" layout={}x{}:{places}", layout.rows(), layout.cols());
            let seams: Vec<(u32, u32)> = layout.seams().collect();
            if !seams.is_empty() {
                text += &format!(" seams={}", list(&seams, ",", |(v, w)| format!("{v}-{w}")));
            }
        }
        match self.generators.as_deref() {
            None => {}
            Some([]) => text += " symmetries=-",
            Some(some) => {
                let images = list(some, ",", |image| list(image, ".", ToString::to_string));
                text += &format!(" symmetries={images}");
            }
        }
        text
    }

    fn title(&self) -> String {
        self.title.clone().unwrap_or_else(|| match self.graph.len() {
            1 => "graph of 1 vertex".to_owned(),
            len => format!("graph of {len} vertices"),
        })
    }

    fn vertices(&self) -> usize {
        self.graph.len()
    }

    fn graph(&self) -> Graph {
        self.graph.clone()
    }

    fn symmetries(&self, graph: &Graph) -> Option<SymmetryGroup> {
        match &self.generators {
            None => automorphisms(graph),
            Some(generators) => SymmetryGroup::generated(graph.len(), generators, MOST_ELEMENTS),
        }
    }

    fn symmetry_order(&self, graph: &Graph) -> Option<GroupOrder> {
        if self.generators.is_some() { None } else { Some(Automorphisms::of(graph)?.order()) }
    }

    fn name(&self, v: u32) -> String {
        match &self.names {
            None => (v + 1).to_string(),
            Some(names) => names.of[v as usize].clone(),
        }
    }

    fn vertex(&self, name: &str) -> Result<u32, NameError> {
        let vertex = match &self.names {
            None => {
                let number = name.parse::<u32>().ok().filter(|number| number.to_string() == name);
                number.and_then(|number| number.checked_sub(1)).filter(|&v| (v as usize) < self.graph.len())
            }
            Some(names) => names.vertices.get(name).copied(),
        };
        vertex.ok_or_else(|| NameError::NotInGraph(name.to_owned()))
    }

    fn layout(&self) -> Option<Layout> {
        self.layout.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;

    fn pentagon() -> Given {
        Given::new(Graph::from_edges(5, (0..5).map(|v| (v, (v + 1) % 5))))
    }

    fn read_back(given: &Given) -> Result<(), ArenaError> {
        let text = given.text();
        let read = Given::parse(Words::new(&text)?)?;
        assert_eq!(read.text(), text);
        let (graph, symmetries) = (read.graph(), read.symmetries(&given.graph));
        assert_eq!((&graph, symmetries), (&given.graph, given.symmetries(&given.graph)));
        assert_eq!(read.layout(), given.layout());
        assert!((0..5).all(|v| read.name(v) == given.name(v) && read.vertex(&given.name(v)) == Ok(v)));
        Ok(())
    }

    #[test]
    fn the_normal_form_reads_back() {
        let plain = pentagon();
        assert_eq!(plain.text(), "graph=DhC".replace("DhC", &sparse6::shortest(&plain.graph)));
        read_back(&plain).unwrap();
        let names = ["a b", "c,d", "e=%", "é", "-"];
        let named = plain.clone().titled("five in a ring").named(names).unwrap();
        assert!(named.text().contains(" title=five%20in%20a%20ring names=a%20b,c%2Cd,e%3D%25,%C3%A9,%2D"));
        read_back(&named).unwrap();
        let places = (0..5).map(|file| Square::new(file, file % 2)).collect();
        let layout = Layout::new(2, 5, places).with_seams([(4, 0)]);
        let placed = named.placed(layout).unwrap().symmetric(vec![vec![1, 2, 3, 4, 0]]).unwrap();
        assert!(placed.text().ends_with(" layout=2x5:a1,b2,c1,d2,e1 seams=0-4 symmetries=1.2.3.4.0"));
        assert_eq!(placed.symmetries(&placed.graph).unwrap().order(), 5);
        read_back(&placed).unwrap();
        let rigid = pentagon().symmetric(Vec::new()).unwrap();
        assert_eq!(rigid.symmetries(&rigid.graph).unwrap().order(), 1);
        read_back(&rigid).unwrap();
    }

    #[test]
    fn names_are_numbers_unless_given() {
        assert_eq!((pentagon().name(0), pentagon().vertex("5")), ("1".to_owned(), Ok(4)));
        for bad in ["0", "6", "01", "+1", "a", ""] {
            assert!(pentagon().vertex(bad).is_err(), "{bad}");
        }
        assert_eq!(pentagon().named(["1", "2", "3", "4", "5"]).unwrap(), pentagon());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(matches!(pentagon().named(["a"]), Err(GivenError::Count { .. })));
        assert!(matches!(pentagon().named(["a", "b", "c", "d", "a"]), Err(GivenError::Name(_))));
        assert!(matches!(pentagon().symmetric(vec![vec![1, 0, 2, 3, 4]]), Err(GivenError::Symmetry)));
        assert!(matches!(pentagon().symmetric(vec![vec![0; 5]]), Err(GivenError::Symmetry)));
        let places: Vec<Square> = (0..5).map(|file| Square::new(file, 0)).collect();
        let layout = Layout::new(1, 5, places).with_seams([(0, 2)]);
        assert!(matches!(pentagon().placed(layout), Err(GivenError::Seam(0, 2))));
        for bad in
            ["graph=DqK names=a,b", "graph=DqK layout=1x5:a1,a1,c1,d1,e1", "graph=DqK more=1", "names=a"]
        {
            assert!(Words::new(bad).and_then(Given::parse).is_err(), "{bad}");
        }
    }
}
