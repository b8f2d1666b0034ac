//! Text that is written until nobody wants it any more.

use std::fmt;

use ktour::Control;

/// Takes text, and refuses it once its control is cancelled, which ends whoever writes.
pub struct Sink<'a> {
    text: String,
    control: &'a Control,
}

impl<'a> Sink<'a> {
    /// Of a job under a control.
    pub const fn new(control: &'a Control) -> Self {
        Self { text: String::new(), control }
    }

    /// What was written.
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
