/** A node of what EXPLAIN says (postgresql.org/docs/current/using-explain.html), as far as it is read here. */
export interface PostgresPlan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Filter?: string
  'Join Filter'?: string
  'Sort Key'?: string[]
  'Parent Relationship'?: string
  'Subplan Name'?: string
  Plans?: PostgresPlan[]
}

const within = (plan: PostgresPlan): PostgresPlan[] => plan['Plans'] ?? []

/** The tables that a plan reads, in its order: those that it searches, with index and columns; those that it reads whole; and what it sorts by. */
export const searchesOf = (plan: PostgresPlan): string[] => lines(plan, plan['Relation Name'] ?? '')

function lines(plan: PostgresPlan, heap: string): string[] {
  const relation = plan['Relation Name'] ?? heap
  return [...lineOf(plan, relation), ...within(plan).flatMap((inner) => lines(inner, relation))]
}

function lineOf(plan: PostgresPlan, relation: string): string[] {
  const type = plan['Node Type']
  if (type === 'Seq Scan') return [`SCAN ${relation}`]
  // Of what comes in order already only ties are sorted.
  if (type === 'Sort') return [`SORT ${(plan['Sort Key'] ?? []).map(bare).join(', ')}`]
  const index = plan['Index Name']
  if (index === undefined) return []
  const condition = plan['Index Cond']
  return condition === undefined
    ? [`SCAN ${relation} BY ${index}`]
    : [`SEARCH ${relation} BY ${index} (${comparisons(condition)})`]
}

const bare = (key: string): string => key.replace(/^\(?\w+\.|"/g, '')

/** Which columns an index is searched by, and how: `account_id= id>`. */
const comparisons = (condition: string): string =>
  [...condition.matchAll(/(?:ROW\(([^()]*)\)|(\w+)\)?(?:::\w+)?) (=|<=|>=|<|>) /g)]
    .map(
      ([, row, column, operator]) =>
        `${row === undefined ? column : `[${row.replaceAll(/\w+\./g, '')}]`}${operator}`,
    )
    .join(' ')

/** Tables that a plan reads whole for each row of something else: on the inner side of a nested loop, or in a subquery of each row. */
export function scansWithin(plan: PostgresPlan): string[] {
  const words = [plan['Filter'], plan['Join Filter']].join(' ')
  return within(plan).flatMap((inner, i) => {
    const isLoop = plan['Node Type'] === 'Nested Loop' && i === 1
    const name = inner['Subplan Name'] ?? ''
    const isForEach = inner['Parent Relationship'] === 'SubPlan' && !words.includes(`hashed ${name}`)
    return isLoop || isForEach ? wholeReads(inner) : scansWithin(inner)
  })
}

const wholeReads = (plan: PostgresPlan): string[] =>
  searchesOf(plan).filter((line) => line.startsWith('SCAN '))
