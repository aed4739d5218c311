import { parseAst } from 'vitest/node'

/** A node of ESTree; what else it has depends on its type. */
export interface Node {
  type: string
  start: number
  end: number
  [member: string]: unknown
}

export const parse = (text: string): Node => parseAst(text, { lang: 'ts' }) as unknown as Node

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

/** The nodes directly below, in the order of the text. */
export const below = (node: Node): Node[] =>
  Object.values(node)
    .flatMap((value): unknown[] => (Array.isArray(value) ? value : [value]))
    .filter(isNode)

/** The node as a member of another, or a node that nothing is. */
export const at = (node: Node, member: string): Node => {
  const value = node[member]
  return isNode(value) ? value : nothing
}
const nothing: Node = { type: 'Nothing', start: 0, end: 0 }

export const nameOf = (node: Node): string =>
  node.type === 'Identifier' || node.type === 'PrivateIdentifier' ? String(node['name']) : ''

/** Types, and what declares them, are gone when the program runs. */
export const isType = ({ type }: Node): boolean =>
  type.startsWith('TS') && !['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'].includes(type)
