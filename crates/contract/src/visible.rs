//! Which characters a reader cannot see. What is shown to the one who approves, and what comes from strangers, has them
//! written out.

/// Whether a character is to be shown as its number: controls other than tab and line feed, marks that turn the reading
/// direction, zero-width letters, fillers, tags and other things that carry text nobody sees.
#[must_use]
pub const fn is_hidden(letter: char) -> bool {
    matches!(letter,
        '\u{00}'..='\u{08}' | '\u{0b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character changes how its neighbours look and takes no room: of use alone or in pairs (in emoji, in Persian
/// and Indic scripts), and an alphabet for hidden text in longer runs.
#[must_use]
pub const fn is_joining(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}
