import { type TSchema, Type } from 'typebox'
import type { IdPrefix } from '../../runtime/ids.ts'
import { idPattern, isId } from '../../runtime/ids.ts'
import type { DocumentedAnswer } from '../edge/operation.ts'
import { type QueryReader, textThat, wholeNumber } from '../edge/query.ts'
import { oneOf, orNull } from '../../runtime/schemas.ts'

const maxListed = 100
const defaultListed = 25

/** Returns the parameters of a list with pages. */
export const pageParameters = (noun: string, prefix: IdPrefix) => ({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxListed,
      default: defaultListed,
      description: `${noun} per page.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({ pattern: idPattern(prefix), description: '`next_cursor` of the previous page.' }),
  ),
})

/** Reads the requested page: its size, and the ID to continue after. Faults are collected by the reader. */
export const readPage = (
  query: QueryReader,
  prefix: IdPrefix,
): { limit: number; afterId: string | null } => ({
  limit: query.one('limit', wholeNumber(1, maxListed)) ?? defaultListed,
  afterId: query.one(
    'cursor',
    textThat((text) => isId(prefix, text), 'Use `next_cursor` exactly as it was returned.'),
  ),
})

/** Returns the documentation of one page. */
export const documentedPage = (noun: string, item: TSchema, example: object): DocumentedAnswer => ({
  description: `One page of ${noun}.`,
  schema: Type.Object({
    object: oneOf(['list'], 'Type of the object.'),
    data: Type.Array(item, { description: `The ${noun} of this page.` }),
    has_more: Type.Boolean({ description: 'True when there is a next page.' }),
    next_cursor: orNull<string>('string', 'Value of `cursor` for the next page; null on the last page.'),
  }),
  example: { object: 'list', data: [example], has_more: false, next_cursor: null },
})

/** Renders one page. */
export const viewPage = (data: readonly object[], next: string | null): object => ({
  object: 'list',
  data,
  has_more: next !== null,
  next_cursor: next,
})
