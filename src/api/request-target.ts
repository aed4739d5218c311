/** What a client asks for by the first line of its request. */
export interface RequestLine {
  method: string
  target: string
}

/**
 * The request line (RFC 9112 section 3) that the bytes begin with, be it cut off within its target; null when they begin with something
 * else. Empty lines before it do not count (section 2.2).
 */
export function readRequestLine(bytes: Buffer): RequestLine | null {
  const found = requestLine.exec(bytes.toString('latin1'))
  return found === null ? null : { method: found[1] as string, target: found[2] as string }
}

const requestLine = /^(?:\r?\n)*([\w!#$%&'*+.^`|~-]+) ([/h*]\S*)(?=\s|$)/i

/** The path of a request-target: in origin form, or in absolute form, which every server takes (RFC 9112 section 3.2.2). */
export function pathOf(target: string): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)
  return path === '' ? '/' : path
}
