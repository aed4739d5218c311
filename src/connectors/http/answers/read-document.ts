/**
 * Reads a body by what it is, not by its content type, which providers get wrong: JSON where it parses as an object or
 * a list, otherwise the text itself.
 */
export function readDocument(body: string): unknown {
  const start = body.trimStart()[0]
  if (start !== '{' && start !== '[') return body
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}
