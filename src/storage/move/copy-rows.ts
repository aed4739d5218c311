import pg from 'pg'
import type { Value } from '../seam/dialect.ts'
import { asStorageError } from '../postgres/postgres-faults.ts'

/** PostgreSQL cannot store the character 0 in a text. */
const nul = /\0/g
/**
 * The substitute for a character that cannot be represented (ECMA-48, section 8.3.148); as long as what it
 * replaces.
 */
const substitute = '\u001A'

const special = /[\\\b\f\n\r\t\v]/g
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v',
} // prettier-ignore

/**
 * Formats rows for COPY in text format (postgresql.org/docs/current/sql-copy.html), one per line. A character
 * 0 becomes SUB (U+001A).
 */
export const copyText = (rows: readonly (readonly Value[])[]): string =>
  rows.map((row) => `${row.map(copyValue).join('\t')}\n`).join('')

function copyValue(value: Value): string {
  if (value === null) return '\\N'
  if (typeof value === 'number') return String(value)
  return value.replace(nul, substitute).replace(special, (character) => escapes[character] as string)
}

/** The part of pg's connection that a COPY needs; its types lack it. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** A COPY … FROM STDIN that sends its rows when the server requests them. */
class CopyQuery extends pg.Query {
  readonly #lines: string

  constructor(statement: string, lines: string, done: (error: Error | undefined) => void) {
    super(statement, done)
    this.#lines = lines
  }

  /** Called by pg's client. */
  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(Buffer.from(this.#lines))
    connection.endCopyFrom()
  }
}

/** Copies rows into a table of a PostgreSQL server, all or none. Throws `StorageError`. */
export function copyRows(
  client: pg.ClientBase,
  into: { table: string; columns: readonly string[] },
  rows: readonly (readonly Value[])[],
): Promise<void> {
  const columns = into.columns.map((column) => `"${column}"`).join(', ')
  return new Promise((resolve, reject) => {
    const done = (error: Error | undefined): void =>
      error === undefined || error === null ? resolve() : reject(asStorageError(error))
    client.query(new CopyQuery(`copy "${into.table}" (${columns}) from stdin`, copyText(rows), done))
  })
}
