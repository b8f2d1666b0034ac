//! [`Palette`], the colour palettes of pictures, and the colours of each palette.
//!
//! ```text
//! wood       tan board, an open path from blue to red
//! viridis    grey board, from violet to yellow-green: distinguishable by all kinds of eyes, and in greys
//! mono       white board, from grey to black: for print
//! ```
//!
//! A picture never relies on colour alone: the start of a path is a disc, its end a diamond.

/// A set of colours for the board and the tour in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
pub enum Palette {
    /// Tan squares, open paths from blue to red
    #[default]
    Wood,
    /// Grey squares, open paths from violet to yellow-green; suits colour-blind readers
    ///
    /// The lightness of a path changes in even steps.
    Viridis,
    /// Black on white, for print
    ///
    /// White and light grey squares; the colour of an open path goes from grey to black.
    Mono,
}

/// The colours of a palette: texts in SVG notation, and numbers for terminals.
pub(super) struct Colours {
    pub(super) light: &'static str,
    pub(super) dark: &'static str,
    /// Colour of lines and letters that belong to neither the board nor the tour.
    pub(super) frame: &'static str,
    pub(super) closed: &'static str,
    pub(super) start: &'static str,
    pub(super) end: &'static str,
    /// Colour of the discs behind numbers, and (next field) of the numbers.
    pub(super) disc: &'static str,
    pub(super) ink: &'static str,
    /// Colours of an open path from its start to its end (the ramp), as red, green and blue from 0
    /// to 255.
    ramp: &'static [[f64; 3]],
    /// Numbers of terminal colours, 0 to 255: for the ramp of an open path, for a closed tour, and
    /// for the start and end.
    terminal_ramp: &'static [u8],
    terminal_closed: u8,
    pub(super) terminal_ends: [u8; 2],
}

const WOOD: Colours = Colours {
    light: "#f4ecd8",
    dark: "#d2b48c",
    frame: "#5b4636",
    closed: "#1f4e79",
    start: "#1a7f37",
    end: "#c62828",
    disc: "#fffdf7",
    ink: "#222222",
    ramp: &[[11.0, 95.0, 165.0], [123.0, 50.0, 148.0], [215.0, 48.0, 31.0]],
    terminal_ramp: &[33, 63, 99, 134, 169, 204, 203],
    terminal_closed: 75,
    terminal_ends: [40, 196],
};

const VIRIDIS: Colours = Colours {
    light: "#f7f7f7",
    dark: "#dcdcdc",
    frame: "#4d4d4d",
    closed: "#31688e",
    start: "#440154",
    end: "#b8a100",
    disc: "#ffffff",
    ink: "#222222",
    ramp: &[
        [68.0, 1.0, 84.0],
        [59.0, 82.0, 139.0],
        [33.0, 145.0, 140.0],
        [94.0, 201.0, 98.0],
        [184.0, 190.0, 30.0],
    ],
    terminal_ramp: &[97, 61, 31, 37, 42, 113, 184],
    terminal_closed: 37,
    terminal_ends: [141, 226],
};

const MONO: Colours = Colours {
    light: "#ffffff",
    dark: "#e6e6e6",
    frame: "#333333",
    closed: "#000000",
    start: "#000000",
    end: "#000000",
    disc: "#ffffff",
    ink: "#000000",
    ramp: &[[165.0, 165.0, 165.0], [0.0, 0.0, 0.0]],
    terminal_ramp: &[240, 244, 248, 252],
    terminal_closed: 250,
    terminal_ends: [255, 255],
};

impl Palette {
    /// All palettes.
    pub const ALL: [Self; 3] = [Self::Wood, Self::Viridis, Self::Mono];

    pub(super) const fn colours(self) -> &'static Colours {
        match self {
            Self::Wood => &WOOD,
            Self::Viridis => &VIRIDIS,
            Self::Mono => &MONO,
        }
    }
}

impl Colours {
    /// Returns the colour of an open path at a fraction of its length, 0 to 1, as `#rrggbb`.
    pub(super) fn ramp_colour(&self, fraction: f64) -> String {
        let scaled = fraction * (self.ramp.len() - 1) as f64;
        let step = (scaled as usize).min(self.ramp.len() - 2);
        let part = scaled - step as f64;
        let mix =
            |i: usize| (self.ramp[step][i] + part * (self.ramp[step + 1][i] - self.ramp[step][i])).round();
        format!("#{:02x}{:02x}{:02x}", mix(0) as u8, mix(1) as u8, mix(2) as u8)
    }

    /// Returns the number of the terminal colour of an open path at a fraction of its length, 0 to
    /// 1; of a closed tour if `fraction` is `None`.
    pub(super) fn terminal_colour(&self, fraction: Option<f64>) -> u8 {
        let Some(fraction) = fraction else { return self.terminal_closed };
        let at = (fraction * self.terminal_ramp.len() as f64) as usize;
        self.terminal_ramp[at.min(self.terminal_ramp.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ramps_have_distinct_end_colours() {
        let wood = Palette::Wood.colours();
        assert_eq!(
            (wood.ramp_colour(0.0), wood.ramp_colour(1.0)),
            ("#0b5fa5".to_owned(), "#d7301f".to_owned())
        );
        for palette in Palette::ALL {
            let colours = palette.colours();
            assert_ne!(colours.terminal_colour(Some(0.0)), colours.terminal_colour(Some(1.0)));
        }
    }
}
