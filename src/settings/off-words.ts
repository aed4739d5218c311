/**
 * Of the built-in words for STOP an operator or an account may say that these are none, because recipients answer questions with them: carriers know them
 * for STOP only by custom.
 */
export const offWords: readonly string[] = ['CANCEL', 'END', 'QUIT', 'REVOKE', 'REMOVE', 'TD']

/** The same in a sentence: `CANCEL, END and TD`. */
export const offWordsList = (conjunction: 'and' | 'or'): string =>
  `${offWords.slice(0, -1).join(', ')} ${conjunction} ${offWords.at(-1)}`
