//! Parser of nested brackets, as JSON and programming languages write arrays and maps.
//!
//! ```text
//! [[1, 4], [3, 2]]            {{1, 4}, {3, 2}};        ((1 4) (3 2))
//! int t[2][2] = {{1,4}, ..    [1 4; 3 2]               vec![vec![1, 4], ..
//! {"a1": 1, "b3": 2}          {1: "a1", 2: "b3"}       [pos(1, 1), pos(3, 2)]
//! ```
//!
//! All brackets are alike: a list holds elements, and an element may have a key. Words outside of brackets,
//! which name types and variables, are dropped; sizes of a declaration are kept.

use super::names::is_link_word;
use super::token::{Token, TokenKind};

/// Deepest nesting.
const MAX_DEPTH: usize = 32;

/// Contents of brackets, or a single value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Square(String),
    /// A number, and the number of its digits.
    Number(u64, usize),
    /// A sign for a removed square, as it is written.
    Hole(String),
    Word(String),
    List(List),
}

/// A list or map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct List {
    pub(super) elements: Vec<Element>,
    /// Word directly before the bracket, such as the name of a function.
    pub(super) name: Option<String>,
}

/// An element of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    /// Key of the element, as in `"a1": 1` or `dtype=int`.
    pub(super) key: Option<Box<Node>>,
    pub(super) node: Node,
    /// Number of the line on which the element begins.
    pub(super) line: u64,
    /// True if a semicolon precedes the element.
    pub(super) begins_row: bool,
}

impl List {
    /// Returns the node of a list in brackets. A number or text with its type is a value: `np.int64(3)`.
    fn into_node(mut self) -> Node {
        let is_type = self.name.as_ref().is_some_and(|name| {
            let name = name.rsplit('.').next().unwrap_or_default().trim_start_matches('u');
            ["int", "Int", "float", "Float", "str_"].iter().any(|kind| name.starts_with(kind))
        });
        match self.elements.as_slice() {
            [Element { key: None, node: Node::Number(..) | Node::Square(_), .. }] if is_type => {
                self.elements.remove(0).node
            }
            _ => Node::List(self),
        }
    }

    /// Returns true if the list or a list inside it holds `null`.
    pub(super) fn has_null(&self) -> bool {
        self.elements.iter().any(|element| match &element.node {
            Node::Hole(sign) => element.key.is_none() && sign.eq_ignore_ascii_case("null"),
            Node::List(list) => list.has_null(),
            _ => false,
        })
    }

    /// Returns the value with a key.
    pub(super) fn value(&self, key: &str) -> Option<&Node> {
        self.elements.iter().find(|element| element.has_key(key)).map(|element| &element.node)
    }
}

impl Element {
    /// Returns the text of the key; empty without a key.
    pub(super) fn key_text(&self) -> String {
        self.key.as_ref().and_then(|key| key.text()).unwrap_or_default()
    }

    /// Returns true if the element has this key, in letters of either case.
    pub(super) fn has_key(&self, key: &str) -> bool {
        self.key.as_ref().and_then(|key| key.text()).is_some_and(|text| text.eq_ignore_ascii_case(key))
    }
}

impl Node {
    /// Returns the name of the square, if the node is one.
    pub(super) fn as_square(&self) -> Option<&String> {
        if let Self::Square(name) = self { Some(name) } else { None }
    }

    /// Returns the list, if the node is one.
    pub(super) const fn as_list(&self) -> Option<&List> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    /// Returns the number, if the node is one.
    pub(super) const fn as_number(&self) -> Option<u64> {
        if let Self::Number(number, _) = self { Some(*number) } else { None }
    }

    /// Returns the text of a value, as it names a vertex or a key.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Self::Square(text) | Self::Word(text) => Some(text.clone()),
            Self::Number(number, _) => Some(number.to_string()),
            Self::Hole(_) | Self::List(_) => None,
        }
    }
}

/// A parser that takes one line at a time.
#[derive(Debug)]
pub(super) struct TreeParser {
    /// Unfinished lists, the outermost first. The first one is not in brackets.
    stack: Vec<Frame>,
    /// Sizes in a declaration such as `int tour[3][4] =`.
    pub(super) declared: Vec<u64>,
}

#[derive(Debug, Default)]
struct Frame {
    list: List,
    bracket: Option<char>,
    line: u64,
    key: Option<Box<Node>>,
    begins_row: bool,
}

impl TreeParser {
    pub(super) fn new() -> Self {
        Self { stack: vec![Frame::default()], declared: Vec::new() }
    }

    /// Returns true if all brackets are closed.
    pub(super) fn is_balanced(&self) -> bool {
        self.stack.len() == 1
    }

    /// Returns true if the last list may be a row, a pair or a record, so that the tour may continue on the next
    /// line: it holds no lists and no squares.
    pub(super) fn may_continue(&self) -> bool {
        let last = self.stack.first().and_then(|frame| frame.list.elements.last());
        last.and_then(|element| element.node.as_list()).is_none_or(|list| {
            !list.elements.iter().any(|element| match element.node {
                Node::List(_) => true,
                Node::Square(_) => element.key.is_none(),
                _ => false,
            })
        })
    }

    /// Adds the tokens of a line.
    ///
    /// # Errors
    /// The reason why the line is no part of a list.
    pub(super) fn add_line(&mut self, tokens: &[Token<'_>], line: u64) -> Result<(), &'static str> {
        let opens = |at: usize| tokens.get(at).is_some_and(|token| matches!(token.kind, TokenKind::Open(_)));
        for (at, token) in tokens.iter().enumerate() {
            let depth = self.stack.len();
            let frame = self.stack.last_mut().expect("the outermost list stays");
            match token.kind {
                TokenKind::Open(bracket) => {
                    if depth > MAX_DEPTH {
                        return Err("the brackets are nested too deeply");
                    }
                    let is_value_name = at > 0 && is_name_of_value(tokens, at - 1, frame);
                    let name = match is_value_name {
                        true => Some(tokens[at - 1].text.to_owned()),
                        false => frame.take_name(token, line),
                    };
                    // `1. (0, 0)`, `1) pos(0, 0)`, `1 (0, 0)`, `(1) (0, 0)`: the number is the key of the pair.
                    let begin = at - usize::from(name.is_some());
                    let follows = depth == 1 && begin > 0 && frame.key.is_none();
                    let is_number_before = frame.last_node().is_some_and(|node| node.as_number().is_some());
                    let has_sign = follows && is_counter_sign(&tokens[begin - 1]);
                    let number = begin.wrapping_sub(if has_sign { 2 } else { 1 });
                    let is_counted = has_sign || bracket == '(' && tokens[begin].is_apart;
                    let is_enclosed =
                        follows && is_enclosed_number(&tokens[..begin]) && is_pair_ahead(&tokens[at..]);
                    if follows
                        && is_counted
                        && is_number_before
                        && tokens.get(number).is_some_and(Token::is_number)
                        || is_enclosed
                    {
                        frame.set_key()?;
                    }
                    let list = List { name, ..List::default() };
                    self.stack.push(Frame { list, bracket: Some(bracket), line, ..Frame::default() });
                }
                // `(0, 0) - (1, 2).`
                TokenKind::Hole
                    if depth == 1
                        && frame.last_node().is_none_or(is_pair)
                        && is_sign_of_pairs(tokens, at) => {}
                TokenKind::Close(_) | TokenKind::Hole
                    if depth == 1
                        && at > 0
                        && tokens[at - 1].is_number()
                        && is_counter_sign(token)
                        && opens(at + 1) => {}
                TokenKind::Close(bracket) => {
                    let matching = match bracket {
                        ')' => '(',
                        ']' => '[',
                        '>' => '<',
                        _ => '{',
                    };
                    if depth == 1 || frame.bracket != Some(matching) {
                        return Err("a closing bracket has no opening bracket");
                    }
                    if frame.key.is_some() {
                        return Err("a key has no value");
                    }
                    let frame = self.stack.pop().expect("the depth was checked");
                    let outer = self.stack.last_mut().expect("the outermost list stays");
                    outer.push(frame.list.into_node(), frame.line);
                }
                TokenKind::Semicolon => frame.begins_row = true,
                // `(0:0)` is a pair.
                TokenKind::Colon
                    if frame.bracket == Some('(')
                        && matches!(&tokens[at.saturating_sub(2)..], [open, a, _, b, close, ..]
                            if matches!((open.kind, close.kind), (TokenKind::Open(_), TokenKind::Close(_)))
                                && a.is_number() && b.is_number()) => {}
                // `Start: (0, 0)`
                TokenKind::Colon if depth == 1 && at > 0 && is_link(&tokens[at - 1]) => {}
                TokenKind::Colon => frame.set_key()?,
                TokenKind::Equals if depth > 1 || token.text == "=>" => frame.set_key()?,
                TokenKind::Equals => {
                    let elements = std::mem::take(&mut frame.list.elements);
                    if elements.iter().any(|element| element.node.as_number().is_some()) {
                        return Err("a number is left of an equals sign");
                    }
                    if elements.iter().filter_map(|element| element.node.as_list()).any(is_long) {
                        return Err("rows of numbers or squares are left of an equals sign");
                    }
                    let sizes = elements.iter().filter_map(|element| {
                        match element.node.as_list()?.elements.as_slice() {
                            [size] => size.node.as_number(),
                            _ => None,
                        }
                    });
                    self.declared.extend(sizes);
                }
                // `np.int8`, `numpy.array`: one name.
                TokenKind::Word | TokenKind::Square
                    if at > 1
                        && tokens[at - 1].text == "."
                        && tokens[at - 2].kind == TokenKind::Word
                        && !token.is_apart =>
                {
                    if let Some(Element { node: Node::Word(word), .. }) = frame.list.elements.last_mut() {
                        word.push('.');
                        word.push_str(token.text);
                    }
                }
                TokenKind::Ellipsis if at + 1 == tokens.len() && at > 0 => {}
                TokenKind::Ellipsis => return Err("`...` stands for omitted numbers"),
                TokenKind::Square => frame.push(Node::Square(token.text.to_owned()), line),
                TokenKind::Number(number) => {
                    frame.push(Node::Number(number, token.text.len()), line);
                }
                TokenKind::Hole => frame.push(Node::Hole(token.text.to_owned()), line),
                TokenKind::Word if is_name_of_value(tokens, at, frame) => {}
                // `1: Knight at (0, 0)`
                TokenKind::Word if depth == 1 && frame.key.is_some() && is_link(token) => {}
                TokenKind::Word => frame.push(Node::Word(token.text.to_owned()), line),
                TokenKind::Comma
                | TokenKind::Bar
                | TokenKind::Points
                | TokenKind::Hash
                | TokenKind::Rule
                | TokenKind::Sign => {}
            }
        }
        Ok(())
    }

    /// Returns the elements outside of brackets and the declared sizes, without words that only name types
    /// and variables.
    ///
    /// # Errors
    /// If a bracket is not closed.
    pub(super) fn finish(mut self) -> Result<(List, Vec<u64>), &'static str> {
        if !self.is_balanced() {
            return Err("a bracket is not closed");
        }
        let frame = self.stack.pop().expect("the outermost list stays");
        if frame.key.is_some() {
            return Err("a key has no value");
        }
        let mut list = frame.list;
        self.declared.extend(take_sizes_of_type(&mut list));
        list.elements.retain(|element| !matches!(element.node, Node::Word(_)) || element.key.is_some());
        Ok((list, self.declared))
    }
}

/// Returns true for a word that may stand before a square, without quotes.
fn is_link(token: &Token<'_>) -> bool {
    token.kind == TokenKind::Word && !token.is_quoted && is_link_word(token.text)
}

/// Returns true for a sign between a number and the pair that it counts: `1. (0, 0)`, `1) (0, 0)`, `1 - (0, 0)`.
fn is_counter_sign(token: &Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Points | TokenKind::Close(')')) || token.text == "-"
}

/// Returns true for a list of more than two numbers or squares, or one that holds such a list: no sizes of a declaration.
fn is_long(list: &List) -> bool {
    let elements = || list.elements.iter();
    elements().len() > 2 && !elements().any(|element| matches!(element.node, Node::Word(_)))
        || elements().filter_map(|element| element.node.as_list()).any(is_long)
}

/// Removes the sizes of a type before its array, `[][]int{..}`, `[3][4]int{..}`, `new int[3, 4] {..}`, and returns them.
fn take_sizes_of_type(list: &mut List) -> Vec<u64> {
    let is_new = |element: &Element| matches!(&element.node, Node::Word(word) if word == "new");
    let begin = list.elements.iter().position(is_new);
    let first = begin.map_or(0, |at| at + 1);
    let lists: Vec<&List> = list.elements[first..]
        .iter()
        .filter(|element| element.key.is_none())
        .filter_map(|element| element.node.as_list())
        .collect();
    let Some((array, sizes)) = lists
        .split_last()
        .filter(|(_, sizes)| lists.len() + first == list.elements.len() && !sizes.is_empty())
    else {
        return Vec::new();
    };
    let number = |element: &Element| element.node.as_number().filter(|_| element.key.is_none());
    let are_numbers = sizes.iter().flat_map(|size| &size.elements).all(|element| number(element).is_some());
    let is_single = sizes.iter().all(|size| size.elements.len() < 2);
    let has_empty = sizes.iter().any(|size| size.elements.is_empty());
    let is_type = match begin {
        Some(_) => sizes[0].name.is_some() && array.name.is_none() && (is_single || sizes.len() == 1),
        None => {
            is_single && (has_empty || array.name.is_some() && sizes.iter().all(|size| size.name.is_none()))
        }
    };
    if !are_numbers || !is_type || array.elements.is_empty() {
        return Vec::new();
    }
    let declared = sizes.iter().flat_map(|size| &size.elements).filter_map(number).collect();
    let last = list.elements.len() - 1;
    list.elements.drain(..last);
    declared
}

/// Returns true for a word behind a key that names the brackets directly behind it: `1: pos(0, 0)`.
fn is_name_of_value(tokens: &[Token<'_>], at: usize, frame: &Frame) -> bool {
    let opens = |token: &Token<'_>| matches!(token.kind, TokenKind::Open(_)) && !token.is_apart;
    frame.key.is_some() && tokens[at].kind == TokenKind::Word && tokens.get(at + 1).is_some_and(opens)
}

/// Returns true if tokens are a number in brackets of its own.
fn is_enclosed_number(tokens: &[Token<'_>]) -> bool {
    matches!(tokens, [.., open, number, close] if number.is_number()
        && matches!((open.kind, close.kind), (TokenKind::Open('(' | '['), TokenKind::Close(_))))
}

/// Returns true if tokens begin with a pair of numbers in brackets.
fn is_pair_ahead(tokens: &[Token<'_>]) -> bool {
    matches!(tokens, [_, a, comma, b, close, ..] if a.is_number() && comma.kind == TokenKind::Comma && b.is_number()
        && matches!(close.kind, TokenKind::Close(_)))
}

/// Returns true if a node is a list of several values.
fn is_pair(node: &Node) -> bool {
    node.as_list().is_some_and(|list| list.elements.len() > 1)
}

/// Returns true for a dash before or between brackets that hold several values, and for a full stop behind a
/// bracket: `(0, 0) - (1, 2).`
fn is_sign_of_pairs(tokens: &[Token<'_>], at: usize) -> bool {
    let token = &tokens[at];
    let is_at =
        |at: usize, is_in: fn(TokenKind) -> bool| tokens.get(at).is_some_and(|token| is_in(token.kind));
    let closes = |kind| matches!(kind, TokenKind::Close(_));
    let opens = |kind| matches!(kind, TokenKind::Open(_));
    let is_behind = at > 0 && is_at(at - 1, closes);
    let is_last = at + 1 == tokens.len();
    let is_before = is_at(at + 1, opens) && !is_at(at + 2, closes) && !is_at(at + 3, closes);
    match token.text {
        "." => is_behind && (!token.is_apart || is_last),
        "-" | "--" => (is_behind || at == 0) && (is_before || is_behind && is_last),
        _ => false,
    }
}

impl Frame {
    /// Returns the last element, if there is one.
    fn last_node(&self) -> Option<&Node> {
        self.list.elements.last().map(|element| &element.node)
    }

    fn push(&mut self, node: Node, line: u64) {
        let key = self.key.take();
        let begins_row = std::mem::take(&mut self.begins_row);
        self.list.elements.push(Element { key, node, line, begins_row });
    }

    /// Turns the last element into the key of the next one.
    fn set_key(&mut self) -> Result<(), &'static str> {
        if let Some(element) = self.list.elements.pop() {
            if element.key.is_some() {
                return Err("a value has two keys");
            }
            // `[0] => a1`, as PHP prints a list.
            let number = match element.node.as_list().map(|list| list.elements.as_slice()) {
                Some([Element { key: None, node: number @ Node::Number(..), .. }]) => Some(number.clone()),
                _ => None,
            };
            self.key = Some(Box::new(number.unwrap_or(element.node)));
            self.begins_row = element.begins_row;
        }
        Ok(())
    }

    /// Removes and returns the word directly before a bracket.
    fn take_name(&mut self, bracket: &Token<'_>, line: u64) -> Option<String> {
        let is_name = |element: &Element| {
            element.line == line && element.key.is_none() && matches!(element.node, Node::Word(_))
        };
        // `Point { x: 0, y: 1 }` is a record, `point (0, 1)` is text before a pair.
        let is_separate = bracket.is_apart && bracket.kind != TokenKind::Open('{');
        let element = if is_separate { None } else { self.list.elements.pop_if(|element| is_name(element)) };
        element.and_then(|element| element.node.text())
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::{decode_line, lex};
    use super::*;

    fn show(node: &Node) -> String {
        match node {
            Node::List(list) => {
                let elements = list.elements.iter().map(|element| {
                    let key = element.key.as_ref().map_or(String::new(), |key| format!("{}=", show(key)));
                    format!("{}{key}{}", if element.begins_row { "; " } else { "" }, show(&element.node))
                });
                format!(
                    "{}({})",
                    list.name.clone().unwrap_or_default(),
                    elements.collect::<Vec<_>>().join(" ")
                )
            }
            Node::Hole(_) => ".".to_owned(),
            other => other.text().unwrap_or_default(),
        }
    }

    fn parse(text: &str) -> Result<String, &'static str> {
        let mut parser = TreeParser::new();
        for (line, number) in text.lines().zip(1..) {
            parser.add_line(&lex(&decode_line(line.as_bytes())), number)?;
        }
        let (list, declared) = parser.finish()?;
        let declared: Vec<String> = declared.iter().map(u64::to_string).collect();
        Ok(format!("{}{}", declared.join("x"), show(&Node::List(list))))
    }

    #[test]
    fn parser_accepts_arrays_of_many_languages() {
        for (text, expected) in [
            ("[[1, 4],\n [3, 2]]", "(((1 4) (3 2)))"),
            ("int tour[3][4] = {{1, 4}};", "3x4(((1 4)))"),
            ("A = [1 4; 3 2];", "((1 4 ; 3 2))"),
            ("vec![\n vec![1, 4],\n]", "(vec(vec(1 4)))"),
            ("my @t = (\n 1, 4,\n);", "((1 4))"),
            ("{\"a1\": 1, 'b3': null}", "((a1=1 b3=.))"),
            ("[pos(1, 1), pos(3, 2)]", "((pos(1 1) pos(3 2)))"),
            ("np.array([[1., 4.]], dtype=np.int8)", "(np.array(((1 4)) dtype=np.int8))"),
            ("1: (0,0)\n2: (1,2)", "(1=(0 0) 2=(1 2))"),
            ("[1][4]\n[3][2]", "((1) (4) (3) (2))"),
            ("{(0, 0): 1}", "(((0 0)=1))"),
            ("1. (0,0) 2. (1,2)", "(1=(0 0) 2=(1 2))"),
            ("1) (0,0)\n2) (1,2)", "(1=(0 0) 2=(1 2))"),
            ("1 - (0,0)\n2 - (1,2)", "(1=(0 0) 2=(1 2))"),
            ("(1) (0,0)\n[2] (1,2)", "(1=(0 0) 2=(1 2))"),
            ("1. pos(0,0)\n2: pos(1,2)", "(1=pos(0 0) 2=pos(1 2))"),
            ("1. (0,0) -> (1,2)\n2. (1,2) -> (2,0)", "(1=(0 0) (1 2) 2=(1 2) (2 0))"),
            ("Move 1: (0,0) → (1,2)", "(1=(0 0) (1 2))"),
            ("[0] => a1\n[1] => b3", "(0=a1 1=b3)"),
            ("(0,0) (1,2)(2,0)", "((0 0) (1 2) (2 0))"),
            ("[0;0][1;2] {2 0}", "((0 ; 0) (1 ; 2) (2 0))"),
            ("<0,0> <1, 2><2;0>", "((0 0) (1 2) (2 ; 0))"),
            ("(0:0) (1: 2)", "((0 0) (1 2))"),
            ("(0,0)-(1,2) - (2,0).", "((0 0) (1 2) (2 0))"),
            ("- (0,0)\n- (1,2) -\n(2,0)", "((0 0) (1 2) (2 0))"),
            ("[1] - [4]\n- [3]", "((1) . (4) . (3))"),
            ("Start: (0,0)\n1: Knight to (1,2)", "((0 0) 1=(1 2))"),
            ("[Pos { x: 0, y: 1 }]", "((Pos(x=0 y=1)))"),
            ("[(np.int64(0), np.uint8(1))]", "(((0 1)))"),
        ] {
            assert_eq!(parse(text).as_deref(), Ok(expected), "{text}");
        }
        for text in
            ["a = {\n};\n{1, 4, 7},\nb = {1}", "{1: 2: 4}", "[[1, 4]", "[1, 4]]", "[1, 4)", "[1,\n...\n4]"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
