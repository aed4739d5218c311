import { readDocument } from '../answers/read-document.ts'

/** A call of a provider, as it arrived. */
export interface Callback {
  method: 'GET' | 'POST'
  /** The address as the provider was given it, with its query. */
  url: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  body: Buffer
}

/** Name and value, in the order of the call. */
export type Member = readonly [name: string, value: string]

/** Returns the members of the query. */
export const queryOf = ({ url }: Pick<Callback, 'url'>): Member[] => {
  const start = url.indexOf('?')
  return start === -1 ? [] : [...new URLSearchParams(url.slice(start + 1))]
}

/** Returns the members of a form; none where the body is none. */
export function formOf({ headers, body }: Pick<Callback, 'headers' | 'body'>): Member[] {
  const type = headers['content-type'] ?? ''
  if (body.length === 0 || /json/i.test(type)) return []
  const text = body.toString('utf8')
  const isForm = /form-urlencoded/i.test(type) || /^[^\s{}[\]<>"=&]+=/.test(text)
  return isForm && typeof readDocument(text) === 'string' ? [...new URLSearchParams(text)] : []
}

/**
 * Returns what a call says, regardless of how it says it, since a provider calls as its account is set: by a query, a form
 * or JSON. Members of the query are there too, unless the body has the same.
 */
export function documentOf(callback: Callback): unknown {
  const query = asObject(queryOf(callback))
  const form = formOf(callback)
  if (form.length > 0) return { ...query, ...asObject(form) }
  if (callback.body.length === 0) return query
  const document = readDocument(callback.body.toString('utf8'))
  return typeof document === 'object' && document !== null && !Array.isArray(document)
    ? { ...query, ...document }
    : document
}

/** Of a name that is repeated, all values are kept. */
function asObject(members: readonly Member[]): Record<string, unknown> {
  const byName = Map.groupBy(members, ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, same]) => [
      name,
      same.length === 1 ? same[0]?.[1] : same.map(([, value]) => value),
    ]),
  )
}
