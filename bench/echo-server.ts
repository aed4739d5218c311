import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The bare server, whose rate is N. */
export interface EchoServer {
  pid: number
  port: number
  stop(): void
}

/** Starts a process whose server parses the JSON of a request and answers `answer` as JSON, with the request's text in it. */
export async function startEchoServer(answer: object): Promise<EchoServer> {
  const child = fork(import.meta.filename, { execArgv: [] })
  child.send(answer)
  const [port] = (await once(child, 'message')) as [number]
  return { pid: child.pid as number, port, stop: () => void child.kill() }
}

/** No router, no authentication, no validation, no log and no database: what Node.js itself costs. */
function createEchoServer(answer: object): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { text } = JSON.parse(Buffer.concat(chunks).toString()) as { text: string }
      const body = JSON.stringify({ ...answer, text })
      response
        .writeHead(202, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        .end(body)
    })
  })
}

if (import.meta.main) {
  process.once('message', (answer: object) => {
    const server = createEchoServer(answer)
    server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  })
  process.on('disconnect', () => process.exit(0))
}
