import { type Filling, type Filter, readFilter } from './filters.ts'

/** A placeholder such as `{validity_s|between:1:36000}`. */
export interface Placeholder {
  name: string
  filters: readonly Filter[]
}

/** A leaf of a declaration: literals and placeholders in their order. */
export type Template = readonly (string | Placeholder)[]

/** What `parseTemplate` throws: a sentence about the fault. */
export class TemplateError extends Error {}

const nameForm = /^[a-z][a-z0-9_]*$/

/**
 * Parses a leaf. `{name|filter:argument}` is a placeholder, `{{` and `}}` are braces. Throws a `TemplateError` for
 * anything else in braces, and for a filter that does not exist or has wrong arguments.
 */
export function parseTemplate(text: string): Template {
  const parts: (string | Placeholder)[] = []
  let literal = ''
  let at = 0
  while (at < text.length) {
    const char = text[at] as string
    if ((char === '{' || char === '}') && text[at + 1] === char) {
      literal += char
      at += 2
    } else if (char === '{') {
      const end = text.indexOf('}', at)
      if (end === -1) throw new TemplateError('A placeholder has no closing brace; a brace is written twice.')
      if (literal !== '') parts.push(literal)
      literal = ''
      parts.push(parsePlaceholder(text.slice(at + 1, end)))
      at = end + 1
    } else if (char === '}')
      throw new TemplateError('A closing brace belongs to no placeholder; write it twice.')
    else {
      literal += char
      at += 1
    }
  }
  if (literal !== '' || parts.length === 0) parts.push(literal)
  return parts
}

function parsePlaceholder(text: string): Placeholder {
  const [name = '', ...rest] = text.split('|')
  if (!nameForm.test(name))
    throw new TemplateError(`'{${text}}' is not a placeholder; a brace is written twice.`)
  return { name, filters: rest.map(parseFilter) }
}

function parseFilter(text: string): Filter {
  const [name = '', ...args] = text.split(':')
  const filter = readFilter(name, args)
  if (typeof filter === 'string') throw new TemplateError(filter)
  return filter
}

/** Returns the placeholders of a template. */
export const placeholdersOf = (template: Template): Placeholder[] =>
  template.filter((part) => typeof part !== 'string')

/** How the value of a placeholder is written where it is. Throws where it cannot be. */
export type Write = (value: string, place: { isStart: boolean; name: string }) => string

/**
 * Fills a template. A template that is one placeholder keeps the type of its value. Null when the value of any
 * placeholder is null. `read` returns the value of a name; what `isMasked` marks is written without filters.
 */
export function fillTemplate(
  template: Template,
  read: (name: string) => Filling,
  {
    write = (value) => value,
    isMasked = () => false,
  }: { write?: Write; isMasked?: (name: string) => boolean } = {},
): Filling {
  const valueOf = ({ name, filters }: Placeholder): Filling => {
    const value = read(name)
    return isMasked(name) ? value : filters.reduce((given, filter) => filter.apply(given, read), value)
  }
  const [only] = template
  if (template.length === 1 && typeof only === 'object') {
    const value = valueOf(only)
    return typeof value === 'string' ? write(value, { isStart: true, name: only.name }) : value
  }
  let text = ''
  for (const [index, part] of template.entries()) {
    if (typeof part === 'string') text += part
    else {
      const value = valueOf(part)
      if (value === null) return null
      text += write(String(value), { isStart: index === 0, name: part.name })
    }
  }
  return text
}
