//! The functions that the page gives the module: a clock, the display of progress, and the output.

use ktour::Control;

// Builds for other targets only check the code.
#[cfg_attr(target_family = "wasm", link(wasm_import_module = "host"))]
#[cfg_attr(not(target_family = "wasm"), allow(dead_code))]
unsafe extern "C" {
    /// Returns the time since some moment in milliseconds.
    safe fn now() -> f64;
    /// Receives the finished fraction of a request, and the seconds left, or -1 if unknown.
    safe fn progress(fraction: f64, seconds_left: f64);
    /// Receives a byte of the answer or of the message of a panic.
    safe fn put(byte: u8);
}

/// Connects the clock and the messages of panics.
pub fn start() {
    #[cfg(target_family = "wasm")]
    ktour::clock::set_clock(|| std::time::Duration::from_secs_f64(now() / 1000.0));
    std::panic::set_hook(Box::new(|panic| write(panic)));
}

/// Writes a text to the output.
pub fn write(text: &impl ToString) {
    text.to_string().bytes().for_each(|byte| put(byte));
}

/// Reports the progress of a run to the page.
pub fn report(control: &Control) {
    let snapshot = control.progress();
    progress(snapshot.fraction, snapshot.seconds_left().unwrap_or(-1.0));
}

/// Returns the control of a run that reports each step of a sweep to the page.
pub fn new_control() -> Control {
    let control = Control::new();
    let reader = control.clone();
    control.with_log(move |_| report(&reader))
}
