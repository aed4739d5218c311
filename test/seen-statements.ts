import { appendFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type CompiledQuery, DefaultQueryExecutor, PostgresAdapter } from 'kysely'
import { expect, inject } from 'vitest'
import type { SetAdapter, SetStatements } from '../src/storage/seam/dialect.ts'
import { atFileEnd } from './at-file-end.ts'

/**
 * Keeps each statement that the program makes in a test, once for each database: sets of rows by table and columns, and `selectEach` and what Kysely
 * builds by their SQL, with placeholders and lists of either database made alike. What a test asks by itself does not count.
 */
declare module 'vitest' {
  interface ProvidedContext {
    /** Where the statements of a run are kept, a file for each database and process. */
    statementsFolder: string
  }
}

type Database = 'sqlite' | 'postgres'

const seen: Record<Database, Map<string, string>> = { sqlite: new Map(), postgres: new Map() }
const told: Record<Database, Set<string>> = { sqlite: new Set(), postgres: new Set() }

interface Executor {
  /** A test may bring one of Kysely, which knows no sets. */
  adapter: Partial<SetAdapter>
  executeQuery(query: CompiledQuery, ...rest: unknown[]): Promise<unknown>
}
const base = Object.getPrototypeOf(DefaultQueryExecutor.prototype) as Executor
const executeQuery = base.executeQuery
/** Of all evaluations of this file, which is one for each file of a worker: the first one watches. */
const isWatched = Symbol.for('onesixty.watched')

if (!(isWatched in base)) {
  Object.assign(base, { [isWatched]: true })
  base.executeQuery = function watched(this: Executor, query, ...rest) {
    const database = this.adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite'
    if (database === 'sqlite' && query.parameters.some((value) => typeof value === 'boolean'))
      throw new Error(`Node.js below 24.21 binds no boolean to a statement of SQLite: ${query.sql}`)
    // Each time would be a statement of its own, prepared anew, and would push another out of those that are kept prepared.
    if (/(?<![\w'])\d{10,}(?!\w)/.test(query.sql) && isOfProgram())
      throw new Error(`A time is in the text of a statement: ${query.sql}`)
    if (this.adapter.sets !== undefined) watchSets(database, this.adapter.sets)
    // What a set statement is made of has a mark of its own.
    if (Object.getOwnPropertySymbols(query).length === 0) keep(database, query.sql, partsOf)
    return executeQuery.call(this, query, ...rest)
  }
  atFileEnd(async () => {
    for (const database of ['sqlite', 'postgres'] as const) {
      write(database)
      looks[database].clear()
    }
  })
}

function watchSets(database: Database, sets: SetStatements): void {
  if (isWatched in sets) return
  const { selectEach } = sets
  Object.assign(sets, { [isWatched]: true })
  sets.selectEach = (db, statement, inputs) => {
    keep(database, statement.sql, (sql) => partsOf(`selectEach ${sql.replace(/(?<!:):[a-z_]+/g, '?')}`))
    return selectEach(db, statement, inputs)
  }
  for (const name of ['insertRows', 'updateRows', 'deleteRows', 'adjustRows', 'addToRows'] as const) {
    const change = sets[name] as (...args: readonly unknown[]) => Promise<number>
    const watched = (...args: readonly unknown[]): Promise<number> => {
      // Behind the table all that is no row: columns by their use, and what happens on a conflict.
      const shape = args.slice(2).filter((arg) => typeof arg === 'string' || !isRows(arg))
      keep(database, `${name} ${String(args[1])} ${JSON.stringify(shape)}`, setPartsOf)
      return change(...args)
    }
    Object.assign(sets, { [name]: watched })
  }
}

const isRows = (arg: unknown): boolean => Array.isArray(arg) && Array.isArray(arg[0])

/** How often a text that only tests have made so far is looked at again: the program may make it, too. */
const maxLooks = 30
/** How often each text was looked at, as it was made; those of which no more is to be learned have `maxLooks`. */
const looks: Record<Database, Map<string, number>> = { sqlite: new Map(), postgres: new Map() }

function keep(database: Database, text: string, partsIn: (text: string) => readonly string[]): void {
  const count = looks[database].get(text) ?? 0
  if (count >= maxLooks) return
  const isOurs = isOfProgram()
  looks[database].set(text, isOurs ? maxLooks : count + 1)
  if (isOurs) for (const part of partsIn(text)) see(database, part)
}

/** With the file of the test that made it first, for whoever is told that it is missing elsewhere. */
function see(database: Database, statement: string): void {
  if (seen[database].has(statement)) return
  const { testPath = '' } = expect.getState()
  seen[database].set(statement, relative(process.cwd(), testPath))
}

/** By the nearest caller that is neither the storage nor a library. */
function isOfProgram(): boolean {
  const caller = callers().find(
    (file) => /\/(src|test)\/(?!storage\/|seen-statements)/.test(file) && !file.includes('node_modules'),
  )
  return caller?.includes('/src/') ?? false
}

/** The files of the calls up to here, across awaits. As V8 gives them: Vitest would look each up in a source map. */
function callers(): string[] {
  const { stackTraceLimit, prepareStackTrace } = Error
  Error.stackTraceLimit = 60
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? '')
  const files = new Error().stack as unknown as string[]
  Object.assign(Error, { stackTraceLimit, prepareStackTrace })
  return files
}

const inOneLine = (sql: string): string => sql.replace(/\s+/g, ' ').trim()

/** Placeholders, and lists of any length, made alike. */
const normalised = (sql: string): string =>
  inOneLine(sql)
    .replace(/\$\d+/g, '?')
    .replace(/\((\?(, \?)*|null)?\)/g, '(?)')
    .replace(/\(\?\)(, \(\?\))+/g, '(?)')
    // One condition for each row of a list, and one reading for each route.
    .replace(/(\((?:[^()]|\([^()]*\))*\))(?: or \1)+/g, '$1')
    .replace(/(select \* from \((?:[^()]|\([^()]*\))*\) as "\w+")(?: union all \1)+/g, '$1')

/** One filter of history, of which a question has any; they are looked at one by one. */
const filter =
  /(?:"messages"\."\w+"|messages\.\w+) (?:(?:=|<|>=) \?|in \(\?\))|\? like '% ' \|\| messages\.status \|\| ' %'|lower\(messages\.text\) like lower\(\?\) escape '\\'|exists \(select 1 from sends where [^()]*\)/g

/** Where a search must stop is looked for in `messages` alone, with the same filters. */
const named = (statement: string): string =>
  statement.startsWith('select "id" from "messages" where')
    ? statement.replace(/(?<!\.)("\w+") (?=(?:=|<|>=) \?|in \()/g, '"messages".$1 ')
    : statement

/** Without its filters it is the statement of a question that has none; either order goes with any filter. */
function partsOf(sql: string): string[] {
  const statement = named(normalised(sql))
  const filters = statement.match(filter) ?? []
  if (filters.length === 0) return [statement]
  const rest = statement
    .replace(filter, 'FILTER')
    .replace(/\(FILTER(?: and FILTER)*\)/g, 'FILTER')
    .replace(/(?: and FILTER)+/g, '')
    .replace(/ (?:asc|desc)\b/g, '')
  return [rest, ...filters]
}

/** What changes is set column by column, in any combination; all else of it is one. */
function setPartsOf(words: string): string[] {
  const [, statement = words, columns = ''] = /^(updateRows \w+) \[\[([^\]]*)\],\[/.exec(words) ?? []
  if (columns === '') return [words]
  return [words.replace(columns, ''), ...columns.split(',').map((column) => `${statement} ${column}`)]
}

function write(database: Database): void {
  const fresh = [...seen[database]].filter(([statement]) => !told[database].has(statement))
  if (fresh.length === 0) return
  for (const [statement] of fresh) told[database].add(statement)
  const lines = fresh.map((each) => `${each.join('\t')}\n`).join('')
  appendFileSync(join(inject('statementsFolder'), `${database}-${process.pid}.txt`), lines)
}
