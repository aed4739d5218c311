import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mintPhoneToken } from '../../src/devices/phones/phone-tokens.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { makeOperator } from '../e2e/signed-in.ts'
import { app } from '../phones/said-by-app.ts'
import { type ConsolePerson, startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
let operator: ConsolePerson
beforeAll(async () => {
  house = await startConsole()
  operator = await house.newPerson('Olga')
  await makeOperator(house, operator.userId)
})
afterAll(() => house.stop())

interface Standing {
  person: ConsolePerson
  keyId: string
}

/** A message of a live key; the service has no device in this test, so what is accepted would be 503. */
const send = async (key: string): Promise<{ status: number; code: string }> => {
  const answer = await fetch(`${house.url}/api/v1/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '+4915112345678', text: 'Hello' }),
  })
  return { status: answer.status, code: ((await answer.json()) as { code: string }).code }
}

const unusable = { status: 401, code: 'invalid_token' }
test.for<[string, (standing: Standing) => Promise<{ status: number }>, { status: number; code: string }]>([
  ['revoked', ({ person, keyId }) => person.change('keys/revoke', { keyId }), unusable],
  ['replaced without an overlap', ({ person, keyId }) => person.change('keys/rotate', { keyId, overlapHours: 0 }), unusable],
  ['of an account that is closed', ({ person: { accountId } }) => operator.change('operator/state', { accountId, state: 'closed' }), unusable],
  ['of an account that is suspended', ({ person: { accountId } }) => operator.change('operator/state', { accountId, state: 'suspended' }), { status: 403, code: 'account_suspended' }],
])('a key that is %s is refused from the answer on, though it was used a moment before', async ([name, end, refused]) => {
  const person = await house.newPerson(`Eve-${name.replaceAll(' ', '-')}`)
  const { id: keyId } = await house.app.storage.read
    .selectFrom('api_keys')
    .select('id')
    .where('account_id', '=', person.accountId)
    .where('mode', '=', 'live')
    .executeTakeFirstOrThrow()
  expect(await send(person.liveKey)).toMatchObject({ code: 'no_sender_available' })
  expect(await end({ person, keyId })).toMatchObject({ status: 200 })
  expect(await send(person.liveKey)).toEqual(refused)
}) // prettier-ignore

test('the token of a phone whose device was removed is refused from the answer on', async () => {
  const { ada } = house
  const deps = { ids: createIds({ now: Date.now }), nowMs: Date.now(), randomBytes }
  const { token } = await house.app.storage.writer.write((tx) =>
    mintPhoneToken(tx, deps, { accountId: ada.accountId, mode: 'live', actor: 'test' }),
  )
  const call = async (method: string, bearer: string, body?: object) => {
    const answer = await fetch(`${house.url}/mobile/v1/device`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as { id: string; token: string } }
  }
  const made = await call('POST', token, app)
  expect((await call('GET', made.body.token)).status).toBe(200)
  const { id: deviceId } = await house.app.storage.read
    .selectFrom('devices')
    .select('id')
    .where('account_id', '=', ada.accountId)
    .executeTakeFirstOrThrow()
  expect(await ada.change('devices/remove', { deviceId, isLost: false })).toMatchObject({ status: 200 })
  expect((await call('GET', made.body.token)).status).toBe(401)
})

test('a session that was ended, and somebody who was removed from an account, are refused from the answer on', async () => {
  const { ada, bob } = house
  await house.app.storage.writer.write((tx) =>
    tx.insertInto('account_users').values({ account_id: ada.accountId, user_id: bob.userId, role: 'member' }).execute(),
  ) // prettier-ignore
  const look = () => bob.read('keys/list', {}, { accountId: ada.accountId })
  expect((await look()).status).toBe(200)
  expect((await ada.change('members/remove', { userId: bob.userId })).status).toBe(200)
  expect((await look()).status).toBe(404)
  const { sessions } = (await bob.read('profile/read')).body as { sessions: { id: string }[] }
  await bob.change('profile/end-session', { sessionId: sessions[0]?.id })
  expect((await bob.read('profile/read')).status).toBe(401)
})
