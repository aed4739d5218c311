/** What is said on a busy account changes all the time; nobody reads it faster. */
export const conversationPauseMs = 1_500
