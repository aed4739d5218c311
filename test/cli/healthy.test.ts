import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'

/** Answers `/readyz` with a status, in the place of a server. */
async function answering(status: number): Promise<number> {
  const server: Server = createServer(({ url }, response) =>
    response.writeHead(url === '/readyz' ? status : 404).end(),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  return (server.address() as AddressInfo).port
}

async function healthy(env: Record<string, string>): Promise<{ code: number; said: string }> {
  let said = ''
  const write = (text: string): void => void (said += text)
  const code = await runCommandLine(['healthy'], { stdout: { write }, stderr: { write }, stdin: none(), env })
  return { code, said }
}

async function* none(): AsyncIterable<string> {}

test.for([
  [200, 0, 'The server is ready.'],
  [503, 1, 'The server is not ready: 503.'],
] as const)('a server that answers %s ends the command with %s', async ([status, code, words]) => {
  const port = String(await answering(status))
  // The public address is a proxy, which knows nothing about this node.
  const env = {
    ONESIXTY_PORT: port,
    ONESIXTY_HOST: '0.0.0.0',
    ONESIXTY_PUBLIC_URL: 'https://sms.example.org',
  }
  expect(await healthy(env)).toEqual({ code, said: `${words}\n` })
})

test('a server that is not there is not healthy, and its address is named', async () => {
  const { code, said } = await healthy({ ONESIXTY_PORT: '1' })
  expect(code).toBe(1)
  expect(said).toMatch(/^The server does not answer at http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/)
})
