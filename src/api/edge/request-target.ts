/** The first line of a request. */
export interface RequestLine {
  method: string
  target: string
  /** True when the line is complete, and is HTTP/1. */
  whole: boolean
}

/**
 * Reads the request line (RFC 9112 section 3) at the start of the bytes, even when it is cut off within its
 * target; null when they start with anything else. Empty lines before it are ignored (section 2.2).
 */
export function readRequestLine(bytes: Buffer): RequestLine | null {
  const found = requestLine.exec(bytes.toString('latin1'))
  if (found === null) return null
  const [, method = '', target = '', end] = found
  return { method, target, whole: end !== undefined }
}

const requestLine = /^(?:\r?\n)*([\w!#$%&'*+.^`|~-]+) ([/h*]\S*)(?: (HTTP\/1\.[01]\r?\n)|\s|$)/i

/**
 * Returns the path of a request-target in origin form, or in absolute form, which every server must accept
 * (RFC 9112 section 3.2.2). Percent-encoded letters, digits and `-._~` are decoded: the path is equivalent
 * (RFC 3986 section 6.2.2.2), and the router decodes them too.
 */
export function pathOf(target: string): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)
  return path === '' ? '/' : path.replace(/%[0-9a-f]{2}/gi, decodeUnreserved)
}

/** Returns the query after the `?`, undecoded; empty without one. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?')
  return mark === -1 ? '' : target.slice(mark + 1)
}

function decodeUnreserved(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
  return /[A-Za-z0-9._~-]/.test(character) ? character : encoded
}
