/** A change of a stretch of text, counted from its beginning. */
export interface Change {
  start: number
  end: number
  text: string
  kind: string
}

export const isSql = (text: string): boolean =>
  /\b(?:select|update|delete from|insert into|where|order by)\s/.test(text)

/** Comparisons and words, each taken for its nearest neighbour. */
const swaps: readonly (readonly [RegExp, string])[] = [
  [/<=/g, '<'],
  [/>=/g, '>'],
  [/<>/g, '='],
  [/(?<![<>=!])<(?![=>])/g, '<='],
  [/(?<![<>=!-])>(?!=)/g, '>='],
  [/(?<![<>=!])=(?![=>])/g, '<>'],
  [/\bis not null\b/g, 'is null'],
  [/\bis null\b/g, 'is not null'],
  [/\bnot exists\b/g, 'exists'],
  [/(?<!not )\bexists\b/g, 'not exists'],
  [/\bmin(?=\()/g, 'max'],
  [/\bmax(?=\()/g, 'min'],
  [/ desc\b/g, ''],
]

/** What ends a condition that stands at the same depth of brackets. */
const conditionEnds =
  /^(?:and|or|order by|group by|having|limit|where|union|returning|on conflict|then|else|end|when|do|as)\b/

/** Changes of the clauses of a statement, or of a piece of one. What is filled into it is left as it is. */
export function changeSql(sql: string): Change[] {
  const holes = sql.replace(/\$\{[^{}]*\}/g, (hole) => '$'.repeat(hole.length))
  const changes: Change[] = []
  for (const [pattern, text] of swaps)
    for (const { index, 0: found } of holes.matchAll(pattern))
      changes.push({ start: index, end: index + found.length, text, kind: 'sql' })
  for (const { index, 0: found } of holes.matchAll(/\b(?:and|or) /g)) {
    const end = endOfCondition(holes, index + found.length)
    if (!/between [^ ]+ $/.test(holes.slice(0, index)))
      changes.push({ start: index, end, text: '', kind: 'sql clause' })
  }
  for (const { index, 0: found } of holes.matchAll(/\bwhere /g)) {
    const start = index + found.length
    changes.push({ start, end: endOfCondition(holes, start), text: '1 = 1 ', kind: 'sql clause' })
  }
  for (const { index } of holes.matchAll(/\border by /g)) {
    const end = endOfCondition(holes, index + 9)
    if (!/over \([^)]*$/.test(holes.slice(0, index)))
      changes.push({ start: index, end, text: '', kind: 'sql clause' })
  }
  for (const { index, 0: found } of holes.matchAll(/\blimit [^\s)'`]+/g))
    changes.push({ start: index, end: index + found.length, text: '', kind: 'sql clause' })
  return changes.filter(({ start, end }) => sql.slice(start, end).trim() !== '')
}

/** Where the condition that begins here ends: at the next one, at the next clause, or at the bracket around it. */
function endOfCondition(sql: string, start: number): number {
  let depth = 0
  for (let i = start; i < sql.length; i++) {
    const letter = sql[i]
    if (letter === '(') depth += 1
    if (letter === ')' && depth-- === 0) return i
    if (depth === 0 && i > start && /\s/.test(sql[i - 1] ?? '') && conditionEnds.test(sql.slice(i))) return i
  }
  return sql.length
}
