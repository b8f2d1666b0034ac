//! The words of an arena's normal form.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::error::ArenaError;

/// What is escaped in names.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'_').remove(b'+').remove(b'-');

/// A name as part of a word: what is not a letter, a digit or one of `._+-` is escaped, `%20`, and so is `-`
/// by itself, which stands for nothing.
#[must_use]
pub fn word(name: &str) -> String {
    if name == "-" { "%2D".to_owned() } else { utf8_percent_encode(name, ESCAPED).to_string() }
}

/// The name that was made part of a word; `None` if it is not text.
#[must_use]
pub fn unword(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// The words of a normal form that have not been read yet.
#[derive(Clone, Debug)]
pub struct Words<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Words<'a> {
    /// Words `key=value` with spaces between.
    ///
    /// # Errors
    /// A word that is not of that form.
    pub fn new(text: &'a str) -> Result<Self, ArenaError> {
        let pair = |word: &'a str| {
            word.split_once('=').ok_or_else(|| ArenaError::Words(format!("`{word}` is not KEY=VALUE")))
        };
        Ok(Self(text.split(' ').map(pair).collect::<Result<_, _>>()?))
    }

    /// The key of the first word.
    #[must_use]
    pub fn first(&self) -> Option<&'a str> {
        self.0.first().map(|(key, _)| *key)
    }

    /// Takes the value of a key, if it is there.
    pub fn optional(&mut self, key: &str) -> Option<&'a str> {
        let at = self.0.iter().position(|(own, _)| *own == key)?;
        Some(self.0.remove(at).1)
    }

    /// Takes the value of a key.
    ///
    /// # Errors
    /// It is missing.
    pub fn needed(&mut self, key: &str) -> Result<&'a str, ArenaError> {
        self.optional(key).ok_or_else(|| ArenaError::Words(format!("`{key}` is missing")))
    }

    /// Sees to it that nothing is left.
    ///
    /// # Errors
    /// A word that nobody has read.
    pub fn end(self) -> Result<(), ArenaError> {
        match self.0.first() {
            None => Ok(()),
            Some((key, value)) => Err(ArenaError::Words(format!("unknown `{key}={value}`"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_by_key_and_none_is_left() {
        let mut words = Words::new("board=6x8 piece=1,2 more=a=b").unwrap();
        assert_eq!(words.first(), Some("board"));
        assert_eq!(words.needed("piece"), Ok("1,2"));
        assert!(words.needed("piece").is_err());
        assert_eq!(words.optional("more"), Some("a=b"));
        assert!(words.clone().end().is_err());
        assert_eq!(words.needed("board"), Ok("6x8"));
        assert_eq!(words.end(), Ok(()));
        assert!(Words::new("board").is_err() && Words::new("a=1  b=2").is_err());
    }
}
