import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { openCertificates } from '../reach/made-certificates.ts'

/** What it answers next: an HTTP response, or the certificate that it was asked for. */
export type Answer = { status: number; body: string } | 'approve'

/** A CA with the calls of ca.sms-gate.app (its documentation of the service, and its client in Go): OpenSSL signs what it is sent. */
export async function openCa(answers: Answer[]) {
  const certificates = openCertificates()
  const calls: string[] = []
  const contents: { type?: string; content?: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      calls.push(`${request.method} ${request.url}`)
      if (request.method === 'POST')
        contents.push(JSON.parse(Buffer.concat(chunks).toString()) as (typeof contents)[0])
      const answer = answers.shift() ?? { status: 500, body: 'no answer left' }
      const approved = { request_id: 'r1', status: 'approved', message: 'ok' }
      const { status, body } =
        answer === 'approve'
          ? {
              status: 200,
              body: JSON.stringify({
                ...approved,
                certificate: certificates.signRequest(contents.at(-1)?.content ?? ''),
              }),
            }
          : answer
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => (server.close(), certificates.close()))
  return {
    from: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What phones have to trust. */
    root: certificates.root,
    calls,
    contents,
  }
}
