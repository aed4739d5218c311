import { type LoadJob, recipientOf, textOfMessages } from './load-job.ts'

/** The bytes of a connection's next request. The same buffer is written again and again: only its digits change. */
export interface RequestTemplate {
  /** Gives the request whose first message is number `n`. */
  bytesOf(n: number): Buffer
  messagesPerRequest: number
}

/** Makes the template of one connection. */
export function createRequestTemplate({ shape, ports, tokens }: LoadJob): RequestTemplate {
  const head = `Host: 127.0.0.1:${ports[0]}\r\nAuthorization: Bearer ${tokens[0]}\r\n`
  if (shape.kind === 'get') {
    const requests = shape.paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\n${head}\r\n`))
    return { bytesOf: (n) => requests[n % requests.length] as Buffer, messagesPerRequest: 1 }
  }
  if (shape.kind === 'text') return textTemplate(shape)
  const to = Array.from({ length: shape.recipients }, (_, i) => recipientOf(i))
  const body = JSON.stringify({ to: shape.recipients === 1 ? to[0] : to, text: textOfMessages })
  const key = shape.idempotent ? `Idempotency-Key: bench-${digits(0, keyLength)}\r\n` : ''
  const request = `POST /api/v1/send HTTP/1.1\r\n${head}${key}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const bytes = Buffer.from(request)
  const keyAt = request.indexOf('bench-') + 'bench-'.length
  const numbersAt = placesOfNumbers(request, shape.recipients)
  const keys = keysOfOneLength(tokens)
  const tokenAt = request.indexOf('Bearer ') + 'Bearer '.length
  return {
    messagesPerRequest: shape.recipients,
    bytesOf(n) {
      if (keys.length > 1) keys[Math.floor(n / shape.recipients) % keys.length]?.copy(bytes, tokenAt)
      if (shape.idempotent) writeDigits(bytes, keyAt, keyLength, n)
      writeNumbers(bytes, numbersAt, n)
      return bytes
    },
  }
}

function textTemplate({ recipients, request }: { recipients: number; request: string }): RequestTemplate {
  const bytes = Buffer.from(request)
  const numbersAt = placesOfNumbers(request, recipients)
  return {
    messagesPerRequest: recipients,
    bytesOf(n) {
      writeNumbers(bytes, numbersAt, n)
      return bytes
    },
  }
}

/** Where the digits of each recipient are that count up. */
function placesOfNumbers(request: string, recipients: number): number[] {
  return Array.from({ length: recipients }, (_, i) => {
    const at = request.indexOf(recipientOf(i).slice(1))
    if (at < 0) throw new Error(`A request without its recipient ${i}.`)
    return at + '49151'.length
  })
}

function writeNumbers(bytes: Buffer, numbersAt: readonly number[], n: number): void {
  for (let i = 0; i < numbersAt.length; i++) writeDigits(bytes, numbersAt[i] as number, 8, n + i)
}

/** The bytes of the keys, one of which takes the place of another. */
function keysOfOneLength(tokens: readonly string[]): Buffer[] {
  const keys = tokens.map((token) => Buffer.from(token))
  if (keys.some(({ length }) => length !== keys[0]?.length))
    throw new Error('The keys of a job must all be as long.')
  return keys
}

const keyLength = 12
const digits = (n: number, length: number): string => String(n).padStart(length, '0')

function writeDigits(bytes: Buffer, at: number, length: number, n: number): void {
  for (let i = at + length - 1, rest = n; i >= at; i--, rest = Math.floor(rest / 10))
    bytes[i] = 48 + (rest % 10)
}
