/** An answer of the Local Server; without `json` it has no body. */
export interface LocalReply {
  status: number
  json?: unknown
  /** How many rows there are, for pages. */
  total?: number
}

/** A request to the Local Server, after its password was checked. */
export interface LocalCall {
  method: string
  path: string
  query: URLSearchParams
  /** As it came. */
  body: string
}

export const refused = (message: string, status = 400): LocalReply => ({ status, json: { message } })

/** The object in a body; null where the app's JSON library finds none, which it answers with 400. */
export function objectIn({ body }: LocalCall): Record<string, unknown> | null {
  try {
    const value = JSON.parse(body) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** `parseModern` of DateTimeParser.kt: seconds or three digits after them, and a zone. Null for all else. */
export function readQueryDate(text: string | null): number | null {
  const isRight = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?(?:Z|[+-]\d\d:\d\d)$/.test(text ?? '')
  return isRight ? Date.parse(text as string) : null
}

/** `toIntOrNull() ?: otherwise`. */
export const readInt = (text: string | null, otherwise: number): number =>
  /^[+-]?\d+$/.test(text ?? '') ? Number(text) : otherwise
