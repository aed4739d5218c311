import type { IncomingHttpHeaders } from 'node:http'
import { refuse } from '../../runtime/errors.ts'

/** Refuses a request whose client accepts neither JSON nor problem documents (RFC 9110 section 12.5.1). */
export function checkAccept({ accept }: IncomingHttpHeaders): void {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return
  if (!admits(accept, 'application/json') && !admits(accept, 'application/problem+json'))
    throw refuse('not_acceptable')
}

/** Refuses a body that is not declared as plain JSON in UTF-8. */
export function checkContentType(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw refuse('unsupported_media_type', {
      detail: `Content-Encoding '${encoding}' is not supported. Send plain JSON.`,
    })
  }
  const type = headers['content-type']
  if (type === 'application/json' || (type !== undefined && json.test(type))) return
  throw refuse('unsupported_media_type', {
    detail:
      type === undefined
        ? 'Send the header `Content-Type: application/json`.'
        : `'${type}' is not supported. Send application/json.`,
  })
}

const json = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?;?$/i

/**
 * Returns whether a client prefers gzip to the plain bytes (RFC 9110 section 12.5.3). Without the header
 * every coding is acceptable, but such clients are mostly tools that do not decompress.
 */
export function prefersGzip(headers: IncomingHttpHeaders): boolean {
  const weights = new Map<string, number>()
  const { 'accept-encoding': given = '' } = headers
  for (const item of given.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim())
    const weight = parameters.map((parameter) => /^q\s*=\s*([\d.]+)$/.exec(parameter)?.[1]).find(Boolean)
    weights.set(coding, Number(weight ?? 1))
  }
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0)
}

/** The most specific matching range decides; a weight of 0 excludes. */
function admits(accept: string, type: string): boolean {
  let precision = -1
  let admitted = false
  for (const item of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = item.split(';').map((part) => part.trim())
    const found = ranges(type).indexOf(range)
    if (found <= precision) continue
    precision = found
    admitted = !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter))
  }
  return admitted
}

const ranges = (type: string): string[] => ['*/*', 'application/*', type]
