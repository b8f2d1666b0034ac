//! A text buffer that stops its writer after a cancellation.

use std::fmt;

use ktour::Control;

/// A text buffer. Writes fail once the control is cancelled, which ends the writer.
pub struct Sink<'a> {
    text: String,
    control: &'a Control,
}

impl<'a> Sink<'a> {
    /// Creates an empty buffer under a control.
    pub const fn new(control: &'a Control) -> Self {
        Self { text: String::new(), control }
    }

    /// Returns the written text.
    pub fn text(self) -> String {
        self.text
    }
}

impl fmt::Write for Sink<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.control.is_cancelled() {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}
