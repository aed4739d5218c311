import { connect } from 'node:net'

export interface RawAnswer {
  status: number
  /** In lower case. */
  headers: Record<string, string>
  body: string
  // Tests look into answers of every form.
  // oxlint-disable-next-line typescript/no-explicit-any
  json: any
}

/**
 * Writes bytes to the server as they are and gives what came back until the server closed the connection, one answer after the other. A
 * well-formed request should say `Connection: close`.
 */
export function rawExchange(port: number, ...pieces: (string | Buffer)[]): Promise<RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close before it has read everything: what it said before counts.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => resolve(readAnswers(Buffer.concat(received).toString('latin1'))))
    for (const piece of pieces) socket.write(piece)
  })
}

/** The one answer to one raw request. */
export async function rawRequest(port: number, ...pieces: (string | Buffer)[]): Promise<RawAnswer> {
  const [answer, ...more] = await rawExchange(port, ...pieces)
  if (answer === undefined || more.length > 0)
    throw new Error(`${more.length === 0 ? 'no' : 'more than one'} answer`)
  return answer
}

function readAnswers(bytes: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = bytes; rest !== '';) {
    const headEnd = rest.indexOf('\r\n\r\n')
    const [statusLine = '', ...lines] = rest.slice(0, headEnd).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    )
    const bodyEnd = headEnd + 4 + Number(headers['content-length'] ?? 0)
    const body = rest.slice(headEnd + 4, bodyEnd)
    // With HEAD the length names a body that does not come.
    const json: unknown = headers['content-type']?.includes('json') && body !== '' ? JSON.parse(body) : null
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, body, json })
    rest = rest.slice(bodyEnd)
  }
  return answers
}

/** The head and body of a send with the right key. */
export function rawSend(key: string, body: string | Buffer, extraHeaders = ''): Buffer {
  const bytes = Buffer.from(body)
  const head = `POST /api/v1/send HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${bytes.length}\r\n${extraHeaders}\r\n`
  return Buffer.concat([Buffer.from(head), bytes])
}
