import { afterEach, beforeEach, expect, test } from 'vitest'
import { LinkLeases } from '../../src/dispatch/devices/link-leases.ts'
import { createLog } from '../../src/process/log.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'
import { eventually } from '../eventually.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

let base: TestStorage
/** Whose renewals the database does not take just now. */
let cutOff: Set<string>
let lost: string[]
/** How many tokens the database did not take. */
let refusedTokens: number

beforeEach(async () => {
  base = await openTestStorage()
  cutOff = new Set()
  lost = []
  refusedTokens = 0
})

afterEach(() => base.close())

const put = (...ids: string[]): Promise<unknown> =>
  base.storage.writer.write((tx) =>
    tx
      .insertInto('devices')
      .values(
        ids.map((id) => ({ id, mode: 'live' as const, kind: 'smpp', name: id, state: 'enabled' as const, senders: '[]', settings: '{}', created_at: 1, updated_at: 1 })), // prettier-ignore
      )
      .execute(),
  )

const nodeNamed = (owner: string, isAlone = false): LinkLeases => {
  const { writer } = base.storage
  const cut: Pick<Writer, 'write'> = {
    write: (unit) =>
      cutOff.has(owner) ? Promise.reject(new Error('the database is away')) : writer.write(unit),
  }
  const log = createLog('silent', { write: () => undefined })
  const refused = (tokens: number): void => void (refusedTokens += tokens)
  return new LinkLeases({ writer: cut, clock: base.clock, log, owner, isAlone, refused })
}
const take = (node: LinkLeases, deviceId: string, who = ''): Promise<boolean> =>
  node.take(deviceId, () => lost.push(`${who}${deviceId}`))
const rowOf = (id: string) =>
  base.storage.read
    .selectFrom('devices')
    .select(['lease_owner as owner', 'lease_token as token', 'lease_until as until'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** Time goes by second by second, and what falls due in each has its answer of the database before the next. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    await base.clock.advance(1_000)
    await base.storage.writer.drain()
    await base.clock.advance(0)
  }
}

test('a link runs on one node as long as that renews its lease', async () => {
  await put('dev_a')
  const [one, two] = [nodeNamed('one'), nodeNamed('two')]
  expect(await take(one, 'dev_a')).toBe(true)
  for (let quarter = 0; quarter < 12; quarter++) {
    await pass(15)
    expect(await take(two, 'dev_a')).toBe(false)
    expect([one.tokenOf('dev_a'), two.tokenOf('dev_a')]).toEqual([1, null])
  }
  expect(lost).toEqual([])
})

test('a holder that cannot renew stops with five seconds left, and never do two hold', async () => {
  await put('dev_a')
  const [one, two] = [nodeNamed('one'), nodeNamed('two')]
  await take(one, 'dev_a')
  cutOff.add('one')
  const history: string[] = []
  for (let second = 1; second <= 46; second++) {
    await pass(1)
    await take(two, 'dev_a')
    const holders = [
      ...(one.tokenOf('dev_a') === null ? [] : ['one']),
      ...(two.tokenOf('dev_a') === null ? [] : ['two']),
    ]
    expect(holders.length).toBeLessThanOrEqual(1)
    if (holders.join() !== history.at(-1)?.split(' ')[1]) history.push(`${second} ${holders.join()}`)
  }
  expect(history).toEqual(['1 one', '40 ', '45 two'])
  expect(lost).toEqual(['dev_a'])
  expect(two.tokenOf('dev_a')).toBe(2)
})

test('a renewal that failed is made up for within the lease', async () => {
  await put('dev_a')
  const one = nodeNamed('one')
  await take(one, 'dev_a')
  cutOff.add('one')
  await pass(35)
  cutOff.delete('one')
  await pass(60)
  expect(one.tokenOf('dev_a')).toBe(1)
  expect(lost).toEqual([])
})

test('a node that slept through its lease knows it before it writes', async () => {
  await put('dev_a')
  const [one, two] = [nodeNamed('one'), nodeNamed('two')]
  await take(one, 'dev_a', 'one ')
  cutOff.add('one')
  await pass(45)
  expect(await take(two, 'dev_a', 'two ')).toBe(true)
  cutOff.delete('one')
  expect(one.tokenOf('dev_a')).toBeNull()
  await pass(30)
  expect(one.tokenOf('dev_a')).toBeNull()
  expect((await rowOf('dev_a')).owner).toBe('two')
  expect(lost).toEqual(['one dev_a'])
})

test('what a node says under a token of before its sleep is refused by the database, and counted', async () => {
  await put('dev_a', 'dev_b')
  const [one, two] = [nodeNamed('one'), nodeNamed('two')]
  await take(one, 'dev_a')
  await take(one, 'dev_b')
  cutOff.add('one')
  await pass(45)
  await take(two, 'dev_a')
  cutOff.delete('one')
  await one.release('dev_a')
  await one.release('dev_b')
  expect(refusedTokens).toBe(1)
  expect((await rowOf('dev_a')).owner).toBe('two')
  expect((await rowOf('dev_b')).owner).toBeNull()
  // Its renewal was on the way when the next of the same name took the link.
  await take(two, 'dev_b')
  expect(await take(nodeNamed('two'), 'dev_b')).toBe(true)
  await pass(16)
  expect(refusedTokens).toBe(2)
})

test('a node of the same name takes its own over at once, and the one before finds out', async () => {
  await put('dev_a')
  const [before, after] = [nodeNamed('one'), nodeNamed('one')]
  await take(before, 'dev_a', 'before ')
  expect(await take(after, 'dev_a', 'after ')).toBe(true)
  await pass(16)
  expect([before.tokenOf('dev_a'), after.tokenOf('dev_a')]).toEqual([null, 2])
  expect(lost).toEqual(['before dev_a'])
  await before.release('dev_a')
  expect((await rowOf('dev_a')).owner).toBe('one')
})

test('who is alone takes over from a dead one at once', async () => {
  await put('dev_a')
  await take(nodeNamed('one'), 'dev_a')
  const two = nodeNamed('two', true)
  expect(await take(two, 'dev_a')).toBe(true)
  expect(two.tokenOf('dev_a')).toBe(2)
})

test('what is released is free at once, and is renewed no more', async () => {
  await put('dev_a', 'dev_b')
  const [one, two] = [nodeNamed('one'), nodeNamed('two')]
  await Promise.all([take(one, 'dev_a'), take(one, 'dev_b')])
  await one.release('dev_a')
  expect(await rowOf('dev_a')).toEqual({ owner: null, token: 1, until: null })
  expect(await take(two, 'dev_a')).toBe(true)
  expect(one.tokenOf('dev_b')).toBe(1)
  await Promise.all([one.release('dev_b'), two.release('dev_a')])
  expect(base.clock.waiting).toBe(0)
})

test('a wall clock that jumps ends no lease', async () => {
  await put('dev_a')
  const one = nodeNamed('one')
  await take(one, 'dev_a')
  base.clock.jumpWallClock(-3 * 86_400_000)
  await pass(120)
  expect(one.tokenOf('dev_a')).toBe(1)
  base.clock.jumpWallClock(6 * 86_400_000)
  expect(one.tokenOf('dev_a')).toBe(1)
  await pass(120)
  await eventually(
    () => one.tokenOf('dev_a'),
    (token) => expect(token).toBe(1),
  )
  expect(lost).toEqual([])
})
