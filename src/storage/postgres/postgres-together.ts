import type { CompiledQuery, QueryResult } from 'kysely'
import type pg from 'pg'
import type { Row, Value } from '../seam/dialect.ts'

/** A set statement that can share its text with others. */
export interface Part {
  /** The table that it changes; null for one that reads. */
  table: string | null
  /** The tables that it reads, and does not change. */
  reads: readonly string[]
  /** Returns its text, whose parameters are numbered from `first` on. */
  text(first: number): string
  values: readonly unknown[]
}

/** Marks a query that waits for others of its turn. */
const sharing = Symbol('sharing')
type SharingQuery = CompiledQuery & { [sharing]?: Part }

export const shares = <Q extends CompiledQuery>(query: Q, part: Part): Q => ({ ...query, [sharing]: part })
export const sharedPart = (query: CompiledQuery): Part | undefined => (query as SharingQuery)[sharing]

/** `isAlone`: the text is of one statement. */
type Send = (query: { text: string; values: unknown[] }, isAlone: boolean) => Promise<pg.QueryResult<Row>>

/** A text that was sent so often is sent again. Rare ones are combinations of rare kinds of rows. */
const commonFrom = 30
/** A prepared text of a unit takes about 0.5 MB of the server, for as long as its connection is open. */
const maxCommon = 64
/** Texts of up to 10 kB. */
const maxCounted = 256

/** Counts the texts that statements share. Those that come often are prepared, and the others are planned each time. */
export class CommonTexts {
  readonly #uses = new Map<string, number>()
  #common = 0

  /** Counts one use of a text, and returns whether it is to be prepared. */
  use(text: string): boolean {
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (uses > commonFrom) return true
    if (uses === commonFrom) {
      if (this.#common >= maxCommon) return false
      this.#common += 1
    }
    if (this.#uses.size >= maxCounted && !this.#uses.has(text)) this.#forgetRare()
    this.#uses.set(text, uses)
    return uses === commonFrom
  }

  #forgetRare(): void {
    for (const [text, uses] of this.#uses) if (uses < commonFrom) this.#uses.delete(text)
  }
}

interface Waiting {
  part: Part
  resolve: (result: QueryResult<Row>) => void
  reject: (error: unknown) => void
}

/**
 * The set statements that a unit posts in one turn of the event loop. They leave at its end: those that read in one
 * text, before those that change tables in another. All parts of a text see the rows as they were before it, and
 * PostgreSQL changes a row only once per text: a second statement on a table begins the next text, and so does one that
 * reads a table which an earlier one of its turn changes.
 */
export class SharedTexts {
  readonly #send: Send
  #waiting: Waiting[] = []

  constructor(send: Send) {
    this.#send = send
  }

  add(part: Part): Promise<QueryResult<Row>> {
    // After all microtasks: everything that the unit posts until it awaits the server.
    if (this.#waiting.length === 0) process.nextTick(() => this.flush())
    return new Promise((resolve, reject) => this.#waiting.push({ part, resolve, reject }))
  }

  /** Sends what waits: before the end of the turn, if a statement follows that cannot share. */
  flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { reads, changes } of stepsOf(waiting)) {
      if (reads.length > 0) this.#post(reads, readsTogether)
      for (const text of onDifferentTables(changes)) this.#post(text, changesTogether)
    }
  }

  #post(waiting: readonly Waiting[], together: Together): void {
    const parts = waiting.map(({ part }) => part)
    const { sql, resultsOf } = together(parts)
    this.#send({ text: sql, values: parts.flatMap(({ values }) => values) }, parts.length === 1)
      .then((result) => {
        const results = resultsOf(result)
        for (const [i, { resolve }] of waiting.entries()) resolve(results[i] as QueryResult<Row>)
      })
      .catch((error: unknown) => {
        for (const { reject } of waiting) reject(error)
      })
  }
}

interface Step {
  reads: Waiting[]
  changes: Waiting[]
  /** Tables that are changed in it. */
  changed: Set<string>
}

/** In each step the reads leave first: what they read is changed by none that was posted before them. */
function stepsOf(waiting: readonly Waiting[]): Step[] {
  let step: Step = { reads: [], changes: [], changed: new Set() }
  const steps = [step]
  for (const one of waiting) {
    const { table, reads } = one.part
    if (reads.some((name) => step.changed.has(name)))
      steps.push((step = { reads: [], changes: [], changed: new Set() }))
    if (table === null) step.reads.push(one)
    else {
      step.changes.push(one)
      step.changed.add(table)
    }
  }
  return steps
}

function onDifferentTables(changes: readonly Waiting[]): Waiting[][] {
  const texts: Waiting[][] = []
  let tables = new Set<string | null>()
  for (const change of changes) {
    if (texts.length === 0 || tables.has(change.part.table)) {
      texts.push([])
      tables = new Set()
    }
    tables.add(change.part.table)
    texts.at(-1)?.push(change)
  }
  return texts
}

type Together = (parts: readonly Part[]) => {
  sql: string
  resultsOf(result: pg.QueryResult<Row>): QueryResult<Row>[]
}

/** Data-modifying CTEs run whether or not they are read. Foreign keys are checked at the end of the whole text. */
const changesTogether: Together = (parts) => {
  const texts = textsOf(parts)
  if (texts.length === 1)
    return {
      sql: texts[0] as string,
      resultsOf: ({ rowCount }) => [{ rows: [], numAffectedRows: BigInt(rowCount ?? 0) }],
    }
  const changes = texts.map((text, i) => `p${i} as (${text} returning 1)`)
  const counts = texts.map((_, i) => `(select count(*) from p${i}) as n${i}`)
  return {
    sql: `with ${changes.join(', ')} select ${counts.join(', ')}`,
    resultsOf: ({ rows: [row] }) =>
      parts.map((_, i) => ({ rows: [], numAffectedRows: BigInt(row?.[`n${i}`] ?? 0) })),
  }
}

/** Each answer is one value: only for statements that find few rows, which are dearer as JSON. */
const readsTogether: Together = (parts) => {
  const texts = textsOf(parts)
  if (texts.length === 1) return { sql: texts[0] as string, resultsOf: ({ rows }) => [{ rows }] }
  const answers = texts.map((text, i) => `(select json_agg(f) from (${text}) f) as r${i}`)
  return {
    sql: `select ${answers.join(', ')}`,
    resultsOf: ({ rows: [row] }) =>
      parts.map((_, i) => ({ rows: ((row?.[`r${i}`] ?? []) as unknown as JsonRow[]).map(asRow) })),
  }
}

type JsonRow = Record<string, Value | boolean>

/** Booleans as every other row has them. */
function asRow(found: JsonRow): Row {
  for (const [name, value] of Object.entries(found))
    if (typeof value === 'boolean') found[name] = Number(value)
  return found as Row
}

function textsOf(parts: readonly Part[]): string[] {
  let first = 1
  return parts.map((part) => {
    const text = part.text(first)
    first += part.values.length
    return text
  })
}
