import { type TSchema, Type } from 'typebox'
import type { IdPrefix } from '../../runtime/ids.ts'
import { idPattern, isId } from '../../runtime/ids.ts'
import type { DocumentedAnswer } from '../operation.ts'
import { type QueryReader, textThat, wholeNumber } from '../query.ts'
import { oneOf, orNull } from '../../runtime/schemas.ts'

const maxListed = 100
const usuallyListed = 25

/** The parameters of a list that comes in pages, found by key. */
export const pageParameters = (noun: string, prefix: IdPrefix) => ({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxListed, default: usuallyListed, description: `${noun} a page.` }),
  ),
  cursor: Type.Optional(
    Type.String({ pattern: idPattern(prefix), description: '`next_cursor` of the page before.' }),
  ),
})

/** What the request asks for: how many, and behind which id. Faults are the reader's. */
export const readPage = (
  query: QueryReader,
  prefix: IdPrefix,
): { limit: number; afterId: string | null } => ({
  limit: query.one('limit', wholeNumber(1, maxListed)) ?? usuallyListed,
  afterId: query.one(
    'cursor',
    textThat((text) => isId(prefix, text), 'Use `next_cursor` exactly as it was given.'),
  ),
})

/** One page as it is documented. */
export const documentedPage = (noun: string, item: TSchema, example: object): DocumentedAnswer => ({
  description: 'One page.',
  schema: Type.Object({
    object: oneOf(['list'], 'What this object is.'),
    data: Type.Array(item, { description: `The ${noun} of this page.` }),
    has_more: Type.Boolean({ description: 'Whether a next page exists.' }),
    next_cursor: orNull<string>(
      'string',
      'What to send as `cursor` for the next page; null on the last one.',
    ),
  }),
  example: { object: 'list', data: [example], has_more: false, next_cursor: null },
})

/** One page as it is answered. */
export const viewPage = (data: readonly object[], next: string | null): object => ({
  object: 'list',
  data,
  has_more: next !== null,
  next_cursor: next,
})
