import pg from 'pg'

/** What a connection was asked for: each statement's text, and in how many crossings they left. */
export interface Crossed {
  statements: string[]
  /** How often something left while nothing was on its way: each waits for the server once. */
  crossings: number
}

const { prototype } = pg.Client
const { query } = prototype

/**
 * Counts what `run` asks of PostgreSQL on connections that write, including the beginning and the end of its transaction. `posted` is called
 * with the text of each statement that has left.
 */
export async function watchCrossings(
  run: () => Promise<unknown>,
  posted: (text: string) => void = () => undefined,
): Promise<Crossed> {
  const seen: Crossed = { statements: [], crossings: 0 }
  const writers = new Set<pg.Client>()
  let underWay = 0
  const watched = function (this: pg.Client, ...asked: unknown[]): unknown {
    const text = textOf(asked[0])
    if (text.startsWith('begin')) writers.add(this)
    const answer = Reflect.apply(query, this, asked) as unknown
    if (!writers.has(this) || !(answer instanceof Promise)) return answer
    if (underWay === 0) seen.crossings += 1
    underWay += 1
    seen.statements.push(text)
    posted(text)
    const ended = (): void => void (underWay -= 1)
    answer.then(ended, ended)
    return answer
  }
  Object.assign(prototype, { query: watched })
  try {
    await run()
  } finally {
    Object.assign(prototype, { query })
  }
  return seen
}

const textOf = (asked: unknown): string =>
  (typeof asked === 'string' ? asked : (asked as pg.QueryConfig).text).replace(/\s+/g, ' ').trim()
