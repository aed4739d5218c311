import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseApiKey } from '../../src/accounts/keys/api-key-format.ts'
import {
  createOperatorToken,
  findOperatorToken,
  readTokens,
  revokeOperatorToken,
  touchOperatorToken,
} from '../../src/accounts/keys/operator-tokens.ts'
import { type AccountsFixture, openAccountsFixture } from './accounts-fixture.ts'

let house: AccountsFixture
beforeEach(async () => {
  house = await openAccountsFixture()
})
afterEach(() => house.close())

const create = (more: Partial<Parameters<typeof createOperatorToken>[2]> = {}) =>
  house.storage.writer.write((tx) =>
    createOperatorToken(tx, house.deps(), {
      name: 'Billing',
      scope: 'write',
      expiresAt: null,
      actor: 'test',
      ...more,
    }),
  )
const find = (token: string) => findOperatorToken(house.storage.read, token, house.clock.now())

test('a token is known again by its hash alone, which is all that is stored of it', async () => {
  const { tokenId, token, lastFour } = await create()
  expect(token).toMatch(/^onesixty_operator_[0-9A-Za-z]{49}$/)
  expect(await find(token)).toMatchObject({ tokenId, scope: 'write' })
  const rows = await house.storage.read.selectFrom('operator_tokens').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(token.slice(20, -4))
  expect(rows).toMatchObject([
    { id: tokenId, last_four: lastFour, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ])
  expect(await house.audited()).toContain('operator_token.created')
  const log = await house.storage.read.selectFrom('audit_log').select('detail').execute()
  expect(JSON.stringify(log)).not.toContain(token)
})

test('no token is an API key and no key a token', async () => {
  const { token } = await create()
  expect(parseApiKey(token)).toBeNull()
  const { accountId } = await house.addAccount()
  const key = await house.addKey({ accountId })
  expect(await find(key.token)).toBeNull()
  expect(await find(key.token.replace('live', 'operator'))).toBeNull()
})

test('one that was revoked, has ended or was mistyped is nobody’s', async () => {
  const { tokenId, token } = await create()
  const ending = await create({ expiresAt: house.clock.now() + 60_000 })
  const last = token.endsWith('A') ? 'B' : 'A'
  expect(await find(token.slice(0, -1) + last)).toBeNull()
  expect(await find(ending.token)).not.toBeNull()
  await house.clock.advance(60_000)
  expect(await find(ending.token)).toBeNull()
  const revoke = () =>
    house.storage.writer.write((tx) => revokeOperatorToken(tx, house.deps(), { tokenId, actor: 'test' }))
  expect([await revoke(), await revoke()]).toEqual([true, false])
  expect(await find(token)).toBeNull()
  const states = (await readTokens(house.storage.read, house.clock.now())).map(({ state }) => state)
  expect(states).toEqual(['expired', 'revoked'])
  expect((await house.audited()).filter((action) => action === 'operator_token.revoked')).toHaveLength(1)
})

test('its last use is written once a minute', async () => {
  const { tokenId, token } = await create()
  const first = await find(token)
  expect(first?.usedFirstIn).toBe(house.clock.now() - (house.clock.now() % 60_000))
  await house.storage.writer.write((tx) =>
    touchOperatorToken(tx, { tokenId, minute: first?.usedFirstIn ?? 0 }),
  )
  expect((await find(token))?.usedFirstIn).toBeNull()
  await house.clock.advance(60_000)
  expect((await find(token))?.usedFirstIn).not.toBeNull()
})

test('names that are none, an end in the past and the fifty-first are refused', async () => {
  await expect(create({ name: ' ' })).rejects.toMatchObject({ code: 'validation_failed' })
  await expect(create({ expiresAt: house.clock.now() })).rejects.toMatchObject({
    extra: { errors: [{ pointer: '/expires_at' }] },
  })
  for (let i = 0; i < 50; i++) await create()
  await expect(create()).rejects.toMatchObject({ extra: { errors: [{ code: 'too_many_items' }] } })
})
