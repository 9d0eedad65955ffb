//! Counts the bars and beats of a song.

/// A song has at most 255 bars.
#[derive(Debug, Default)]
pub struct Song {
    bars: u8,
}

impl Song {
    pub fn new() -> Self {
        Self::default()
    }

    /// Play so many bars more.
    ///
    /// Panics if the song gets too long.
    pub fn extend(&mut self, bars: u8) {
        self.bars = self.bars.checked_add(bars).expect("a song has at most 255 bars");
    }

    pub fn bars(&self) -> u8 {
        self.bars
    }

    pub fn beats(&self, per_bar: u32) -> u32 {
        u32::from(self.bars) * per_bar
    }
}
