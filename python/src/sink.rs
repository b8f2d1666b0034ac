//! A text buffer that stops its writer after a cancellation.

use std::fmt;

use ktour::Control;

/// A text buffer. Writes fail once the control is cancelled, which ends the writer.
pub struct CancellableString<'a> {
    into_text: String,
    control: &'a Control,
}

impl<'a> CancellableString<'a> {
    /// Creates an empty buffer under a control.
    pub const fn new(control: &'a Control) -> Self {
        Self { into_text: String::new(), control }
    }

    /// Returns the written text.
    pub fn into_text(self) -> String {
        self.into_text
    }
}

impl fmt::Write for CancellableString<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.control.is_cancelled() {
            return Err(fmt::Error);
        }
        self.into_text.push_str(text);
        Ok(())
    }
}
