import { expect, test } from 'vitest'
import { longHandOver, turnUntil } from '../contracts/contract-subject.ts'
import { answerTo, openJudged } from './judged-link.ts'
import { openStubLink } from './stub-link.ts'

/** A long message of which a part was taken goes out whole, as long as that is possible: a half is charged and of no use. */

test.for([
  ['whose contract says so', '1', 1_000],
  ['whose contract says nothing', '', 1_000],
  ['of one in five seconds', '0.2', 5_000],
] as const)(
  'ten parts go whole to an SMSC that takes no more than it says: %s',
  async ([, max_per_second, everyMs]) => {
    let takenMs = Number.NEGATIVE_INFINITY
    const strict = (nowMs: number): number => {
      if (nowMs - takenMs < everyMs) return 0x58
      takenMs = nowMs
      return 0
    }
    const { link, world } = await openJudged(strict, { max_per_second })
    expect(await turnUntil(world, link.submit(longHandOver(10)), 200_000)).toMatchObject({ kind: 'accepted' })
  },
)

test.for([
  ['a queue that is full', 0x14],
  ['a fault of the SMSC', 0x08],
] as const)('the second part goes once %s for a minute has passed', async ([, status]) => {
  const { link, world, seen } = await openJudged((nowMs, count) =>
    count === 1 || nowMs > 60_000 ? 0 : status,
  )
  expect(await turnUntil(world, link.submit(longHandOver(2)), 100_000)).toMatchObject({ kind: 'accepted' })
  // Ever more rarely: 1.5 s apart at first, then 10 s.
  expect(seen.submits).toBeLessThan(20)
})

test('after five minutes without the second part it is told what was taken', async () => {
  const { link, world } = await openJudged((_, count) => (count === 1 ? 0 : 0x14))
  const submitted = link.submit(longHandOver(2))
  const progress = { isSettled: false }
  void submitted.then(() => (progress.isSettled = true))
  const turn = async (ms: number): Promise<void> => {
    for (let leftMs = ms; leftMs > 0 && !progress.isSettled; leftMs -= 1_000) {
      await world.clock.advance(1_000)
      await world.atRest()
    }
  }
  await turn(290_000)
  expect(progress.isSettled).toBe(false)
  await turn(60_000)
  expect(await submitted).toMatchObject({ kind: 'partial', partsTaken: 1, networkCode: 'ESME_RMSGQFUL' })
})

/** So many messages of two parts, of which the SMSC takes the first and never the second; gives what became of each. */
async function openHalves(count: number, window: string) {
  let first = 0
  const opened = await openJudged((_, submits) => (submits <= 2 * count && first++ % 2 === 0 ? 0 : 0x08), {
    window,
  })
  const ended: string[] = []
  for (let i = 0; i < count; i++)
    void opened.link.submit(longHandOver(2)).then(({ kind }) => ended.push(kind))
  const turn = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await opened.world.atRest()
      await opened.world.clock.advance(1_000)
    }
  }
  await turn(1)
  return { ...opened, ended, turn }
}

test('halves keep their places in the window, and for more than a minute no more than half of them', async () => {
  const { link, ended, turn } = await openHalves(10, '10')
  expect([ended, link.waiting, link.window]).toEqual([[], 10, 10])
  await turn(40)
  expect(ended).toEqual([])
  await turn(40)
  expect(ended).toEqual(Array.from({ length: 5 }, () => 'partial'))
  expect(link.window).toBe(10)
  await turn(160)
  expect(ended).toHaveLength(5)
  await turn(80)
  expect(ended).toEqual(Array.from({ length: 10 }, () => 'partial'))
})

test('a half keeps others from the only place of a window for no more than a minute', async () => {
  const { link, ended, turn } = await openHalves(1, '1')
  expect([ended, link.window]).toEqual([[], 1])
  await turn(80)
  expect([ended, link.window]).toEqual([['partial'], 1])
})

test('the rest of a long message follows when an SMSC that said goodbye in the middle of it is back', async () => {
  let isAway = false
  let submits = 0
  const { link, smsc, world } = await openStubLink({
    settings: { window: '1' },
    answering: (pdu, own) => {
      const { command, sequence } = pdu
      if (command === 'bind_transceiver' && isAway)
        return [{ command: 'bind_transceiver_resp', status: 0x0d, sequence, body: null }]
      if (command !== 'submit_sm') return null
      if (++submits > 1) return null
      isAway = true
      own.send({ command: 'unbind', status: 0, sequence: 900, body: null })
      return answerTo(sequence, 0)
    },
  })
  const submitted = link.submit(longHandOver(3))
  await smsc.seen('unbind_resp')
  for (let second = 0; second < 30; second++) {
    await world.clock.advance(1_000)
    await world.atRest()
  }
  expect(submits).toBe(1)
  isAway = false
  expect(await turnUntil(world, submitted, 250_000)).toMatchObject({ kind: 'accepted' })
  expect(submits).toBe(3)
})

test('the rest of a long message stays here once its recipient has opted out', async () => {
  const { link, world, seen } = await openJudged((_, count) => (count === 2 ? 0x14 : 0))
  const submitted = link.submit({ ...longHandOver(2), hasOptedOut: async () => true })
  expect(await turnUntil(world, submitted, 10_000)).toMatchObject({
    kind: 'partial',
    code: 'recipient_opted_out',
  })
  expect(seen.submits).toBe(2)
})

test('a half ends with its validity, whether its SMSC is away or nobody can say if its recipient has opted out', async () => {
  const away = await openStubLink({
    answering: ({ command, sequence }, own) => {
      if (command !== 'submit_sm') return null
      own.send({ command: 'unbind', status: 0, sequence: 900, body: null })
      return answerTo(sequence, 0)
    },
    settings: { window: '1', reconnect_first_ms: '60000' },
  })
  let asked = 0
  const hasOptedOut = async (): Promise<boolean> => {
    asked += 1
    return false
  }
  const brief = { ...longHandOver(2), validitySeconds: 4 }
  expect(await turnUntil(away.world, away.link.submit({ ...brief, hasOptedOut }), 8_000)).toMatchObject({
    kind: 'partial',
    partsTaken: 1,
    code: 'expired_in_queue',
  })
  expect(asked).toBeLessThan(6)

  const silent = await openJudged((_, count) => (count === 2 ? 0x14 : 0))
  const submitted = silent.link.submit({ ...brief, hasOptedOut: async () => null })
  expect(await turnUntil(silent.world, submitted, 8_000)).toMatchObject({
    kind: 'partial',
    partsTaken: 1,
    code: 'expired_in_queue',
  })
  expect(silent.seen.submits).toBe(2)
})

test('parts that wait for room stay here when their recipient has opted out before there is any', async () => {
  const { link, smsc } = await openStubLink({
    settings: { window: '1' },
    answering: ({ command }) => (command === 'submit_sm' ? [] : null),
  })
  let isKnownOptedOut = false
  const first = link.submit(longHandOver(1))
  const second = link.submit({ ...longHandOver(2), isKnownOptedOut: () => isKnownOptedOut })
  const { sequence } = await smsc.seen('submit_sm')
  isKnownOptedOut = true
  smsc.send(...answerTo(sequence, 0))
  expect([(await first).kind, (await second).kind]).toEqual(['accepted', 'unavailable'])
  expect(smsc.received.filter(({ command }) => command === 'submit_sm')).toHaveLength(1)
})

test('a link that stops gives the rest one more chance at once, and ends the wait', async () => {
  const { link, world, seen } = await openJudged((_, count) => (count === 2 ? 0x14 : 0))
  const submitted = link.submit(longHandOver(2))
  await world.atRest()
  expect(seen.submits).toBe(2)
  const stopped = link.stop()
  expect(await submitted).toMatchObject({ kind: 'accepted' })
  await turnUntil(world, stopped, 10_000)
})
