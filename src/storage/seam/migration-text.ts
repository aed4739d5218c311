type DatabaseKind = 'sqlite' | 'postgres'

/**
 * Returns the statements of a migration for one database. A migration is written once, in the words of SQLite
 * except for `bigint`, which PostgreSQL needs for times and counts of SMS:
 *
 * - SQLite: `bigint` is `integer`.
 * - PostgreSQL: `text` is `text collate "C"`, compared octet by octet; `blob` is `bytea`; tables are neither
 *   `strict` nor `without rowid`.
 * - A line after `--sqlite: ` or `--postgres: ` is for that database alone, word for word.
 *
 * Texts within quotes are not told apart: a migration has none with these words.
 *
 * Databases record the checksum of the result, so none of this changes for a migration that was published.
 */
export function migrationText(written: string, kind: DatabaseKind): string {
  return written
    .split('\n')
    .flatMap((line) => {
      const [, only, rest] = /^--(sqlite|postgres): (.*)$/.exec(line) ?? []
      if (only !== undefined) return only === kind ? [rest] : []
      return line.trimStart().startsWith('--') ? [line] : [words[kind](line)]
    })
    .join('\n')
}

const words: Readonly<Record<DatabaseKind, (line: string) => string>> = {
  sqlite: (line) => line.replaceAll(/\bbigint\b/g, 'integer'),
  postgres: (line) =>
    line
      .replaceAll(/\bblob\b/g, 'bytea')
      .replaceAll(/(?<=[a-z0-9_"] )text(?=[ ,;)]|$)/g, 'text collate "C"')
      .replace(/^\) strict(, without rowid)?;$/, ');'),
}
