/** Tells spreadsheets that a file is UTF-8. */
export const csvMark = '\u{feff}'

/** One line of comma-separated values by RFC 4180. */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(cell).join(',')}\r\n`

function cell(value: string | number | null): string {
  const isText = typeof value === 'string'
  const text = isText ? asText(value) : String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const asText = (value: string): string =>
  (isFormula(value) ? `'${value}` : value).replace(innerFormula, `$1'`)

/**
 * Where the list separator is a semicolon, or somebody pastes, a spreadsheet cuts a cell into several, each of which may be a formula: `;=…`. Signs are
 * taken for one where something to calculate follows: `;-)` is none.
 */
const innerFormula = /([;\t\r\n] *)(?=['"]*(?:[=@]|[+-][\w("]))/g

/**
 * Whether a spreadsheet would calculate a cell instead of showing it: an SMS may say `=HYPERLINK(…)`. With an apostrophe in front it is text. A
 * number in E.164 calculates to itself and stays as it is, so that programs can read it. What has apostrophes in front already gets one more: so
 * who takes one away has the text again.
 */
const isFormula = (text: string): boolean => /^'*[=+\-@\t\r]/.test(text) && !/^\+\d+$/.test(text)
