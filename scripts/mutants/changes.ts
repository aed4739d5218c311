import { changeSql, isSql, type Change } from './sql-changes.ts'
import { at, below, isType, nameOf, type Node } from './syntax.ts'

/** Each operator and its neighbour: a bound that is one off, a test that is turned round. */
const operators: Record<string, string> = {
  '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>', '&&': '||', '||': '&&',
  '+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '&': '|', '|': '&', '<<': '>>', '>>': '<<',
  '+=': '-=', '-=': '+=', '++': '--', '--': '++',
} // prettier-ignore
/** Methods that are taken for another one, */
const siblings: Record<string, string> = {
  some: 'every', every: 'some', min: 'max', max: 'min', find: 'findLast', findLast: 'find', startsWith: 'endsWith',
  endsWith: 'startsWith', floor: 'ceil', ceil: 'floor',
} // prettier-ignore
/** and links of a chain without which it still is one. */
const links = new Set([
  'filter', 'toSorted', 'slice', 'trim', 'trimStart', 'trimEnd', 'toLowerCase', 'toUpperCase', 'reverse', 'toReversed', 'normalize', 'padStart',
  'where', 'whereRef', 'orderBy', 'limit', 'having', 'onConflict', 'forUpdate',
]) // prettier-ignore
/** Comparisons of Kysely, as its conditions name them. */
const comparisons: Record<string, string> = {
  '=': '<>', '<>': '=', '<': '<=', '<=': '<', '>': '>=', '>=': '>', is: 'is not', 'is not': 'is', asc: 'desc', desc: 'asc',
} // prettier-ignore

/**
 * Every change that the program could have without being another program at once: an operator, a condition, a number, a statement or link that is
 * missing, a clause of SQL. None in types, in what is thrown at bugs (`new Error`), in logs and in metrics: of them no caller learns.
 */
export function findChanges(text: string, program: Node): Change[] {
  const changes: Change[] = []
  const walk = (node: Node): void => {
    if (isType(node) || node.type === 'ImportDeclaration' || isForOperators(node)) return
    changes.push(...changesOf(node, text))
    for (const child of below(node)) walk(child)
  }
  walk(program)
  return changes
}

/** Logs, metrics, and guards whose only purpose is an exception that would be a bug. */
function isForOperators(node: Node): boolean {
  if (node.type === 'IfStatement') return isBugThrown(at(node, 'consequent')) && node['alternate'] === null
  if (isBugThrown(node)) return true
  return node.type === 'ExpressionStatement' && /\b(?:log|metrics)\b/.test(chainOf(at(node, 'expression')))
}

function isBugThrown(node: Node): boolean {
  const [first] = node.type === 'BlockStatement' ? below(node) : [node]
  return first?.type === 'ThrowStatement' && nameOf(at(at(first, 'argument'), 'callee')) === 'Error'
}

function chainOf(node: Node): string {
  if (node.type === 'CallExpression') return chainOf(at(node, 'callee'))
  if (node.type === 'ChainExpression') return chainOf(at(node, 'expression'))
  if (node.type === 'MemberExpression')
    return `${chainOf(at(node, 'object'))}.${nameOf(at(node, 'property'))}`
  return nameOf(node)
}

function changesOf(node: Node, text: string): Change[] {
  const source = ({ start, end }: Node): string => text.slice(start, end)
  const replaced = (kind: string, { start, end }: Node, by: string): Change => ({
    start,
    end,
    text: by,
    kind,
  })
  switch (node.type) {
    case 'BinaryExpression':
    case 'AssignmentExpression':
    case 'LogicalExpression':
      return operatorChanges(node, text)
    case 'UpdateExpression':
      return [
        replaced(
          'operator',
          node,
          source(node).replace(/\+\+|--/, (each) => operators[each] ?? each),
        ),
      ]
    case 'UnaryExpression':
      return node['operator'] === '!' ? [replaced('operator', node, source(at(node, 'argument')))] : []
    case 'IfStatement':
    case 'ConditionalExpression':
      return ['true', 'false'].map((value) => replaced('condition', at(node, 'test'), value))
    case 'ExpressionStatement':
      return node['directive'] === undefined || node['directive'] === null
        ? [replaced('statement', node, ';')]
        : []
    case 'SpreadElement':
      return [replaced('spread', node, '')].map((change) => withComma(change, text))
    case 'CallExpression':
      return callChanges(node, text)
    case 'TemplateLiteral':
      return isSql(source(node)) ? moved(changeSql(source(node).slice(0, -1)), node.start) : []
    case 'Literal':
      return literalChanges(node, source(node))
    default:
      return []
  }
}

const moved = (changes: readonly Change[], by: number): Change[] =>
  changes.map((change) => ({ ...change, start: change.start + by, end: change.end + by }))

/** With the comma behind it: `...x,` is gone as a whole. */
const withComma = (change: Change, text: string): Change => ({
  ...change,
  end: change.end + (/^\s*,/.exec(text.slice(change.end))?.[0].length ?? 0),
})

function operatorChanges(node: Node, text: string): Change[] {
  const [left, right] = [at(node, 'left'), at(node, 'right')]
  const operator = String(node['operator'])
  if (operator === '??') return [{ start: left.end, end: right.end, text: '', kind: 'default' }]
  const by = operators[operator]
  const start = text.indexOf(operator, left.end)
  if (by === undefined || start < 0 || start >= right.start) return []
  return [{ start, end: start + operator.length, text: by, kind: 'operator' }]
}

function callChanges(node: Node, text: string): Change[] {
  const callee = at(node, 'callee')
  const changes = (Array.isArray(node['arguments']) ? (node['arguments'] as Node[]) : []).flatMap(
    (argument) => {
      const by = argument.type === 'Literal' ? comparisons[String(argument['value'])] : undefined
      return by === undefined
        ? []
        : [{ start: argument.start, end: argument.end, text: `'${by}'`, kind: 'sql' }]
    },
  )
  if (callee.type !== 'MemberExpression') return changes
  const [object, property] = [at(callee, 'object'), at(callee, 'property')]
  const name = nameOf(property)
  const sibling = Object.hasOwn(siblings, name) ? siblings[name] : undefined
  if (sibling !== undefined)
    changes.push({ start: property.start, end: property.end, text: sibling, kind: 'method' })
  if (links.has(name))
    changes.push({
      start: node.start,
      end: node.end,
      text: text.slice(object.start, object.end),
      kind: 'link',
    })
  return changes
}

function literalChanges(node: Node, source: string): Change[] {
  const { start, end } = node
  const value = node['value']
  if (typeof value === 'boolean') return [{ start, end, text: String(!value), kind: 'boolean' }]
  if (typeof value === 'number')
    return [value + 1, ...(value > 0 ? [value - 1] : [])].map((near) => ({
      start,
      end,
      text: String(near),
      kind: 'number',
    }))
  if (typeof value === 'string' && isSql(value)) return moved(changeSql(source.slice(0, -1)), start)
  return typeof node['regex'] === 'object' ? regexChanges(source, start) : []
}

/** An edge or a flag that is missing, and a count that is one off. */
function regexChanges(source: string, start: number): Change[] {
  const found = [
    ...source.matchAll(/(?<=^\/)\^|(?<!\\)\$(?=\/[a-z]*$)/g),
    ...source.matchAll(/(?<=\/[a-z]*)i(?=[a-z]*$)/g),
  ].map(({ index, 0: mark }) => ({ start: index, end: index + mark.length, text: '', kind: 'regex' }))
  const counts = [...source.matchAll(/(?<=\{\d*,?)\d+(?=,?\d*\})/g)].map(({ index, 0: count }) => ({
    start: index,
    end: index + count.length,
    text: String(Number(count) + 1),
    kind: 'regex',
  }))
  return moved([...found, ...counts], start)
}
