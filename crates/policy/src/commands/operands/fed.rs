//! Names of files in code that a program reads from its input.

use crate::commands::Context;
use crate::commands::ground::{Folder, State};
use crate::decision::Judgement;

/// How long a name in code may be.
const MOST_OF_NAME: usize = 512;

impl<'e> Context<'e, '_> {
    /// Code or queries that a program reads from its input: names of files stand there in quotes.
    pub(in crate::commands) fn fed_code(
        &self,
        name: &str,
        text: &str,
        state: State,
        judgement: &mut Judgement<'e>,
    ) {
        if self.open || !self.files_bound {
            return;
        }
        let no_name = |sign: char| sign.is_whitespace() || "(){}<>|;,".contains(sign);
        for piece in text.split(['"', '\'', '`']) {
            let is_name = piece.len() <= MOST_OF_NAME && !piece.contains(no_name);
            if !piece.is_empty() && is_name && !self.is_word_and_folder(piece, state) {
                self.mention(name, piece, false, state, judgement);
            }
        }
    }

    /// Whether a word in quotes only happens to be the name of a folder.
    fn is_word_and_folder(&self, piece: &str, state: State) -> bool {
        let is_folder = |folder: &Folder| {
            let name = self.ground.follow(*folder, piece);
            name.inside().is_some_and(|inside| inside.is_folder)
        };
        let mut folders = self.ground.candidates(state).into_iter().flatten();
        !piece.contains(['/', '.']) && folders.all(|folder| is_folder(&folder))
    }
}
