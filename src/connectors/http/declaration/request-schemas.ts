import { type Static, Type } from 'typebox'
import { closed, oneOf } from '../../../runtime/schemas.ts'
import type { Place } from './pointer.ts'

/** A schema of any JSON, which other code checks. */
export const schemaOf = <T>(description: string) => Type.Unsafe<T>({ description })

/** A text with placeholders. */
export const leaf = Type.String({ maxLength: 2_000 })
const leaves = Type.Union([leaf, Type.Array(leaf, { minItems: 1, maxItems: 20 })])
/** Members of a query or a form; a list repeats its name. */
const flat = Type.Record(Type.String(), leaves)

export const headerName = Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$" })

/** A place in a document, see `pointer.ts`. */
export const place = (description: string) =>
  Type.Unsafe<Place>({
    anyOf: [
      { type: 'string', pattern: '^(?:$|/)', maxLength: 300 },
      Type.Object(
        { between: Type.Array(Type.String({ maxLength: 200 }), { minItems: 2, maxItems: 2 }) },
        closed,
      ),
    ],
    description,
  })

/** The members of every request. */
export const requestMembers = {
  method: Type.Optional(oneOf(['GET', 'POST', 'PUT'], 'Default: POST with a body, otherwise GET.')),
  url: Type.String({ minLength: 1, maxLength: 2_000 }),
  query: Type.Optional(flat),
  headers: Type.Optional(Type.Record(headerName, leaf)),
  form: Type.Optional(flat),
  json: Type.Optional(schemaOf<unknown>('A tree whose texts are filled in.')),
  xml: Type.Optional(Type.String({ maxLength: 20_000 })),
}

const request = Type.Object(requestMembers)
export type DeclaredRequest = Static<typeof request>
