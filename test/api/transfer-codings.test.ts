import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawExchange } from './raw-request.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const body = JSON.stringify({ to: '+4915112345678', text: 'Hello' })

/** A send in one chunk, and a question behind it on the same connection: is it read, the first one did not end it. */
const ask = async (version: string, codings: readonly string[]) => {
  const named = `Host: x\r\nAuthorization: Bearer ${api.account.testKey}\r\n`
  const fields = codings.map((coding) => `Transfer-Encoding: ${coding}\r\n`).join('')
  const answers = await rawExchange(
    api.port,
    `POST /api/v1/send HTTP/${version}\r\n${named}Content-Type: application/json\r\n${fields}\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n${named}Connection: close\r\n\r\n`,
  )
  return answers.map(({ status, json }) => [status, json?.code])
}

test.for(['chunked', 'Chunked', 'CHUNKED'])('a body in chunks is read (%s)', async (coding) => {
  expect(await ask('1.1', [coding])).toEqual([[202, undefined], [200, undefined]])
}) // prettier-ignore

// RFC 9112 section 6.1. Schemathesis and smuggling suites try the first two: Node's parser looks at the last coding alone.
test.for([
  ['1.1', 'gzip, chunked'],
  ['1.1', 'identity, chunked'],
  ['1.1', 'gzip', 'chunked'],
  ['1.1', 'chunked', 'chunked'],
  ['1.1', 'chunked, chunked'],
  ['1.1', 'chunked;a=b'],
  ['1.1', 'identity'],
  ['1.1', ''],
  ['1.0', 'chunked'],
])('no other transfer coding is read: HTTP/%s, %s', async ([version = '', ...codings]) => {
  expect(await ask(version, codings)).toEqual([[400, 'malformed_request']])
})
