/** What a client asks for by the first line of its request. */
export interface RequestLine {
  method: string
  target: string
  /** Whether the line stands there to its end, and is one of HTTP/1. */
  whole: boolean
}

/**
 * The request line (RFC 9112 section 3) that the bytes begin with, be it cut off within its target; null when they begin with something
 * else. Empty lines before it do not count (section 2.2).
 */
export function readRequestLine(bytes: Buffer): RequestLine | null {
  const found = requestLine.exec(bytes.toString('latin1'))
  if (found === null) return null
  const [, method = '', target = '', end] = found
  return { method, target, whole: end !== undefined }
}

const requestLine = /^(?:\r?\n)*([\w!#$%&'*+.^`|~-]+) ([/h*]\S*)(?: (HTTP\/1\.[01]\r?\n)|\s|$)/i

/**
 * The path of a request-target: in origin form, or in absolute form, which every server takes (RFC 9112 section 3.2.2). Percent-encoded
 * letters, digits and `-._~` are decoded: the address is the same (RFC 3986 section 6.2.2.2), and the router does it too.
 */
export function pathOf(target: string): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)
  return path === '' ? '/' : path.replace(/%[0-9a-f]{2}/gi, decodeUnreserved)
}

function decodeUnreserved(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
  return /[A-Za-z0-9._~-]/.test(character) ? character : encoded
}
