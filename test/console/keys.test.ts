import { afterAll, beforeAll, expect, test } from 'vitest'
import { startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole()
})
afterAll(() => house.stop())

const everything = ['messages:send', 'messages:read', 'status:read', 'balance:read']
const newKey = { name: 'Shop', scopes: everything, addresses: [], dailyCap: null, expiresAt: null }

test('a key made in the console works at once, is shown once, and is refused after it was revoked', async () => {
  const { ada } = house
  const made = await ada.change('keys/create', newKey)
  expect(made.status).toBe(200)
  const { keyId, token } = made.body as { keyId: string; token: string }
  expect(token).toMatch(/^onesixty_live_/)
  expect((await house.balanceWith(token)).status).toBe(200)
  const listed = JSON.stringify((await ada.read('keys/list')).body)
  expect(listed).toContain(keyId)
  expect(listed).not.toContain(token)
  expect((await ada.change('keys/revoke', { keyId })).body).toEqual({ revoked: true })
  expect((await house.balanceWith(token)).status).toBe(401)
})

test('a rotated key and its successor both work until the overlap ends', async () => {
  const { ada } = house
  const { body: first } = await ada.change('keys/create', { ...newKey, scopes: ['balance:read'] })
  const { keyId, token } = first as { keyId: string; token: string }
  const rotated = await ada.change('keys/rotate', { keyId, overlapHours: 1 })
  const next = rotated.body as { token: string; oldExpiresAt: number }
  expect(next.token).not.toBe(token)
  expect(next.oldExpiresAt - Date.now()).toBeGreaterThan(3_590_000)
  expect((await house.balanceWith(token)).status).toBe(200)
  expect((await house.balanceWith(next.token)).status).toBe(200)
  const { body } = await ada.change('keys/rotate', { keyId, overlapHours: 169 })
  expect(body).toMatchObject({ code: 'validation_failed' })
})

test("another account's key can be neither revoked nor rotated", async () => {
  const { ada, bob } = house
  const { body } = await ada.change('keys/create', newKey)
  const { keyId } = body as { keyId: string }
  expect((await bob.change('keys/revoke', { keyId })).status).toBe(404)
  expect((await bob.change('keys/rotate', { keyId, overlapHours: 1 })).status).toBe(404)
})

test('wrong fields are named', async () => {
  const { body } = await house.ada.change('keys/create', { ...newKey, name: '', scopes: [] })
  expect(JSON.stringify(body)).toContain('/scopes')
})
