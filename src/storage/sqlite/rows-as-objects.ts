type Row = Record<string, unknown>

/** The lists of columns of all statements of the program are fewer; the limit bounds memory for a hostile variety. */
const maxTemplates = 1_000
const templates = new Map<string, Row>()

/**
 * Turns rows of values into objects with these columns. Each is a copy of a template: V8 keeps an object whose more than
 * twelve properties are added by name as a hash table, which takes ten times as long to copy and three times as long to read
 * (JSObject::TooManyFastProperties). JSON.parse makes one that is not.
 */
export function rowsAsObjects(columns: readonly string[], rows: readonly (readonly unknown[])[]): object[] {
  if (rows.length === 0) return []
  const template = templateOf(columns)
  return rows.map((values) => {
    const row = { ...template }
    for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i]
    return row
  })
}

function templateOf(columns: readonly string[]): Row {
  const key = columns.join('\0')
  const known = templates.get(key)
  if (known !== undefined) return known
  if (templates.size >= maxTemplates) templates.clear()
  const made = JSON.parse(`{${columns.map((column) => `${JSON.stringify(column)}:null`).join()}}`) as Row
  templates.set(key, made)
  return made
}
