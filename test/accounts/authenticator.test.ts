import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { setAccountLimits, setAccountState } from '../../src/accounts/core/accounts.ts'
import { mintApiKey } from '../../src/accounts/keys/api-key-format.ts'
import { revokeApiKey, touchLastUsed } from '../../src/accounts/keys/api-keys.ts'
import { Authenticator, type RefusedBecause } from '../../src/accounts/keys/authenticator.ts'
import type { AccountState } from '../../src/storage/tables/schema.ts'
import { type AccountsFixture, openAccountsFixture } from './accounts-fixture.ts'

let fixture: AccountsFixture
let accountId: string
let authenticator: Authenticator
let refused: { because: RefusedBecause; keyId: string | null; remoteAddress: string }[]
let lookUps: number
/** Runs between the reading of a key and the news of it. */
let answered: () => Promise<void>

beforeEach(async () => {
  fixture = await openAccountsFixture()
  ;({ accountId } = await fixture.addAccount())
  refused = []
  lookUps = 0
  answered = async () => undefined
  const read = fixture.storage.read.withPlugin({
    transformQuery: ({ node }) => {
      lookUps += 1
      return node
    },
    async transformResult({ result }) {
      await answered()
      return result
    },
  })
  authenticator = new Authenticator({
    read,
    clock: fixture.clock,
    refused: (refusal) => refused.push(refusal),
  })
})
afterEach(() => fixture.close())

const from = '192.0.2.1'
const reasons = (): RefusedBecause[] => refused.map((refusal) => refusal.because)
const fake = (): string => mintApiKey({ mode: 'live', randomBytes: (count) => randomBytes(count) }).token
const setState = (state: AccountState) =>
  fixture.storage.writer.write((tx) =>
    setAccountState(
      tx,
      { ...fixture.deps(), cancelWaiting: async () => 0 },
      { accountId, state, actor: 'test' },
    ),
  )
const revoke = (keyId: string) =>
  fixture.storage.writer.write((tx) => revokeApiKey(tx, fixture.deps(), { keyId, actor: 'test' }))

test('knows who calls, with what the key and the account say', async () => {
  const { keyId, token } = await fixture.addKey({
    accountId,
    scopes: ['status:read', 'balance:read'],
    dailyCap: 7,
  })
  const limits = { sendPerMinute: 3, queueLimit: 0 }
  await fixture.storage.writer.write((tx) =>
    setAccountLimits(tx, fixture.deps(), { accountId, limits, actor: 'test' }),
  )
  expect(await authenticator.authenticate(token, from)).toEqual({
    keyId,
    accountId,
    mode: 'live',
    scopes: new Set(['status:read', 'balance:read']),
    accountState: 'active',
    sendPerMinute: 3,
    readPerMinute: null,
    queueLimit: 0,
    dailyCap: 7,
    recipientLimits: { countries: null, numberPerHour: null, prefixPerHour: null, pumpingNumbers: null },
    ownDevices: 'charged',
  })
  expect(refused).toEqual([])
})

test('a known key costs no look-up for 5 s', async () => {
  const { token } = await fixture.addKey({ accountId })
  for (let i = 0; i < 1_000; i++) expect(await authenticator.authenticate(token, from)).not.toBeNull()
  expect(lookUps).toBe(1)
  await fixture.clock.advance(4_999)
  await authenticator.authenticate(token, from)
  expect(lookUps).toBe(1)
  await fixture.clock.advance(1)
  await authenticator.authenticate(token, from)
  expect(lookUps).toBe(2)
})

test('requests that come at once with a new key share one look-up', async () => {
  const { token } = await fixture.addKey({ accountId })
  const callers = await Promise.all(Array.from({ length: 50 }, () => authenticator.authenticate(token, from)))
  expect(new Set(callers.map((caller) => caller?.accountId))).toEqual(new Set([accountId]))
  expect(lookUps).toBe(1)
})

test('a typo and a text that is no key are refused without a look-up', async () => {
  const { token } = await fixture.addKey({ accountId })
  const typo = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
  for (const bad of [typo, '', 'x', token.replace('live', 'test'), `${token} `]) {
    expect(await authenticator.authenticate(bad, from)).toBeNull()
  }
  expect(lookUps).toBe(0)
  expect(new Set(reasons())).toEqual(new Set(['malformed']))
})

test('a fake with a right checksum is unknown, and looked up once a second', async () => {
  const token = fake()
  for (let i = 0; i < 10; i++) expect(await authenticator.authenticate(token, from)).toBeNull()
  expect([lookUps, new Set(reasons())]).toEqual([1, new Set(['unknown'])])
  await fixture.clock.advance(1_000)
  await authenticator.authenticate(token, from)
  expect(lookUps).toBe(2)
})

test('a flood of fakes puts out no good key', async () => {
  const { token } = await fixture.addKey({ accountId })
  await authenticator.authenticate(token, from)
  for (let i = 0; i < 11_000; i += 500) {
    await Promise.all(Array.from({ length: 500 }, () => authenticator.authenticate(fake(), from)))
  }
  const before = lookUps
  expect(await authenticator.authenticate(token, from)).not.toBeNull()
  expect(lookUps).toBe(before)
})

test('a revoked key is refused at once where the change is told, and within 5 s where it is not', async () => {
  const { keyId, token } = await fixture.addKey({ accountId })
  const elsewhere = new Authenticator({ read: fixture.storage.read, clock: fixture.clock })
  await authenticator.authenticate(token, from)
  await elsewhere.authenticate(token, from)
  await revoke(keyId)
  authenticator.invalidate()
  expect(await authenticator.authenticate(token, from)).toBeNull()
  expect(refused).toEqual([{ because: 'revoked', keyId, remoteAddress: from }])
  expect(await elsewhere.authenticate(token, from)).not.toBeNull()
  await fixture.clock.advance(5_000)
  expect(await elsewhere.authenticate(token, from)).toBeNull()
})

test('a look-up that was under way when the key was revoked is not remembered', async () => {
  const { keyId, token } = await fixture.addKey({ accountId })
  const read = Promise.withResolvers<void>()
  const revoked = Promise.withResolvers<void>()
  answered = async () => {
    read.resolve()
    await revoked.promise
  }
  const early = authenticator.authenticate(token, from)
  await read.promise
  await revoke(keyId)
  authenticator.invalidate()
  revoked.resolve()
  expect(await early).not.toBeNull()
  expect(await authenticator.authenticate(token, from)).toBeNull()
})

test('a request that comes after the revocation does not join a look-up that began before it', async () => {
  const { keyId, token } = await fixture.addKey({ accountId })
  const read = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  answered = async () => {
    answered = async () => undefined
    read.resolve()
    await goOn.promise
  }
  const early = authenticator.authenticate(token, from)
  await read.promise
  await revoke(keyId)
  authenticator.invalidate()
  const late = authenticator.authenticate(token, from)
  goOn.resolve()
  await early
  expect(await late).toBeNull()
  expect([lookUps, reasons()]).toEqual([2, ['revoked']])
})

test('a key ends at its expiry, though it is remembered', async () => {
  const { keyId, token } = await fixture.addKey({ accountId, expiresAt: fixture.clock.now() + 2_000 })
  await fixture.clock.advance(1_999)
  expect(await authenticator.authenticate(token, from)).not.toBeNull()
  await fixture.clock.advance(1)
  expect(await authenticator.authenticate(token, from)).toBeNull()
  expect(refused).toEqual([{ because: 'expired', keyId, remoteAddress: from }])
  expect(lookUps).toBe(1)
})

test('a key with an address list works from there alone, though it is remembered', async () => {
  const { token } = await fixture.addKey({ accountId, addresses: ['10.0.0.0/8'] })
  expect(await authenticator.authenticate(token, '10.1.2.3')).not.toBeNull()
  expect(await authenticator.authenticate(token, from)).toBeNull()
  expect(await authenticator.authenticate(token, '::ffff:10.1.2.3')).not.toBeNull()
  expect(reasons()).toEqual(['address'])
})

test('a suspended account is let in and said to be so; a closed one is not let in', async () => {
  const { token } = await fixture.addKey({ accountId })
  await setState('suspended')
  expect((await authenticator.authenticate(token, from))?.accountState).toBe('suspended')
  await setState('closed')
  authenticator.invalidate()
  expect(await authenticator.authenticate(token, from)).toBeNull()
  expect(reasons()).toEqual(['closed'])
})

test('a key of one mode is none of the other, whatever its hash', async () => {
  const { token } = await fixture.addKey({ accountId, mode: 'live' })
  await fixture.storage.writer.write((tx) => tx.updateTable('api_keys').set({ mode: 'test' }).execute())
  expect(await authenticator.authenticate(token, from)).toBeNull()
  expect(reasons()).toEqual(['unknown'])
})

test('remembers the use of a key once a minute, and hands it over once', async () => {
  const { keyId, token } = await fixture.addKey({ accountId })
  const minute = fixture.clock.now() - (fixture.clock.now() % 60_000)
  for (let i = 0; i < 5; i++) await authenticator.authenticate(token, from)
  const uses = authenticator.takeUses()
  expect(uses).toEqual([{ keyId, atMs: minute }])
  expect(authenticator.takeUses()).toEqual([])
  await fixture.storage.writer.write((tx) => touchLastUsed(tx, uses))

  authenticator.invalidate()
  await authenticator.authenticate(token, from)
  expect(authenticator.takeUses()).toEqual([])
  await fixture.clock.advance(60_000)
  await authenticator.authenticate(token, from)
  expect(authenticator.takeUses()).toEqual([{ keyId, atMs: minute + 60_000 }])
})

test('a jump of the wall clock keeps no key alive', async () => {
  const { keyId, token } = await fixture.addKey({ accountId })
  await authenticator.authenticate(token, from)
  await revoke(keyId)
  fixture.clock.jumpWallClock(-86_400_000)
  await fixture.clock.advance(5_000)
  expect(await authenticator.authenticate(token, from)).toBeNull()
})
