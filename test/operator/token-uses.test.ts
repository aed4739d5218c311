import { afterEach, beforeEach, expect, test } from 'vitest'
import { createOperatorToken, readTokens } from '../../src/accounts/keys/operator-tokens.ts'
import { createTokenUses } from '../../src/api/operator/token-uses.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'
import { type AccountsFixture, openAccountsFixture } from '../accounts/accounts-fixture.ts'
import { startOperatorHouse } from './operator-client.ts'

let fixture: AccountsFixture
beforeEach(async () => {
  fixture = await openAccountsFixture()
})
afterEach(() => fixture.close())

const minuteMs = 60_000

/** Notes uses with a writer that waits to be told, each time, whether it may. */
function noteWithGates() {
  const gates: PromiseWithResolvers<void>[] = []
  const warnings: string[] = []
  const write: Writer['write'] = async (unit) => {
    const gate = Promise.withResolvers<void>()
    gates.push(gate)
    await gate.promise
    return fixture.storage.writer.write(unit)
  }
  const note = createTokenUses({
    writer: { write },
    log: { warn: (_, message) => void warnings.push(message) },
  })
  return { gates, warnings, note }
}

const create = async (name: string): Promise<string> => {
  const token = { name, scope: 'read', expiresAt: null, actor: 'test' } as const
  return (await fixture.storage.writer.write((tx) => createOperatorToken(tx, fixture.deps(), token))).tokenId
}

const lastUses = async () => {
  const tokens = await readTokens(fixture.storage.read, fixture.clock.now())
  return new Map(tokens.map(({ id, lastUsedAt }) => [id, lastUsedAt]))
}

test('one write is under way at most, and what is noted meanwhile goes with the next', async () => {
  const [a, b] = [await create('A'), await create('B')]
  const { gates, note } = noteWithGates()
  for (let i = 0; i < 5; i++) note({ tokenId: a, minute: minuteMs })
  for (let i = 0; i < 5; i++) note({ tokenId: b, minute: minuteMs })
  note({ tokenId: a, minute: 2 * minuteMs })
  expect(gates).toHaveLength(1)
  gates[0]?.resolve()
  await expect.poll(() => gates.length).toBe(2)
  expect(await lastUses()).toEqual(
    new Map([
      [a, minuteMs],
      [b, null],
    ]),
  )
  gates[1]?.resolve()
  await expect.poll(lastUses).toEqual(
    new Map([
      [a, 2 * minuteMs],
      [b, minuteMs],
    ]),
  )
  expect(gates).toHaveLength(2)
})

test('a write that fails is said once a minute, and the next one goes on', async () => {
  const tokenId = await create('A')
  const { gates, warnings, note } = noteWithGates()
  note({ tokenId, minute: minuteMs })
  gates[0]?.reject(new Error('The disk is full.'))
  await expect.poll(() => warnings).toHaveLength(1)
  note({ tokenId, minute: minuteMs })
  expect(gates).toHaveLength(1)
  note({ tokenId, minute: 2 * minuteMs })
  gates[1]?.resolve()
  await expect.poll(lastUses).toEqual(new Map([[tokenId, 2 * minuteMs]]))
  expect(warnings).toHaveLength(1)
})

test('who only reads is answered while no write is taken', async () => {
  const house = await startOperatorHouse()
  const { writer, read } = house.app.storage
  const free = Promise.withResolvers<void>()
  const blocking = writer.write(() => free.promise)
  try {
    const { id, token } = house.tokens.read
    for (let i = 0; i < 3; i++) expect((await house.ask('GET', '/accounts', { token })).status).toBe(200)
    free.resolve()
    await blocking
    const lastUse = async () => (await readTokens(read, Date.now())).find((one) => one.id === id)?.lastUsedAt
    await expect.poll(lastUse).toBeGreaterThan(Date.now() - 10 * minuteMs)
  } finally {
    free.resolve()
    await house.stop()
  }
})
