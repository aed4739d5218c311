import { afterAll, beforeAll, expect, test } from 'vitest'
import { refuse } from '../../src/runtime/errors.ts'
import { StorageError, type StorageFault } from '../../src/storage/seam/dialect.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

let api: TestApi
let failure: unknown
beforeAll(async () => {
  api = await startTestApi({
    config: { sendPerMinute: 0 },
    ports: {
      store: async () => {
        throw failure
      },
    },
  })
})
afterAll(() => api.close())

const body = { to: '+4915112345678', text: 'Hello' }
const fail = async (with_: unknown) => {
  failure = with_
  return api.send(body)
}
const storageError = (fault: StorageFault) => new StorageError('SQLITE_SECRET: no such thing', fault, true)

test('a full disk is 507, and nothing was sent', async () => {
  const answer = await fail(storageError('full'))
  expect(answer).toMatchObject({ status: 507, body: { code: 'storage_full' } })
  expect(answer.body.detail).toMatch(/Nothing was sent\.$/)
})

test('a database that is away, busy or closed is 503 with a time to come back', async () => {
  for (const fault of ['unavailable', 'busy', 'closed'] as const) {
    const answer = await fail(storageError(fault))
    expect(answer, fault).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(answer.headers.get('retry-after')).toBe('1')
  }
})

test('any other fault is 500, leaks nothing and is logged once with its stack', async () => {
  for (const thrown of [
    new TypeError('SECRET of the machine'),
    storageError('constraint'),
    storageError('other'),
  ]) {
    const linesBefore = api.logLines.length
    const answer = await fail(thrown)
    expect(answer).toMatchObject({
      status: 500,
      body: { code: 'internal_error', title: 'Internal error.' },
    })
    expect(answer.text).not.toMatch(/SECRET|\.ts|Error:/)
    const errors = api.logLines.slice(linesBefore).filter((line) => line.includes('"level":"error"'))
    expect(errors).toHaveLength(1)
    expect(JSON.parse(errors[0] ?? '')).toMatchObject({
      request: answer.headers.get('request-id'),
      err: { message: thrown.message },
    })
  }
})

test('what is thrown that is no error is a 500 too', async () => {
  for (const thrown of ['text', undefined, null, 42, { statusCode: 200 }]) {
    expect((await fail(thrown)).status, JSON.stringify(thrown)).toBe(500)
  }
})

test('an unknown outcome is the one refusal that does not claim that nothing was sent', async () => {
  const answer = await fail(refuse('outcome_unknown'))
  expect(answer).toMatchObject({
    status: 503,
    body: { code: 'outcome_unknown', detail: 'Repeat with the same Idempotency-Key.' },
  })
})

test('a fault of reading is told without a word about sending', async () => {
  const answer = await api.request('GET', '/api/v1/history?limit=0')
  expect(answer.status).toBe(400)
  expect(answer.body.detail).not.toContain('sent')
})
