/**
 * Removes control characters and unpaired surrogates, so that every database, log and terminal accepts the
 * text.
 */
export const plainText = (text: string): string => withoutControls(text).toWellFormed()

/** Removes control characters of a fragment of a text, which may begin or end within a surrogate pair. */
export const withoutControls = (text: string): string =>
  hasControls(text) ? text.replaceAll(new RegExp(control, 'gu'), '') : text

/** Returns whether a text contains control characters other than TAB, LF, FF and CR. */
export const hasControls = (text: string): boolean => control.test(text)

const control = /[^\P{Cc}\t\n\f\r]/u
