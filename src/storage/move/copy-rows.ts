import pg from 'pg'
import type { Value } from '../seam/dialect.ts'
import { asStorageError } from '../postgres/postgres-faults.ts'

/** PostgreSQL has no character 0 in a text. */
const nul = /\0/g
/** Stands for a character that cannot be written (ECMA-48, section 8.3.148), and takes as many octets as the one that it stands for. */
const substitute = '\u001A'

const special = /[\\\b\f\n\r\t\v]/g
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v',
} // prettier-ignore

/** Rows in the text format of COPY (postgresql.org/docs/current/sql-copy.html), a line each. A character 0 becomes SUB (U+001A). */
export const copyText = (rows: readonly (readonly Value[])[]): string =>
  rows.map((row) => `${row.map(copyValue).join('\t')}\n`).join('')

function copyValue(value: Value): string {
  if (value === null) return '\\N'
  if (typeof value === 'number') return String(value)
  return value.replace(nul, substitute).replace(special, (character) => escapes[character] as string)
}

/** What of pg's connection a COPY needs; its types do not name them. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** A COPY … FROM STDIN that sends its rows when the server asks for them. */
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

/** Brings rows into a table of a PostgreSQL server, all or none. Throws `StorageError`. */
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
