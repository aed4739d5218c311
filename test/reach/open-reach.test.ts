import { expect, onTestFinished, test } from 'vitest'
import { createOpenReach } from '../../src/app/open-reach.ts'
import type { ReachOpener } from '../../src/connectors/android/route.ts'
import { beginReachCheck, readReachCheck } from '../../src/devices/phones/reach-checks.ts'
import { ownAddresses } from '../../src/reach/find-addresses.ts'
import { SharedCounts } from '../../src/runtime/shared-counts.ts'
import { openTestStorage } from '../open-test-storage.ts'

/** An address of this machine that others can know; a machine without a network has none. */
const own = ownAddresses()[0] ?? ''
const phone: ReachOpener = {
  address: '192.168.1.23',
  passage: 'direct',
  userAgent: 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/149.0.0.0 Mobile Safari/537.36',
  host: 'sms.example.org',
}

async function openHouse() {
  const { storage, clock, close } = await openTestStorage()
  onTestFinished(() => close())
  let writes = 0
  const writer = { write: (unit: never) => ((writes += 1), storage.writer.write(unit)) }
  const openReach = createOpenReach({
    read: storage.read,
    writer: writer as never,
    clock,
    counts: new SharedCounts(),
  })
  const { nonce } = await storage.writer.write((tx) =>
    beginReachCheck(
      tx,
      { nowMs: clock.now(), randomBytes: (count) => Buffer.alloc(count, 7) },
      'https://sms.example.org/mobile/v1',
    ),
  )
  return {
    open: (by: Partial<ReachOpener>) => openReach(nonce, { ...phone, ...by }),
    reached: () => readReachCheck(storage.read, nonce),
    writes: () => writes,
  }
}

test('the first phone counts, and those after it are not written', async () => {
  const { open, reached, writes } = await openHouse()
  expect(await open({})).toBe('reached')
  expect(await open({ address: '192.168.1.24' })).toBe('reached')
  expect(await reached()).toMatchObject({ from: '192.168.1.23' })
  expect(writes()).toBe(1)
})

test.each<[string, Partial<ReachOpener>, string]>([
  ['by another host', { host: '192.168.1.10:8160' }, 'other_address'],
  ['by another port, which many proxies omit', { host: 'sms.example.org:8443' }, 'reached'],
  ['through a proxy that names its target', { host: '127.0.0.1:8160' }, 'reached'],
  ['through a proxy that names itself', { passage: 'unknown_proxy', host: '10.0.0.2:8160' }, 'reached'],
  ['through a proxy that is trusted', { passage: 'trusted_proxy', host: '10.0.0.2:8160' }, 'reached'],
])('a phone that comes %s', async (_how, by, opening) => {
  const { open, reached } = await openHouse()
  expect(await open(by)).toBe(opening)
  expect((await reached()) !== null).toBe(opening === 'reached')
})

test.skipIf(own === '').each<[string, ReachOpener['passage'], string]>([
  ['a browser of this machine ticks nothing', 'direct', 'own_machine'],
  ['nor does one that a trusted proxy names', 'trusted_proxy', 'own_machine'],
  ['a proxy of this machine, which is not named in the settings, passes on a phone', 'unknown_proxy', 'reached'],
])('%s', async (_what, passage, opening) => {
  const { open } = await openHouse()
  expect(await open({ address: own, passage })).toBe(opening)
}) // prettier-ignore
