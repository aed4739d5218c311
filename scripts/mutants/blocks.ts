import { at, below, isType, type Node } from './syntax.ts'

/** A body of code that runs or does not run as a whole: of a function, a branch or a loop. Its name is its place in the file. */
export interface Block {
  name: number
  start: number
  end: number
  /** The value of an arrow function, which has no braces. */
  isValue: boolean
}

export function findBlocks(program: Node): Block[] {
  const blocks: Block[] = []
  const walk = (node: Node): void => {
    if (isType(node)) return
    const isValue = node.type === 'ArrowFunctionExpression' && at(node, 'body').type !== 'BlockStatement'
    const body = isValue ? at(node, 'body') : node
    if (isValue || node.type === 'BlockStatement')
      blocks.push({ name: blocks.length, start: body.start, end: body.end, isValue })
    for (const child of below(node)) walk(child)
  }
  walk(program)
  return blocks
}

/** The name of the smallest block around a place; null at the level of the module, which runs when it is loaded. */
export function blockAround(
  blocks: readonly Block[],
  { start, end }: { start: number; end: number },
): number | null {
  const around = blocks.filter((block) => block.start <= start && block.end >= end)
  const smallest = around.toSorted((a, b) => a.end - a.start - (b.end - b.start))[0]
  return smallest?.name ?? null
}

/**
 * The text of a module that marks each of its blocks when it runs, in the list of `hits.ts`, the first one of them at `first`. As little as can be: texts are
 * counted in loops of a few instructions.
 */
export function instrument(text: string, first: number, blocks: readonly Block[]): string {
  const marks = blocks.flatMap(({ name, start, end, isValue }) => {
    const call = `globalThis.onesixtyBlocks[${first + name}] = 1`
    return isValue
      ? [
          { at: start, mark: `(${call}, ` },
          { at: end, mark: ')' },
        ]
      : [{ at: start + 1, mark: ` ${call};` }]
  })
  // Of two at one place the inner one ends first, and began last: stable sorting keeps that for beginnings alone.
  const ends = marks.filter(({ mark }) => mark === ')')
  const begins = marks.filter(({ mark }) => mark !== ')')
  let result = ''
  let from = 0
  for (const { at: place, mark } of [...ends, ...begins].toSorted((a, b) => a.at - b.at)) {
    result += text.slice(from, place) + mark
    from = place
  }
  return result + text.slice(from)
}
