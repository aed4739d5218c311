import { type Static, Type } from 'typebox'
import { closed, oneOf } from '../../../runtime/schemas.ts'
import { headerName, leaf, place } from './request-schemas.ts'

const pair = Type.Array(leaf, { minItems: 2, maxItems: 2, description: 'User and password.' })

/** What is signed: a word of the list below, `header:NAME`, or a text with placeholders. */
const over = Type.Array(leaf, { minItems: 1, maxItems: 20 })
const writtenAs = oneOf(['base64', 'hex', 'HEX'], 'How the signature is written.')

/** How this service proves to the provider who it is. */
export const authSchema = Type.Union([
  Type.Object({ basic: pair }, closed),
  Type.Object({ bearer: leaf }, closed),
  Type.Object({ header: Type.Object({ name: headerName, value: leaf }, closed) }, closed),
  Type.Object({ query: Type.Record(Type.String(), leaf) }, closed),
  Type.Object(
    {
      hmac: Type.Object(
        {
          algorithm: oneOf(['sha1', 'sha256', 'sha512'], 'The hash.'),
          key: leaf,
          over,
          as: writtenAs,
          header: headerName,
          value: Type.Optional(Type.String({ maxLength: 200, description: 'Default: `{signature}` alone.' })),
        },
        closed,
      ),
    },
    closed,
  ),
  Type.Object(
    {
      oauth: Type.Object(
        {
          url: Type.String({ maxLength: 500 }),
          id: leaf,
          secret: leaf,
          scope: Type.Optional(leaf),
          credentials: Type.Optional(oneOf(['basic', 'form'], 'Where ID and secret are. Default: basic.')),
        },
        closed,
      ),
    },
    closed,
  ),
  Type.Object(
    {
      aws: Type.Object({ service: leaf, region: leaf, key_id: leaf, secret: leaf }, closed),
    },
    closed,
  ),
])

/** How a callback proves that it is the provider's. */
export const verifySchema = Type.Union([
  Type.Literal('none'),
  Type.Object({ basic: pair }, closed),
  Type.Object(
    {
      hmac: Type.Object(
        {
          algorithm: leaf,
          key: leaf,
          header: Type.Optional(headerName),
          member: Type.Optional(place('The signature, where it is no header.')),
          as: writtenAs,
          over,
          age: Type.Optional(
            Type.Object(
              {
                header: Type.Optional(headerName),
                member: Type.Optional(place('The time of the call.')),
                most_s: Type.Integer({ minimum: 1, maximum: 86_400 }),
              },
              closed,
            ),
          ),
        },
        closed,
      ),
    },
    closed,
  ),
  Type.Object(
    {
      jwt: Type.Object(
        {
          key: leaf,
          header: headerName,
          body_hash: Type.Optional(leaf),
          content: Type.Optional(
            Type.Literal('claims', {
              description:
                'The token repeats the body: its claims are read in place of the body, which nothing signs.',
            }),
          ),
        },
        closed,
      ),
    },
    closed,
  ),
  Type.Object(
    {
      ed25519: Type.Object(
        {
          public_key: leaf,
          header: headerName,
          over,
          time_header: Type.Optional(headerName),
          age_s: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
        },
        closed,
      ),
    },
    closed,
  ),
  Type.Object({ standard_webhooks: Type.Object({ key: leaf }, closed) }, closed),
  Type.Object(
    { sns: Type.Object({ topic: leaf }, { ...closed, description: 'Amazon SNS; `topic` is an ARN.' }) },
    closed,
  ),
])

export type Auth = Static<typeof authSchema>
export type Verify = Static<typeof verifySchema>
