//! What the reader reports besides the tours.

/// Largest number of notes of one sort, and of ranges of lines in a note.
const MAX_NOTES: usize = 8;

/// Largest number of skipped lines whose text is reported.
const MAX_TEXTS: usize = 3;

/// Notes of a reader.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadNotes {
    /// Number of skipped lines.
    skipped: u64,
    /// First and last line of each run of skipped lines.
    runs: Vec<(u64, u64)>,
    /// Text of the first skipped lines.
    texts: Vec<String>,
    /// Number of skipped groups of words on lines of tours, and the first of them with its line.
    words: u64,
    first_words: Option<(u64, String)>,
    /// Other notes with the line to which each first applies.
    others: Vec<(u64, String)>,
}

impl ReadNotes {
    pub(super) const fn skipped_lines(&self) -> u64 {
        self.skipped
    }

    /// Adds a line that is skipped as text.
    pub(super) fn add_skipped_line(&mut self, line: u64, text: &str) {
        self.skipped += 1;
        if self.texts.len() < MAX_TEXTS {
            self.texts.push(format!("`{text}`"));
        }
        if let Some((_, last)) = self.runs.last_mut().filter(|(_, last)| *last + 1 == line) {
            *last = line;
        } else if self.runs.len() <= MAX_NOTES {
            self.runs.push((line, line));
        }
    }

    /// Adds words that are skipped on the line of a tour.
    pub(super) fn add_skipped_words(&mut self, line: u64, words: &str) {
        self.words += 1;
        self.first_words.get_or_insert_with(|| (line, words.to_owned()));
    }

    /// Adds another note, unless there is an equal one.
    pub(super) fn add(&mut self, line: u64, text: String) {
        if self.others.len() < MAX_NOTES && !self.others.iter().any(|(_, other)| *other == text) {
            self.others.push((line, text));
        }
    }

    /// Returns the notes as sentences.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut all = Vec::new();
        let runs = &self.runs[..self.runs.len().min(MAX_NOTES)];
        if let [(first, _), ..] = runs {
            let range = |(first, last): &(u64, u64)| match first == last {
                true => first.to_string(),
                false => format!("{first}-{last}"),
            };
            let lines = runs.iter().map(range).collect::<Vec<_>>().join(", ");
            let more = if self.runs.len() > runs.len() { ", ..." } else { "" };
            let texts = self.texts.join(", ");
            let rest = if self.skipped > self.texts.len() as u64 { ", ..." } else { "" };
            all.push(match self.skipped {
                1 => format!("line {first} is skipped as text: {texts}"),
                count => format!("{count} lines are skipped as text: {lines}{more}: {texts}{rest}"),
            });
        }
        if let Some((line, words)) = &self.first_words {
            all.push(match self.words {
                1 => format!("line {line}: the text `{words}` on the line of the tour is skipped"),
                count => format!("text on {count} lines of tours is skipped; on line {line} it is `{words}`"),
            });
        }
        all.extend(self.others.iter().map(|(line, text)| format!("line {line}: {text}")));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_name_lines() {
        let mut notes = ReadNotes::default();
        assert!(notes.sentences().is_empty());
        notes.add_skipped_line(1, "Tour 1:");
        assert!(notes.sentences()[0].contains("line 1"));
        for line in [5, 6, 9] {
            notes.add_skipped_line(line, "more");
        }
        notes.add_skipped_words(3, "Solution");
        notes.add(4, "note".to_owned());
        notes.add(7, "note".to_owned());
        let sentences = notes.sentences();
        assert_eq!((sentences.len(), notes.skipped_lines()), (3, 4));
        assert!(sentences[0].contains("1, 5-6, 9") && sentences[1].contains("line 3"));
        assert!(sentences[2].starts_with("line 4"));
    }
}
