import { afterEach, expect, test } from 'vitest'
import type { ConnectorKind, Submission, Link, Outcome } from '../../src/connectors/connector.ts'
import { simulatorKind } from '../../src/connectors/simulator/simulator.ts'
import type { SubmissionDeps } from '../../src/dispatch/submissions/submission.ts'
import { eventually } from '../eventually.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'

/** A link with a window of 2 and one ahead of it that answers when the test says so. */
function manualKind() {
  const open: { submission: Submission; answer: (outcome: Outcome) => void }[] = []
  const state = { isUp: true, window: 2, healthChanged: () => undefined as void }
  const kind: ConnectorKind = {
    ...simulatorKind,
    createLink(setup, tools, events) {
      const link = simulatorKind.createLink(setup, tools, events)
      state.healthChanged = () => events.healthChanged()
      return {
        get window() {
          return state.isUp ? state.window : open.length
        },
        get ahead() {
          return state.isUp ? 1 : 0
        },
        capabilities: link.capabilities,
        health: () => ({ ...link.health(), status: state.isUp ? 'online' : 'offline' }),
        start: () => link.start(),
        stop: () => link.stop(),
        submit: (submission) =>
          new Promise((resolve) => {
            const entry = {
              submission,
              answer: (outcome: Outcome) => {
                open.splice(open.indexOf(entry), 1)
                resolve(outcome)
              },
            }
            open.push(entry)
          }),
      } satisfies Link
    },
  }
  return { kind, open, state }
}

const yes = (id: string): Outcome => ({ kind: 'accepted', networkIds: [id], receiptExpected: false })

let house: MessagesFixture
afterEach(() => house.close())

async function openHouse(
  isLogged = true,
  hasOptedOut: SubmissionDeps['hasOptedOut'] = () => false,
  claimTakesMs = 0,
) {
  const written: string[] = []
  const { kind, open, state } = manualKind()
  house = await openMessagesFixture(kind, {
    isLogged: () => isLogged,
    submissionLog: {
      logSubmissions: (ids) => void written.push(...ids.map((id) => `left ${id}`)),
      logOutcome: (id, { kind: what }) => void written.push(`${what} ${id}`),
      forget: (id) => void written.push(`stored ${id}`),
    },
    hasOptedOut,
    around: (units) => ({
      ...units,
      async claim(input) {
        const made = await units.claim(input)
        if (claimTakesMs > 0) await house.clock.advance(claimTakesMs)
        return made
      },
    }),
  })
  await house.addAccount('acc_a', 100)
  await house.addDevice('dev_s')
  for (let i = 0; i < 5; i++) await house.send()
  const attempts = () =>
    house.storage.read
      .selectFrom('attempts')
      .select(['id', 'state', 'outcome', 'is_logged'])
      .orderBy('id')
      .execute()
  /** Everything that waits for nothing but the database has had it. */
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 8; i++) {
      await house.storage.writer.drain()
      await house.clock.advance(0)
    }
  }
  await settle()
  return { written, open, state, attempts, settle }
}

const idsOf = (open: readonly { submission: Submission }[]): string[] =>
  open.map(({ submission }) => submission.attemptId)

test('one more than the window is claimed and flushed, no more than the window is handed over, and each is written down first', async () => {
  const { open, attempts, written } = await openHouse()
  expect(await attempts()).toMatchObject([1, 2, 3].map(() => ({ state: 'handing_over', is_logged: 1 })))
  expect(open).toHaveLength(2)
  expect(written).toEqual(idsOf(open).map((id) => `left ${id}`))
  while (open.length > 0) open[0]?.answer(yes(String(open.length)))
  await house.dispatcher.stop()
})

test('the next is handed over in the turn of the answer, with no flush in between, behind a line that tells the answer', async () => {
  const { open, attempts, written } = await openHouse()
  const claimed = (await attempts()).map(({ id }) => id)
  const [first = '', second = ''] = idsOf(open)
  const third = claimed.find((id) => id !== first && id !== second) as string
  const commits = house.storage.writer.commits
  open[0]?.answer(yes('a'))
  await Promise.resolve()
  await new Promise<void>((resolve) => process.nextTick(resolve))
  expect(idsOf(open)).toEqual([second, third])
  expect(house.storage.writer.commits).toBe(commits)
  expect(written.slice(2)).toEqual([`accepted ${first}`, `left ${third}`])
  open[0]?.answer(yes('b'))
  open[0]?.answer(yes('c'))
  await house.dispatcher.stop()
})

test('a link that drops gives back at once what was not handed over: known not sent, and not counted against it', async () => {
  const { open, attempts, state, settle, written } = await openHouse()
  const before = await attempts()
  state.isUp = false
  state.healthChanged()
  await settle()
  const after = await attempts()
  expect(after.filter(({ outcome }) => outcome === 'unavailable')).toHaveLength(1)
  expect(after.filter((row) => row.state === 'handing_over')).toHaveLength(2)
  const given = after.find(({ outcome }) => outcome === 'unavailable')?.id
  expect(written.some((line) => line.endsWith(given as string) && line.startsWith('left'))).toBe(false)
  expect(before.map(({ id }) => id)).toContain(given)
  expect((await house.statuses()).toSorted()).toEqual(['queued', 'queued', 'queued', 'sending', 'sending'])
  const { refusals } = await house.storage.read
    .selectFrom('queue')
    .select(({ fn }) => fn.sum<number>('refusals').as('refusals'))
    .executeTakeFirstOrThrow()
  expect(refusals).toBe(0)
  while (open.length > 0) open[0]?.answer(yes(String(open.length)))
  await house.dispatcher.stop()
})

test('a stop gives back at once what was not handed over, and waits for the answers of the rest', async () => {
  const { open, settle } = await openHouse()
  const stopping = house.dispatcher.stop()
  await settle()
  expect((await house.statuses()).toSorted()).toEqual(['queued', 'queued', 'queued', 'sending', 'sending'])
  open[0]?.answer(yes('a'))
  open[0]?.answer(yes('b'))
  await stopping
  expect(open).toEqual([])
  expect((await house.statuses()).toSorted()).toEqual(['queued', 'queued', 'queued', 'sent', 'sent'])
})

test('without a log nothing is claimed ahead', async () => {
  const { open, attempts, written } = await openHouse(false)
  expect(await attempts()).toMatchObject([1, 2].map(() => ({ state: 'handing_over', is_logged: 0 })))
  expect(open).toHaveLength(2)
  expect(written).toEqual([])
  while (open.length > 0) open[0]?.answer(yes(String(open.length)))
  await house.dispatcher.stop()
})

test.for([
  [900, 0],
  [1_100, 1_100],
] as const)(
  'of a claim whose answer took %i ms its messages have waited %i ms',
  async ([claimTakesMs, waitedMs]) => {
    const waits: number[] = []
    const hasOptedOut = (_: unknown, waited: number) => {
      waits.push(waited)
      return false
    }
    const { open } = await openHouse(true, hasOptedOut, claimTakesMs)
    await eventually(
      () => Promise.resolve(waits),
      (seen) => expect(seen).toEqual([waitedMs, waitedMs]),
    )
    while (open.length > 0) open[0]?.answer(yes(String(open.length)))
    await house.dispatcher.stop()
  },
)

test('what has waited for its link is looked up before it leaves, and goes back when its number has opted out', async () => {
  const waits: number[] = []
  const { open, attempts, settle } = await openHouse(true, (_, waitedMs) => {
    waits.push(waitedMs)
    return waitedMs > 100 ? Promise.resolve(true) : false
  })
  expect([open.length, waits]).toEqual([2, [0, 0]])
  const third = (await attempts()).find(({ id }) => !idsOf(open).includes(id))
  await house.clock.advance(250)
  open[0]?.answer(yes('a'))
  await settle()
  expect(waits[2]).toBe(250)
  expect((await attempts()).find(({ id }) => id === third?.id)).toMatchObject({ outcome: 'unavailable' })
  expect(idsOf(open)).not.toContain(third?.id)
  // That was no word of the device: the others go on at once.
  expect(open).toHaveLength(2)
  expect(house.pool.get('dev_s')?.lastError).toBeNull()
  while (open.length > 0) open[0]?.answer(yes(String(open.length)))
  await house.dispatcher.stop()
})
