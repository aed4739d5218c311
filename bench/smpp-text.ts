/** The text of each submit: 49 characters that are in ASCII and in GSM-7. */
export const benchText = 'Your code is 160160. It is good for ten minutes.\n'
