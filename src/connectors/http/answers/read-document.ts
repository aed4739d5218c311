/**
 * Reads a body by what it is, not by its content type, which providers get wrong: JSON where it parses as an object or
 * a list, otherwise the text itself, without blanks and ends of lines around it.
 */
export function readDocument(body: string): unknown {
  const text = body.trim()
  if (!text.startsWith('{') && !text.startsWith('[')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
