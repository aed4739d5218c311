import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchRun } from './bench-run.ts'
import { type Figure, perSecondOf } from './figure.ts'
import { hundred } from './load-job.ts'
import { type BenchFolder, databaseOf, withServer } from './server-process.ts'
import { withBenchSmsc } from './smpp-link.ts'

/** One session with a window of 10 to an SMSC that answers after 20 ms can carry 500 a second at best. */
const narrowLink = { sessions: 1, window: 10, answerAfterMs: 20 } as const
const idealPerSecond = (narrowLink.window * 1_000) / narrowLink.answerAfterMs
const minPerSecond = 450
const longestMs = 120_000

/** Row 10: how much of its window a link uses, with more waiting than goes. */
export const measureSmppWindow = (run: BenchRun): Promise<Figure[]> =>
  withBenchSmsc(narrowLink, (addLink) =>
    withServer({ settings: ['offline=true'] }, async (served) => {
      await addLink(served)
      const { server, account, folder } = served
      const requests = Math.ceil(run.lengths.lives.one / 1_000 + 10)
      await run.load('filling the queue of a narrow link', {
        server, token: account.liveKey, shape: hundred, connections: 1, warmUpMs: 0, measureMs: longestMs, maxRequests: requests,
      }) // prettier-ignore
      const perSecond = await rateOfSending(folder)
      run.say(`one session, window 10, answers after 20 ms: ${perSecondOf(perSecond)}`)
      return [
        {
          row: 10,
          name: `SMPP submits with their money, one session, window ${narrowLink.window}, answers after ${narrowLink.answerAfterMs} ms`,
          value: `${perSecondOf(perSecond)} of ${idealPerSecond}/s`,
          bar: { kind: 'holds', holds: perSecond >= minPerSecond, summary: `≥ ${minPerSecond}/s` },
        },
      ]
    }),
  )

/** Once nothing waits any more: messages that were sent, by the time from the first to the last. */
async function rateOfSending(folder: BenchFolder): Promise<number> {
  const database = new DatabaseSync(databaseOf(folder), { readOnly: true, timeout: 5_000 })
  const waiting = database.prepare(
    'select exists (select 1 from queue) or exists (select 1 from attempts where ended_at is null) as is_waiting',
  )
  const sent = database.prepare(
    'select count(*) as sent, min(sent_at) as first, max(sent_at) as last from messages where sent_at is not null',
  )
  try {
    for (const deadline = performance.now() + longestMs; performance.now() < deadline; await sleep(50)) {
      if (waiting.get()?.['is_waiting'] !== 0) continue
      const row = sent.get()
      return ((Number(row?.['sent']) - 1) * 1_000) / (Number(row?.['last']) - Number(row?.['first']))
    }
    throw new Error('The narrow link did not work off its queue in time.')
  } finally {
    database.close()
  }
}
