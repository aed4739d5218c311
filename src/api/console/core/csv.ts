/** Byte order mark: marks a file as UTF-8 for spreadsheets. */
export const csvMark = '\u{feff}'

/** Formats one line of comma-separated values (RFC 4180). */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(cell).join(',')}\r\n`

function cell(value: string | number | null): string {
  const isText = typeof value === 'string'
  const text = isText ? asText(value) : String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const asText = (value: string): string =>
  (isFormula(value) ? `'${value}` : value).replace(embeddedFormula, `$1'`)

/**
 * With a semicolon as list separator, or when pasting, a spreadsheet splits a cell into several, and each may
 * be a formula: `;=…`. A sign counts as a formula only before something to calculate: `;-)` does not.
 */
const embeddedFormula = /([;\t\r\n] *)(?=['"]*(?:[=@]|[+-][\w("]))/g

/**
 * Returns whether a spreadsheet would calculate a cell instead of showing it: an SMS may contain
 * `=HYPERLINK(…)`. A leading apostrophe makes it text. An E.164 number evaluates to itself and stays
 * unchanged, so that programs can read it. Text that already begins with apostrophes gets one more, so that
 * removing one restores the original.
 */
const isFormula = (text: string): boolean => /^'*[=+\-@\t\r]/.test(text) && !/^\+\d+$/.test(text)
