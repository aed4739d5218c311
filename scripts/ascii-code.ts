import { parseAst } from 'rolldown/parseAst'

/**
 * Returns JavaScript with every character beyond ASCII written as an escape. V8 keeps the source of a module while it runs, at one byte a character where all
 * of them fit into one, and at two otherwise: a hundred dashes in a chunk of 2 MB cost another 2 MB. Throws for code whose meaning would change: a function
 * that gets a template may read it as it is written (`raw`), and outside of texts and names an escape means nothing.
 */
export function asciiCode(code: string): string {
  if (!beyondAscii.test(code)) return code
  for (const { tag, quasi } of taggedTemplatesOf(parseAst(code)))
    if (
      !readsNoRaw.test(code.slice(tag.start, tag.end)) &&
      beyondAscii.test(code.slice(quasi.start, quasi.end))
    )
      throw new Error(
        `Beyond ASCII in a template that may be read raw: ${code.slice(tag.start, tag.end + 100)}`,
      )
  const escaped = code.replaceAll(/(\\*)([^\0-\x7F])/g, (_, backslashes: string, unit: string) => {
    // One that is escaped already stands for itself; a second backslash in front of it would end the escape.
    const before = backslashes.length % 2 === 0 ? backslashes : backslashes.slice(1)
    return `${before}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  parseAst(escaped)
  return escaped
}

const beyondAscii = /[^\0-\x7F]/
/** Of src/api/pages and of Kysely; a bundle may add a number. */
const readsNoRaw = /^(?:html|sql)(?:\$\d+)?$/

interface Node {
  type: string
  start: number
  end: number
}

interface Tagged extends Node {
  tag: Node
  quasi: Node
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'

const isTagged = (node: Node): node is Tagged => node.type === 'TaggedTemplateExpression'

/** Lists the templates of a tree that a function gets. */
function taggedTemplatesOf(node: Node): Tagged[] {
  const children = Object.values(node).flatMap((value: unknown) => (Array.isArray(value) ? value : [value]))
  return [...(isTagged(node) ? [node] : []), ...children.filter(isNode).flatMap(taggedTemplatesOf)]
}
