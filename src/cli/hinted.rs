//! The parsers of `--wrap` and `--piece` accept known names, which shells complete and errors suggest, and
//! other values.

use std::error::Error;
use std::ffi::OsStr;
use std::str::FromStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};

use super::usage::is_similar;
use ktour::board::{Piece, Wrap};

/// A parser of values with known names.
#[derive(Clone)]
pub struct NamedValueParser<T> {
    names: Vec<&'static str>,
    parse: fn(String) -> Result<T, Box<dyn Error + Send + Sync>>,
}

impl<T: FromStr<Err: Error + Send + Sync + 'static>> NamedValueParser<T> {
    fn new(names: impl IntoIterator<Item = &'static str>) -> Self {
        Self { names: names.into_iter().collect(), parse: |text| text.parse().map_err(Into::into) }
    }
}

impl<T> NamedValueParser<T> {
    /// Returns the error of a value, with the known name that was probably meant. For a value of several
    /// parts, the first part that does not parse counts: other parts may be numbers or capitalised names.
    fn with_suggestion(&self, typed: &str, error: &str) -> String {
        let unknown = typed.split('+').map(str::trim).find(|part| (self.parse)((*part).to_owned()).is_err());
        let unknown = unknown.unwrap_or(typed).to_lowercase();
        let distance = |name: &&&str| strsim::damerau_levenshtein(&unknown, name);
        let similar = self.names.iter().filter(|name| unknown.len() > 1 && is_similar(&unknown, name));
        match similar.min_by_key(distance) {
            Some(name) => format!("{error}; did you mean {name}?"),
            None => error.to_owned(),
        }
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for NamedValueParser<T> {
    type Value = T;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let read = |text: String| {
            (self.parse)(text.clone()).map_err(|error| self.with_suggestion(&text, &error.to_string()))
        };
        match StringValueParser::new().parse_ref(cmd, arg, value).map(read)? {
            Ok(value) => Ok(value),
            // clap formats the message as one line with the name of the option.
            Err(message) => {
                let failed = move |_: String| Err::<T, String>(message.clone());
                StringValueParser::new().try_map(failed).parse_ref(cmd, arg, value)
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(PossibleValue::new)))
    }
}

/// Returns the parser of `--wrap`.
pub fn wrap_parser() -> NamedValueParser<Wrap> {
    NamedValueParser::new(Wrap::ALL.map(Wrap::name))
}

/// Returns the parser of `--piece`.
pub fn piece_parser() -> NamedValueParser<Piece> {
    NamedValueParser::new(Piece::names())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_without_a_name_are_parsed() {
        let command = Command::new("ktour").arg(Arg::new("piece").value_parser(piece_parser()));
        let read = |text: &str| {
            let found = command.clone().try_get_matches_from(["ktour", text]);
            found.map(|found| found.get_one::<Piece>("piece").unwrap().to_string())
        };
        assert_eq!(read("king").unwrap(), "0,1+1,1");
        assert_eq!(read("camel+0,1").unwrap(), "0,1+1,3");
        let unknown = "queen".parse::<Piece>().unwrap_err().to_string();
        assert!(read("queen").unwrap_err().to_string().contains(&unknown));
        for typed in ["camel+wazr", "0,1+wazr", "King+wazr", "wazr + knight", "1,2+WAZR"] {
            assert!(read(typed).unwrap_err().to_string().contains("wazir?"), "{typed}");
        }
        assert!(!read("1,x").unwrap_err().to_string().contains("did you mean"));
        assert!(piece_parser().possible_values().unwrap().any(|value| value.get_name() == "zebra"));
        assert_eq!(wrap_parser().possible_values().unwrap().count(), Wrap::ALL.len());
    }
}
