//! [`CustomGraph`]: a board made from any graph, with optional title, vertex names, layout and symmetries.
//!
//! ```text
//! graph=DqK title=pentagon names=a,b,c,d,e layout=2x3:a1,b1,c1,a2,c2 seams=0-2
//! ```
//!
//! The graph is written in graph6, or in sparse6 if the graph is large and sparse6 is shorter. All
//! other words are optional: the vertex names (default: numbers from 1), the layout, the moves
//! across a seam (where edges of the board are joined), and generators of the symmetry group
//! (default: all automorphisms, see [`find_automorphism_group`]). In titles and names, characters
//! other than letters, digits and `._+-` are percent-encoded as in URLs: a space is `%20`.

use std::collections::HashMap;

use super::automorphisms::{Automorphisms, MAX_GROUP_ELEMENTS, find_automorphism_group};
use super::board_kind::BoardKind;
use super::error::{BoardError, CustomGraphError, NameError};
use super::picture_positions::PicturePositions;
use super::symmetry_group::{GroupOrder, SymmetryGroup};
use super::text_form::{KeyValues, escape_word, unescape_word};
use super::{Graph, Layout, Rectangle, sparse6};
use crate::text_format::format_count;

/// A board made from any graph, with an optional title, vertex names, layout and symmetries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomGraph {
    graph: Graph,
    title: Option<String>,
    names: Option<VertexNames>,
    layout: Option<Layout>,
    picture: Option<PicturePositions>,
    generators: Option<Vec<Vec<u32>>>,
}

/// Vertex names, with lookup of the name of a vertex and of the vertex with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct VertexNames {
    by_vertex: Vec<String>,
    by_name: HashMap<String, u32>,
}

impl CustomGraph {
    /// First key of the text form of a custom graph.
    pub(super) const KEY: &str = "graph";

    /// Creates a board from a graph, without title, vertex names, positions and given symmetries.
    #[must_use]
    pub const fn new(graph: Graph) -> Self {
        Self { graph, title: None, names: None, layout: None, picture: None, generators: None }
    }

    /// Sets the title of the board, a short name for headings.
    #[cfg(test)]
    pub(crate) fn with_title(self, title: &str) -> Self {
        Self { title: Some(title.to_owned()), ..self }
    }

    /// Sets the names of the vertices, in order of the vertices.
    ///
    /// # Errors
    /// The number of names differs from the number of vertices, two names are equal, or a name is empty.
    pub fn with_names(
        self,
        names: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, CustomGraphError> {
        let by_vertex: Vec<String> = names.into_iter().map(Into::into).collect();
        self.check_count("names", by_vertex.len())?;
        let mut vertices = HashMap::with_capacity(by_vertex.len());
        for (v, name) in (0..).zip(&by_vertex) {
            if name.is_empty() || vertices.insert(name.clone(), v).is_some() {
                return Err(CustomGraphError::EmptyOrDuplicateName(name.clone()));
            }
        }
        // The default names are not stored, so that equal boards compare equal.
        let are_default =
            (1..).zip(&by_vertex).all(|(number, name): (u32, &String)| *name == number.to_string());
        Ok(Self { names: (!are_default).then_some(VertexNames { by_vertex, by_name: vertices }), ..self })
    }

    /// Sets the positions of the vertices in the plane.
    ///
    /// # Errors
    /// The number of positions differs from the number of vertices, or a seam move is not an edge.
    pub fn with_layout(self, layout: Layout) -> Result<Self, CustomGraphError> {
        self.check_count("positions", layout.positions().len())?;
        let vertices = self.graph.len();
        let is_move = |v: u32, w: u32| (w as usize) < vertices && self.graph.is_edge(v as usize, w as usize);
        let non_edge = layout.seams().find(|&(v, w)| !is_move(v, w));
        match non_edge {
            Some((v, w)) => Err(CustomGraphError::SeamNotAdjacent(v, w)),
            None => Ok(Self { layout: Some(layout), ..self }),
        }
    }

    /// Removes the positions of the vertices in the plane.
    pub(super) fn without_layout(self) -> Self {
        Self { layout: None, ..self }
    }

    /// Sets the positions of the vertices in pictures: right, and up. A layout, if there is one, takes precedence. The
    /// text form does not contain these positions.
    ///
    /// # Errors
    /// The number of positions differs from the number of vertices, or a position is not finite.
    pub fn with_picture_positions(self, positions: &[(f64, f64)]) -> Result<Self, CustomGraphError> {
        self.check_count("positions", positions.len())?;
        let picture = PicturePositions::new(positions).ok_or(CustomGraphError::NotFinite)?;
        Ok(Self { picture: Some(picture), ..self })
    }

    /// Sets the symmetry group to the group that `generators` generate. A generator lists the image
    /// of each vertex. Without generators the group is trivial.
    ///
    /// # Errors
    /// A generator is not an automorphism, or the group has more than [`MAX_GROUP_ELEMENTS`] elements.
    pub fn with_symmetry_generators(self, generators: Vec<Vec<u32>>) -> Result<Self, CustomGraphError> {
        let vertices = self.graph.len();
        for image in &generators {
            let mut sorted = image.clone();
            sorted.sort_unstable();
            let is_permutation = sorted.iter().copied().eq(0..vertices as u32);
            if !is_permutation || !self.graph.has_automorphism(image) {
                return Err(CustomGraphError::NotAutomorphism);
            }
        }
        if SymmetryGroup::generate(vertices, &generators, MAX_GROUP_ELEMENTS).is_none() {
            return Err(CustomGraphError::GroupTooLarge);
        }
        Ok(Self { generators: Some(generators), ..self })
    }

    fn check_count(&self, what: &'static str, found: usize) -> Result<(), CustomGraphError> {
        let vertices = self.graph.len();
        if found == vertices {
            Ok(())
        } else {
            Err(CustomGraphError::Count { items: what, count: found, vertices })
        }
    }

    /// Parses a custom graph from the words of its text form.
    pub(super) fn parse(mut words: KeyValues<'_>) -> Result<Self, BoardError> {
        let wrong = |what: &str| BoardError::TextForm(what.to_owned());
        let unescaped = |text: &str| {
            unescape_word(text)
                .ok_or_else(|| wrong("a title or name is not valid UTF-8; percent-encode its UTF-8 bytes"))
        };
        let mut graph = Self::new(sparse6::decode(words.take_required(Self::KEY)?)?);
        graph.title = words.take_optional("title").map(unescaped).transpose()?;
        if let Some(names) = words.take_optional("names") {
            let names: Vec<String> = names.split(',').map(unescaped).collect::<Result<_, _>>()?;
            graph = graph.with_names(names)?;
        }
        if let Some(text) = words.take_optional("layout") {
            let (size, positions) = text
                .split_once(':')
                .ok_or_else(|| wrong("the layout has no positions; write ROWSxCOLS:SQUARES"))?;
            let size: Rectangle = size.parse()?;
            let place = |name: &str| {
                let square = name.parse().map_err(NameError::from)?;
                if size.is_inside(square) { Ok(square) } else { Err(NameError::NotOnBoard(square)) }
            };
            let positions: Vec<_> = positions.split(',').map(place).collect::<Result<_, _>>()?;
            let mut different = positions.clone();
            different.sort_unstable();
            different.dedup();
            if different.len() != positions.len() {
                return Err(wrong("two vertices of the layout have one position; give every vertex its own"));
            }
            let mut layout = Layout::new(size.rows(), size.cols(), positions);
            if let Some(seams) = words.take_optional("seams") {
                let pair = |text: &str| {
                    let (v, w) = text.split_once('-')?;
                    Some((v.parse().ok()?, w.parse().ok()?))
                };
                let seams: Option<Vec<(u32, u32)>> = seams.split(',').map(pair).collect();
                layout = layout.with_seams(seams.ok_or_else(|| {
                    wrong("a seam is not a pair of vertex numbers; write pairs such as 0-2")
                })?);
            }
            graph = graph.with_layout(layout)?;
        }
        if let Some(text) = words.take_optional("symmetries") {
            let image = |text: &str| text.split('.').map(str::parse).collect();
            let generators = match text {
                "-" => Ok(Vec::new()),
                _ => text.split(',').map(image).collect::<Result<Vec<Vec<u32>>, _>>(),
            };
            graph = graph.with_symmetry_generators(generators.map_err(|_| wrong("a symmetry is not a list of vertex numbers; write numbers separated by dots, such as 1.2.0"))?)?;
        }
        words.expect_end()?;
        Ok(graph)
    }
}

impl BoardKind for CustomGraph {
    fn text_form(&self) -> String {
        fn list<T>(items: &[T], by: &str, item: impl FnMut(&T) -> String) -> String {
            items.iter().map(item).collect::<Vec<_>>().join(by)
        }
        let mut text = format!("{}={}", Self::KEY, sparse6::encode_shortest(&self.graph));
        if let Some(title) = &self.title {
            text += &format!(" title={}", escape_word(title));
        }
        if let Some(names) = &self.names {
            text += &format!(" names={}", list(&names.by_vertex, ",", |name| escape_word(name)));
        }
        if let Some(layout) = &self.layout {
            let places = list(layout.positions(), ",", ToString::to_string);
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
        let title = || format!("graph of {}", format_count(self.graph.len(), "vertex"));
        self.title.clone().unwrap_or_else(title)
    }

    fn vertex_count(&self) -> usize {
        self.graph.len()
    }

    fn graph(&self) -> Graph {
        self.graph.clone()
    }

    fn symmetries(&self, graph: &Graph) -> Option<SymmetryGroup> {
        match &self.generators {
            None => find_automorphism_group(graph),
            Some(generators) => SymmetryGroup::generate(graph.len(), generators, MAX_GROUP_ELEMENTS),
        }
    }

    fn symmetry_order(&self, graph: &Graph) -> Option<GroupOrder> {
        if self.generators.is_some() { None } else { Some(Automorphisms::find(graph)?.order()) }
    }

    fn name(&self, v: u32) -> String {
        match &self.names {
            None => (v + 1).to_string(),
            Some(names) => names.by_vertex[v as usize].clone(),
        }
    }

    fn vertex(&self, name: &str) -> Result<u32, NameError> {
        let vertex = match &self.names {
            None => {
                let number = name.parse::<u32>().ok().filter(|number| number.to_string() == name);
                number.and_then(|number| number.checked_sub(1)).filter(|&v| (v as usize) < self.graph.len())
            }
            Some(names) => names.by_name.get(name).copied(),
        };
        vertex.ok_or_else(|| NameError::NotInGraph(name.to_owned()))
    }

    fn layout(&self) -> Option<Layout> {
        self.layout.clone()
    }

    fn picture_positions(&self) -> Option<&PicturePositions> {
        self.picture.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Square;
    use super::*;

    fn pentagon() -> CustomGraph {
        CustomGraph::new(Graph::from_edges(5, (0..5).map(|v| (v, (v + 1) % 5))))
    }

    fn assert_round_trip(custom_graph: &CustomGraph) -> Result<(), BoardError> {
        let text = custom_graph.text_form();
        let read = CustomGraph::parse(KeyValues::new(&text)?)?;
        assert_eq!(read.text_form(), text);
        let (graph, symmetries) = (read.graph(), read.symmetries(&custom_graph.graph));
        assert_eq!((&graph, symmetries), (&custom_graph.graph, custom_graph.symmetries(&custom_graph.graph)));
        assert_eq!(read.layout(), custom_graph.layout());
        assert!(
            (0..5)
                .all(|v| read.name(v) == custom_graph.name(v) && read.vertex(&custom_graph.name(v)) == Ok(v))
        );
        Ok(())
    }

    #[test]
    fn text_form_of_custom_graphs_round_trips() {
        let plain = pentagon();
        assert_eq!(plain.text_form(), "graph=DhC".replace("DhC", &sparse6::encode_shortest(&plain.graph)));
        assert_round_trip(&plain).unwrap();
        let names = ["a b", "c,d", "e=%", "é", "-"];
        let named = plain.clone().with_title("five in a ring").with_names(names).unwrap();
        assert!(
            named.text_form().contains(" title=five%20in%20a%20ring names=a%20b,c%2Cd,e%3D%25,%C3%A9,%2D")
        );
        assert_round_trip(&named).unwrap();
        let positions = (0..5).map(|file| Square::new(file, file % 2)).collect();
        let layout = Layout::new(2, 5, positions).with_seams([(4, 0)]);
        let placed =
            named.with_layout(layout).unwrap().with_symmetry_generators(vec![vec![1, 2, 3, 4, 0]]).unwrap();
        assert!(placed.text_form().ends_with(" layout=2x5:a1,b2,c1,d2,e1 seams=0-4 symmetries=1.2.3.4.0"));
        assert_eq!(placed.symmetries(&placed.graph).unwrap().order(), 5);
        assert_round_trip(&placed).unwrap();
        let rigid = pentagon().with_symmetry_generators(Vec::new()).unwrap();
        assert_eq!(rigid.symmetries(&rigid.graph).unwrap().order(), 1);
        assert_round_trip(&rigid).unwrap();
    }

    #[test]
    fn default_names_are_numbers() {
        assert_eq!((pentagon().name(0), pentagon().vertex("5")), ("1".to_owned(), Ok(4)));
        for bad in ["0", "6", "01", "+1", "a", ""] {
            assert!(pentagon().vertex(bad).is_err(), "{bad}");
        }
        assert_eq!(pentagon().with_names(["1", "2", "3", "4", "5"]).unwrap(), pentagon());
    }

    #[test]
    fn parts_that_do_not_fit_the_graph_are_rejected() {
        assert!(matches!(pentagon().with_names(["a"]), Err(CustomGraphError::Count { .. })));
        assert!(matches!(
            pentagon().with_names(["a", "b", "c", "d", "a"]),
            Err(CustomGraphError::EmptyOrDuplicateName(_))
        ));
        assert!(matches!(
            pentagon().with_symmetry_generators(vec![vec![1, 0, 2, 3, 4]]),
            Err(CustomGraphError::NotAutomorphism)
        ));
        assert!(matches!(
            pentagon().with_symmetry_generators(vec![vec![0; 5]]),
            Err(CustomGraphError::NotAutomorphism)
        ));
        let positions: Vec<Square> = (0..5).map(|file| Square::new(file, 0)).collect();
        let layout = Layout::new(1, 5, positions).with_seams([(0, 2)]);
        assert!(matches!(pentagon().with_layout(layout), Err(CustomGraphError::SeamNotAdjacent(0, 2))));
        let infinite = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (f64::INFINITY, 0.0)];
        assert_eq!(pentagon().with_picture_positions(&infinite), Err(CustomGraphError::NotFinite));
        assert!(matches!(
            pentagon().with_picture_positions(&infinite[..4]),
            Err(CustomGraphError::Count { count: 4, .. })
        ));
        for bad in
            ["graph=DqK names=a,b", "graph=DqK layout=1x5:a1,a1,c1,d1,e1", "graph=DqK more=1", "names=a"]
        {
            assert!(KeyValues::new(bad).and_then(CustomGraph::parse).is_err(), "{bad}");
        }
    }
}
