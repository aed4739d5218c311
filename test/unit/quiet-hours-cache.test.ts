import { expect, test } from 'vitest'
import { QuietHoursCache } from '../../src/dispatch/submissions/quiet-hours-cache.ts'
import type { ClaimRequest } from '../../src/messages/queue/claim-messages.ts'
import type { Db } from '../../src/storage/seam/dialect.ts'

/** A database whose one account has these hours, or none. */
function stubDatabase() {
  const stored = { from: null as number | null, reads: 0 }
  const rows = async () => {
    stored.reads += 1
    const { from } = stored
    await Promise.resolve()
    return from === null ? [] : [{ id: 'acc_a', quiet_from: from, quiet_until: from + 60 }]
  }
  const query = { select: () => query, where: () => query, execute: rows }
  return { stored, read: { selectFrom: () => query } as unknown as Db }
}

const request: ClaimRequest = { accountId: 'acc_a', mode: 'live', routeKey: 'live:', deviceId: 'dev_a', quota: 1, partsOver: 0, partsUpTo: 10 } // prettier-ignore
const fromOf = (quiet: QuietHoursCache): number | undefined => quiet.withHours([request])?.[0]?.quiet?.from

test('hours that are heard of while others are being read are read, too, however late in that reading it is', async () => {
  for (let turns = 0; turns < 12; turns++) {
    const { stored, read } = stubDatabase()
    const quiet = new QuietHoursCache(read)
    const earlier = quiet.refresh()
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    stored.from = 600
    await quiet.refresh()
    await earlier
    expect(fromOf(quiet), `after ${turns} turns`).toBe(600)
  }
})

test('many that come while hours are being read share the next reading', async () => {
  const { stored, read } = stubDatabase()
  const quiet = new QuietHoursCache(read)
  await Promise.all(Array.from({ length: 10 }, () => quiet.refresh()))
  expect(stored.reads).toBe(2)
})
