/** Text as every database, log and terminal takes it: without control characters and half surrogate pairs. */
export const plainText = (text: string): string => withoutControls(text).toWellFormed()

/** The same for a piece of a text, which may begin or end within a pair. */
export const withoutControls = (text: string): string =>
  hasControls(text) ? text.replaceAll(new RegExp(control, 'gu'), '') : text

/** Of the control characters only TAB, LF, FF and CR may stand in a text. */
export const hasControls = (text: string): boolean => control.test(text)

const control = /[^\P{Cc}\t\n\f\r]/u
