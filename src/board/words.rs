//! Words `key=value` of a board's text form, and the escaping of names in them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::error::ArenaError;

/// Characters that are escaped in names.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'_').remove(b'+').remove(b'-');

/// Escapes a name for use in a text form. Characters other than letters, digits and `._+-` are
/// percent-encoded (a space is `%20`). The name `-` is encoded too, because `-` alone stands for an empty
/// list.
#[must_use]
pub fn word(name: &str) -> String {
    if name == "-" { "%2D".to_owned() } else { utf8_percent_encode(name, ESCAPED).to_string() }
}

/// Decodes a name that [`escape_word`] has encoded; `None` if the result is not UTF-8.
#[must_use]
pub fn unword(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// The words of a text form that have not been read yet, as pairs of key and value.
#[derive(Clone, Debug)]
pub struct Words<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Words<'a> {
    /// Splits text into words `key=value` at single spaces.
    ///
    /// # Errors
    /// A word without `=`.
    pub fn new(text: &'a str) -> Result<Self, ArenaError> {
        let pair = |word: &'a str| {
            word.split_once('=').ok_or_else(|| {
                ArenaError::Words(format!("`{word}` is not a word KEY=VALUE; separate words by one space"))
            })
        };
        Ok(Self(text.split(' ').map(pair).collect::<Result<_, _>>()?))
    }

    /// Returns the key of the first unread word.
    #[must_use]
    pub fn first(&self) -> Option<&'a str> {
        self.0.first().map(|(key, _)| *key)
    }

    /// Removes the word with the given key and returns its value, if there is one.
    pub fn optional(&mut self, key: &str) -> Option<&'a str> {
        let at = self.0.iter().position(|(own, _)| *own == key)?;
        Some(self.0.remove(at).1)
    }

    /// Removes the word with the given key and returns its value.
    ///
    /// # Errors
    /// There is no word with this key.
    pub fn needed(&mut self, key: &str) -> Result<&'a str, ArenaError> {
        self.optional(key).ok_or_else(|| ArenaError::Words(format!("`{key}` is missing; add {key}=VALUE")))
    }

    /// Checks that all words have been read.
    ///
    /// # Errors
    /// A word is left over.
    pub fn end(self) -> Result<(), ArenaError> {
        match self.0.first() {
            None => Ok(()),
            Some((key, value)) => {
                Err(ArenaError::Words(format!("`{key}={value}` is unknown or repeated; remove it")))
            }
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
