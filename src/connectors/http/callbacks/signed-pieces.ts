import { textOf, type Place } from '../declaration/pointer.ts'
import { type Filler, fillText } from '../request/fill-tree.ts'
import { type Callback, documentOf, formOf, type Member, queryOf } from './callback.ts'

/**
 * Returns what a signature is over, piece by piece: a word of the list below, `header:NAME`, or a text with placeholders.
 * `without` is the place of the signature itself, which is not signed.
 */
export function signedPieces(
  over: readonly string[],
  callback: Callback,
  { filler, without }: { filler: Filler; without?: Place | undefined },
): string {
  return over
    .map((piece) => pieceOf(piece, callback, without) ?? String(fillText(filler, piece) ?? ''))
    .join('')
}

function pieceOf(piece: string, callback: Callback, without: Place | undefined): string | null {
  switch (piece) {
    case 'url':
      return callback.url
    case 'url_sorted':
      return sortedUrl(callback)
    case 'body':
      return callback.body.toString('utf8')
    case 'form_sorted':
      return concatenated(formOf(callback))
    case 'query_sorted':
      return concatenated(queryOf(callback))
    case 'members_joined':
      return joinedMembers(documentOf(callback), without)
    default:
      return piece.startsWith('header:') ? (callback.headers[piece.slice(7).toLowerCase()] ?? '') : null
  }
}

/**
 * Names and values without anything between them, sorted by name, and the values of a name once each and sorted, as Twilio
 * signs a form (`toFormUrlEncodedParam` of its Node library).
 */
const concatenated = (members: readonly Member[]): string =>
  [...new Map(members.map((member) => [member.join('\0'), member])).values()]
    .toSorted(byText)
    .map(([name, value]) => `${name}${value}`)
    .join('')

/**
 * The URL with its query sorted and decoded, a question mark behind it in any case, and a full stop where both a query and a
 * form follow, as Plivo signs (`construct_post_url` of its Node library).
 */
function sortedUrl(callback: Callback): string {
  const [path = ''] = callback.url.split('?')
  const query = queryOf(callback).toSorted(byText)
  const hasForm = formOf(callback).length > 0
  const joined = query.map(([name, value]) => `${name}=${value}`).join('&')
  if (query.length === 0) return hasForm ? `${path}?` : path
  return `${path}?${joined}${hasForm ? '.' : ''}`
}

/**
 * Every member but the signature, sorted by name, each as `&name=value` with `&` and `=` of the value replaced by `_`, as Vonage
 * signs ("Signing messages", Manually generate a signature).
 */
function joinedMembers(document: unknown, without: Place | undefined): string {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return ''
  const members = Object.entries(document).flatMap(([name, value]): Member[] =>
    `/${name}` === without ? [] : [[name, textOf(value) ?? '']],
  )
  return members
    .toSorted(byText)
    .map(([name, value]) => `&${name}=${value.replaceAll(/[&=]/g, '_')}`)
    .join('')
}

/** By UTF-16 units, as the libraries of the providers sort. */
const byText = ([a, first]: Member, [b, second]: Member): number =>
  a === b ? (first < second ? -1 : first > second ? 1 : 0) : a < b ? -1 : 1
