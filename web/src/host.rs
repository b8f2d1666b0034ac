//! The functions that the page gives the module: a clock, the display of progress, and that of a fatal error.

use ktour::Control;

#[cfg(target_family = "wasm")]
mod imports {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Returns the time since some moment in milliseconds.
        pub safe fn now() -> f64;
        /// Receives the finished fraction of a request, and the seconds left, or -1 if unknown.
        pub safe fn progress(fraction: f64, seconds_left: f64);
        /// Receives the message of a panic, as the address and length of a text.
        pub safe fn fail(address: *const u8, bytes: usize);
    }
}

/// Stands for the page in builds for other targets, which only checks of the code use.
#[cfg(not(target_family = "wasm"))]
mod imports {
    pub fn progress(_fraction: f64, _seconds_left: f64) {}
}

/// Connects the clock and the messages of panics.
#[cfg(target_family = "wasm")]
pub fn start() {
    ktour::clock::set_clock(|| std::time::Duration::from_secs_f64(imports::now() / 1000.0));
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        imports::fail(text.as_ptr(), text.len());
    }));
}

/// Reports the progress of a run to the page.
pub fn report(control: &Control) {
    let progress = control.progress();
    imports::progress(progress.fraction, progress.seconds_left().unwrap_or(-1.0));
}

/// Returns the control of a run that reports each step of a sweep to the page.
pub fn new_control() -> Control {
    let control = Control::new();
    let reader = control.clone();
    control.with_log(move |_| report(&reader))
}
