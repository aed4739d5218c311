/** Conversations of a busy account change constantly; faster updates could not be read. */
export const conversationPauseMs = 1_500
