import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { phonePath } from '../process/own-address.ts'
import type { ReachProof } from './reach-proof.ts'
import { codeOf, passed, type Stage, stopped } from './reach-step.ts'

/** Path of the question that only this instance answers; a nonce follows. */
const reachPath = `${phonePath}/reach/`
/** The answer has 60 bytes; pages of routers and proxies are cut. */
const maxAnswerBytes = 64 * 1024

/** Asks for the proof of this instance over an open connection. */
export async function askForProof(
  url: URL,
  socket: Socket,
  { proof, nonce, signal }: { proof: ReachProof; nonce: string; signal: AbortSignal },
): Promise<Stage<true>> {
  let answer: { status: number; headers: IncomingMessage['headers']; body: string }
  try {
    answer = await get(url, socket, { path: reachPath + nonce, signal })
  } catch (error) {
    return stopped(
      'path',
      `${url.host} does not answer HTTP (${codeOf(error)}).`,
      'Another program listens there, or the address needs https. Check what listens at this port.',
    )
  }
  const proven = proofIn(answer.body)
  if (answer.status === 200 && proven !== null)
    return proof.isOurs(nonce, proven)
      ? passed('path', true, `This server answers at ${url.host}.`)
      : stopped(
          'path',
          `Another onesixty answers at ${url.host}: a server with another secret.`,
          'Correct ONESIXTY_PUBLIC_URL, or let the address lead to this server.',
        )
  return stopped('path', ...wordsFor(url, answer))
}

/** Returns whether an HTTP response arrives, regardless of which. */
export const speaksHttp = (url: URL, socket: Socket, { signal }: { signal: AbortSignal }): Promise<boolean> =>
  get(url, socket, { path: '/', signal }).then(
    () => true,
    () => false,
  )

function wordsFor(
  { host }: URL,
  { status, headers }: { status: number; headers: IncomingMessage['headers'] },
): [summary: string, remedy: string] {
  const by = typeof headers['server'] === 'string' ? ` (${headers['server'].slice(0, 60)})` : ''
  if (status === 502 || status === 503 || status === 504)
    return [
      `A proxy answers ${status} at ${host}${by}.`,
      'The proxy does not reach the server: start the server, and check the address to which the proxy forwards.',
    ]
  if (status >= 300 && status < 400)
    return [
      `${host} redirects to ${(headers.location ?? 'another address').slice(0, 200)}${by}.`,
      'The app does not follow redirects: set ONESIXTY_PUBLIC_URL to the address that answers.',
    ]
  if (status === 401 || status === 403)
    return [
      `${host} answers ${status}${by}: something in front of the server lets no phone through.`,
      'Exempt /mobile/v1 from the sign-in or the filter of the proxy: phones authenticate themselves.',
    ]
  return [
    `Another program answers at ${host}${by}, with status ${status}.`,
    'It may be the page of a router, or a proxy that does not forward /mobile/v1. Let the address lead to this server, or correct ONESIXTY_PUBLIC_URL.',
  ]
}

function proofIn(body: string): string | null {
  try {
    const read = JSON.parse(body) as { reach?: unknown } | null
    return typeof read?.reach === 'string' ? read.reach : null
  } catch {
    return null
  }
}

function get(
  url: URL,
  socket: Socket,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<{ status: number; headers: IncomingMessage['headers']; body: string }> {
  return new Promise((resolve, reject) => {
    const asking = request({
      createConnection: () => socket,
      path,
      headers: { host: url.host, accept: 'application/json', connection: 'close' },
      signal,
    })
    asking.once('error', reject)
    asking.once('response', (response) => {
      const chunks: Buffer[] = []
      let size = 0
      const end = (): void => {
        const body = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
        socket.destroy()
      }
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size > maxAnswerBytes) end()
      })
      response.once('end', end)
      response.once('error', reject)
    })
    asking.end()
  })
}
