//! Reading of the words `key=value` in the text form of a board, and escaping of the names in them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::error::BoardError;

/// Characters that are percent-encoded in names: all except letters, digits and `._+-`.
const ESCAPED_CHARACTERS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'_').remove(b'+').remove(b'-');

/// Escapes a name for use in a text form. Characters other than letters, digits and `._+-` are
/// percent-encoded (a space is `%20`). The name `-` is encoded too, because `-` alone stands for an empty
/// list.
#[must_use]
pub fn escape_word(name: &str) -> String {
    if name == "-" { "%2D".to_owned() } else { utf8_percent_encode(name, ESCAPED_CHARACTERS).to_string() }
}

/// Decodes a name that [`escape_word`] has encoded; `None` if the decoded bytes are not valid
/// UTF-8.
#[must_use]
pub fn unescape_word(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// The words `key=value` of a text form that have not been read yet, as pairs of key and value.
#[derive(Clone, Debug)]
pub struct KeyValues<'a>(Vec<(&'a str, &'a str)>);

impl<'a> KeyValues<'a> {
    /// Splits a text form into words `key=value` at single spaces.
    ///
    /// # Errors
    /// A word has no `=`.
    pub fn new(text: &'a str) -> Result<Self, BoardError> {
        let pair = |word: &'a str| {
            word.split_once('=').ok_or_else(|| {
                BoardError::TextForm(format!("`{word}` is not a word KEY=VALUE; separate words by one space"))
            })
        };
        Ok(Self(text.split(' ').map(pair).collect::<Result<_, _>>()?))
    }

    /// Returns the key of the first unread word; `None` if all words have been read.
    #[must_use]
    pub fn first_key(&self) -> Option<&'a str> {
        self.0.first().map(|(key, _)| *key)
    }

    /// Removes the unread word with the given key and returns its value; `None` if there is no such
    /// word.
    pub fn take_optional(&mut self, key: &str) -> Option<&'a str> {
        let at = self.0.iter().position(|(own, _)| *own == key)?;
        Some(self.0.remove(at).1)
    }

    /// Removes the unread word with the given key and returns its value.
    ///
    /// # Errors
    /// There is no word with this key.
    pub fn take_required(&mut self, key: &str) -> Result<&'a str, BoardError> {
        self.take_optional(key)
            .ok_or_else(|| BoardError::TextForm(format!("`{key}` is missing; add {key}=VALUE")))
    }

    /// Checks that all words of the text form have been read.
    ///
    /// # Errors
    /// A word has not been read.
    pub fn expect_end(self) -> Result<(), BoardError> {
        match self.0.first() {
            None => Ok(()),
            Some((key, value)) => {
                Err(BoardError::TextForm(format!("`{key}={value}` is unknown or repeated; remove it")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_by_key_and_leftovers_are_rejected() {
        let mut words = KeyValues::new("board=6x8 piece=1,2 more=a=b").unwrap();
        assert_eq!(words.first_key(), Some("board"));
        assert_eq!(words.take_required("piece"), Ok("1,2"));
        assert!(words.take_required("piece").is_err());
        assert_eq!(words.take_optional("more"), Some("a=b"));
        assert!(words.clone().expect_end().is_err());
        assert_eq!(words.take_required("board"), Ok("6x8"));
        assert_eq!(words.expect_end(), Ok(()));
        assert!(KeyValues::new("board").is_err() && KeyValues::new("a=1  b=2").is_err());
    }
}
