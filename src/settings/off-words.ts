/**
 * The built-in STOP keywords that an operator or an account can switch off, because recipients answer
 * questions with them. Carriers treat them as STOP only by custom.
 */
export const offWords: readonly string[] = ['CANCEL', 'END', 'QUIT', 'REVOKE', 'REMOVE', 'TD']

/** Lists them in a sentence: `CANCEL, END and TD`. */
export const offWordsList = (conjunction: 'and' | 'or'): string =>
  `${offWords.slice(0, -1).join(', ')} ${conjunction} ${offWords.at(-1)}`
