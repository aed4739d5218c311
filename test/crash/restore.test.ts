import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiMessage } from '../api-client.ts'
import { eventually } from '../eventually.ts'
import { sizeOf } from '../proof-sizes.ts'
import { type CrashHouse, expectSound, openCrashHouse } from './crash-house.ts'
import { markerOf } from './load.ts'

/** Slower than the load, so that much waits when the backup is made, and all of it is sent afterwards. */
const device = { window: '20', submit_delay_ms: '100', delay_ms: '100' }
const perSecond = 300

const houses = Array.from({ length: sizeOf('RESTORED_HOUSES') }, (_, i) => i + 1)

describe.for(houses)('server %i', () => {
  let house: CrashHouse
  let backup: string
  /** Messages that waited when the backup was made, by their markers; all were sent since. */
  let waited: ApiMessage[]

  beforeAll(async () => {
    house = await openCrashHouse(device)
    const load = house.load({ perSecond, onUnknown: 'resend_once' })
    load.resume()
    await eventually(
      () => load.accepted.size,
      (accepted) => expect(accepted).toBeGreaterThan(200),
    )
    backup = join(house.dataFolder, 'backup.db')
    expect(await house.onesixty('backup', backup)).toMatchObject({ sums_hold: true })
    await load.pause()
    await house.drained()
    expect(load.refused).toEqual([])
    await restore()
    waited = await house.client.history(house.liveKey, 'status=queued')
  })
  afterAll(() => house.close())

  /** Puts the backup in place and starts on it. */
  async function restore(): Promise<void> {
    expect(await house.server.stop()).toMatchObject({ code: 0 })
    await house.onesixty('restore', backup)
    await house.restart()
  }

  const timesHandedOver = (messages: readonly ApiMessage[]): number[] => {
    const times = Map.groupBy(house.peer.records(), ({ text, to }) => `${markerOf(text)} ${to}`)
    return messages.map(({ text, to }) => times.get(`${markerOf(text!)} ${to}`)?.length ?? 0)
  }
  const statusesOf = async (messages: readonly ApiMessage[]): Promise<Set<string>> => {
    const now = new Map((await house.client.history(house.liveKey)).map(({ id, status }) => [id, status]))
    return new Set(messages.map(({ id }) => now.get(id) ?? 'absent'))
  }
  const partsOf = (messages: readonly ApiMessage[]): number =>
    messages.reduce((sum, { parts }) => sum + parts, 0)

  test('after a backup is restored nothing of what it held is sent again, and new messages go', async () => {
    expect(waited.length).toBeGreaterThan(20)
    expect(new Set(timesHandedOver(waited)), 'all of it was sent after the backup').toEqual(new Set([1]))
    const before = house.peer.records().length
    // It waits behind what is held, on the same route: were anything claimed, that would be first.
    const sent = await house.client.send(house.liveKey, { to: '+4915112345678', text: 'new' })
    expect(sent.status).toBe(202)
    await eventually(
      () => house.client.message(house.liveKey, sent.body.messages[0]!.id),
      ({ status }) => expect(status).toBe('delivered'),
    )
    expect(
      house.peer
        .records()
        .slice(before)
        .map(({ text }) => text),
    ).toEqual(['new'])
    expect(await statusesOf(waited)).toEqual(new Set(['queued']))
    expect((await house.client.balance(house.liveKey)).reserved).toBe(partsOf(waited))
    // What was being handed over when the backup was made has no known outcome, and resend_once does not hold after a restore.
    const { length: unknown } = await house.client.history(house.liveKey, 'status=unconfirmed')
    expect(unknown).toBeLessThanOrEqual(Number(device.window))
    await expectSound(house)
  })

  test('cancel ends what a restore holds, and gives its SMS back', async () => {
    const done = await house.onesixty('restore', 'cancel')
    expect(done).toEqual({ action: 'cancel', messages: waited.length, is_more_held: false })
    expect(await statusesOf(waited)).toEqual(new Set(['canceled']))
    expect((await house.client.balance(house.liveKey)).reserved).toBe(0)
    expect(new Set(timesHandedOver(waited))).toEqual(new Set([1]))
    await expectSound(house)
  })

  test('settle calls what a restore holds unconfirmed, and gives its SMS back', async () => {
    await restore()
    const done = await house.onesixty('restore', 'settle')
    expect(done).toEqual({ action: 'settle', messages: waited.length, is_more_held: false })
    expect(await statusesOf(waited)).toEqual(new Set(['unconfirmed']))
    expect((await house.client.balance(house.liveKey)).reserved).toBe(0)
    expect(new Set(timesHandedOver(waited))).toEqual(new Set([1]))
    await expectSound(house)
  })

  test('release sends what a restore holds, knowing that it may go twice', async () => {
    await restore()
    const done = await house.onesixty('restore', 'release')
    expect(done).toEqual({ action: 'release', messages: waited.length })
    await house.drained()
    expect(await statusesOf(waited)).toEqual(new Set(['delivered']))
    expect(new Set(timesHandedOver(waited))).toEqual(new Set([2]))
    await expectSound(house)
  })
})
