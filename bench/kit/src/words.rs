//! Generated text: the same on every run.
//!
//! Words follow Zipf's law over a vocabulary of realistic size, because the cost of a search index
//! depends on its distinct words.

/// Number of distinct words.
const VOCABULARY: f64 = 30_000.0;
const ONSETS: [&str; 16] = [
    "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr",
];
const RHYMES: [&str; 16] = [
    "a", "e", "i", "o", "u", "an", "en", "in", "on", "ar", "er", "or", "al", "el", "ing", "é",
];
/// SplitMix64: small, and equal seeds produce equal text on every machine.
pub struct Chance(pub u64);

impl Chance {
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.number() % limit
    }

    /// Appends a word. The frequent ones are short, as in a natural language.
    pub fn word(&mut self, text: &mut String) {
        #[expect(clippy::cast_precision_loss, reason = "only the distribution matters")]
        let share = self.number() as f64 / u64::MAX as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number from 1 to the size of the vocabulary"
        )]
        let mut rank = VOCABULARY.powf(share) as usize;
        loop {
            text.push_str(ONSETS[rank % 16]);
            text.push_str(RHYMES[(rank / 16) % 16]);
            rank /= 256;
            if rank == 0 {
                break;
            }
        }
    }

    /// Appends `count` words, separated by spaces.
    pub fn words(&mut self, count: u64, text: &mut String) {
        for index in 0..count {
            if index > 0 {
                text.push(' ');
            }
            self.word(text);
        }
    }

    pub fn sentences(&mut self, count: u64, text: &mut String) {
        for _ in 0..count {
            let length = 8 + self.below(10);
            self.words(length, text);
            text.push_str(". ");
        }
    }
}
