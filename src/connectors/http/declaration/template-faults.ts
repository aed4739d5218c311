import type { Fault } from '../../../runtime/errors.ts'
import { memberPointer } from '../../../runtime/field-faults.ts'
import { nearestName } from '../../../runtime/nearest-name.ts'
import { isDeclaredHost, readHttpUrl } from './hosts.ts'
import type { DeclaredRequest } from './request-schemas.ts'
import { parseTemplate, type Placeholder, placeholdersOf, type Template, TemplateError } from './template.ts'

/** What the templates of a declaration can name. */
export interface Names {
  message: readonly string[]
  settings: readonly string[]
  secrets: readonly string[]
}

/** Where a template is: `xml` needs the filter of that name. */
export type TemplateUse = 'text' | 'xml' | 'url'

/** Returns what is wrong with one template. */
export function templateFaults(
  pointer: string,
  text: string,
  names: Names,
  use: TemplateUse = 'text',
): Fault[] {
  let template: Template
  try {
    template = parseTemplate(text)
  } catch (error) {
    if (error instanceof TemplateError) return [{ pointer, code: 'invalid_format', detail: error.message }]
    throw error
  }
  return placeholdersOf(template).flatMap((placeholder) => [
    ...nameFaults(pointer, placeholder, names),
    ...(use === 'xml' ? xmlFaults(pointer, placeholder) : []),
    ...(use === 'url' ? secretInUrlFaults(pointer, placeholder, names) : []),
  ])
}

function nameFaults(pointer: string, { name, filters }: Placeholder, names: Names): Fault[] {
  const known = [...names.message, ...names.settings, ...names.secrets]
  const read = [name, ...filters.flatMap(({ reads }) => reads ?? [])]
  return read
    .filter((each) => !known.includes(each))
    .map((each) => {
      const near = nearestName(each, known)
      const hint =
        near === null ? 'Name a setting, a secret or a value of the message.' : `Did you mean {${near}}?`
      return { pointer, code: 'unknown_field', detail: `Nothing here is called {${each}}. ${hint}` }
    })
}

/** A value without the filter could end its element. */
const xmlFaults = (pointer: string, { name, filters }: Placeholder): Fault[] =>
  filters.some((filter) => filter.name === 'xml')
    ? []
    : [
        {
          pointer,
          code: 'invalid_format',
          detail: `In \`xml\`, write {${name}|xml}, so that its value stays text.`,
        },
      ]

/** URLs are logged by proxies; a query is too, but some providers take a password nowhere else. */
const secretInUrlFaults = (pointer: string, { name }: Placeholder, { secrets }: Names): Fault[] =>
  secrets.includes(name)
    ? [
        {
          pointer,
          code: 'invalid_format',
          detail: `The secret {${name}} cannot be in \`url\`; put it in \`query\`.`,
        },
      ]
    : []

/** Returns what is wrong with a request: its URL, its body, and every template in it. */
export function requestFaults(
  pointer: string,
  request: DeclaredRequest,
  {
    names,
    hosts,
    addressSettings,
  }: { names: Names; hosts: readonly string[]; addressSettings: ReadonlySet<string> },
): Fault[] {
  const { url, query = {}, headers = {}, form, json, xml } = request
  const bodies = [form, json, xml].filter((body) => body !== undefined)
  const at = (name: string): string => memberPointer(pointer, name)
  return [
    ...urlFaults(at('url'), url, { names, hosts, addressSettings }),
    ...treeFaults(at('query'), query, names),
    ...treeFaults(at('headers'), headers, names),
    ...Object.keys(headers)
      .filter((name) => ownHeaders.has(name.toLowerCase()))
      .map((name) => ({
        pointer: memberPointer(at('headers'), name),
        code: 'invalid_format' as const,
        detail: 'This header is written by the program itself.',
      })),
    ...treeFaults(at('form'), form, names),
    ...treeFaults(at('json'), json, names),
    ...(xml === undefined ? [] : templateFaults(at('xml'), xml, names, 'xml')),
    ...(bodies.length > 1
      ? [{ pointer, code: 'invalid_format' as const, detail: 'Has one of `form`, `json` and `xml`.' }]
      : []),
  ]
}

/** Headers by which a request could leave its connection or its host. */
const ownHeaders: ReadonlySet<string> = new Set([
  'host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade', 'te', 'trailer', 'accept-encoding',
]) // prettier-ignore

function urlFaults(
  pointer: string,
  url: string,
  {
    names,
    hosts,
    addressSettings,
  }: { names: Names; hosts: readonly string[]; addressSettings: ReadonlySet<string> },
): Fault[] {
  const faults = templateFaults(pointer, url, names, 'url')
  if (faults.length > 0) return faults
  const [start, ...rest] = parseTemplate(url)
  if (typeof start === 'object') {
    return addressSettings.has(start.name) && start.filters.length === 0
      ? []
      : [
          {
            pointer,
            code: 'invalid_format',
            detail: 'Begins with https:// or with a setting, such as {base}/path.',
          },
        ]
  }
  const whole = [start ?? '', ...rest.map((part) => (typeof part === 'string' ? part : 'x'))].join('')
  const read = readHttpUrl(whole)
  if (read === null)
    return [{ pointer, code: 'invalid_format', detail: 'Is not a URL of HTTP without a password.' }]
  const isWritten = (start ?? '').replace(/^https?:\/\//, '').includes('/')
  return isWritten && hosts.length > 0 && !isDeclaredHost(read.hostname, hosts)
    ? [{ pointer, code: 'invalid_format', detail: `The host ${read.hostname} is not among \`hosts\`.` }]
    : []
}

/** Returns what is wrong with the texts of a tree, at any depth. */
export function treeFaults(pointer: string, tree: unknown, names: Names): Fault[] {
  if (typeof tree === 'string') return templateFaults(pointer, tree, names)
  if (typeof tree !== 'object' || tree === null) return []
  return Object.entries(tree).flatMap(([name, value]) =>
    treeFaults(memberPointer(pointer, name), value, names),
  )
}
