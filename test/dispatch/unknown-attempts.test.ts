import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome, Submission } from '../../src/connectors/connector.ts'
import type { PastSubmission } from '../../src/connectors/past-submission.ts'
import { Dispatcher } from '../../src/dispatch/submissions/dispatcher.ts'
import { units } from '../../src/messages/units.ts'
import { createLog } from '../../src/process/log.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { accepted, unknown } from '../messages/outcomes.ts'
import { readShown } from '../messages/shown-messages.ts'
import { openMessagesFixture, type MessagesFixture } from '../messages-fixture.ts'
import { scriptedKind } from './scripted-kind.ts'

const submitted: Submission[] = []
let answer: () => Outcome
let resumed: PastSubmission[][]
const kind = scriptedKind({
  submit: async (submission) => {
    submitted.push(submission)
    return answer()
  },
  resumeUnknown: (past) => void resumed.push([...past]),
})

let house: MessagesFixture
beforeEach(async () => {
  submitted.length = 0
  resumed = []
  answer = () => unknown()
  house = await openMessagesFixture(kind, { pollIntervalMs: 3_600_000 })
  await house.addAccount('acc_a', 20)
  await house.addDevice('dev_s')
})
afterEach(() => house.close())

const lastId = (): string => submitted.at(-1)?.attemptId ?? ''
const submit = async (row: Parameters<MessagesFixture['send']>[0] = {}): Promise<void> => {
  await house.send(row)
  await house.dispatcher.drain()
}
const statuses = async () => (await readShown(house.storage.read)).map(({ status }) => status)

/** The dispatcher of another process on the same database: it knows nothing of what the first one submitted. */
function successor(): Dispatcher {
  const never = () => Promise.reject(new Error('is not started'))
  return new Dispatcher({
    ...house,
    read: house.storage.read,
    units: {
      claim: never,
      settleReceipts: never,
      readOpen: never,
      settleOutcomes: (told) => house.storage.writer.write((tx) => units.settleOutcomes(tx, told)),
    },
    log: createLog('silent', { write: () => undefined }),
    fence: 2,
    pollIntervalMs: 500,
  })
}

test('a late ack of what an earlier process submitted is stored, and twice is once', async () => {
  await submit({ parts: 2 })
  const other = successor()
  for (let i = 0; i < 2; i += 1) await other.lateOutcome('dev_s', lastId(), accepted('n1', 'n2'))
  const [message] = await readShown(house.storage.read)
  expect(message).toMatchObject({ status: 'sent', corrected: 1, charged: 0, cost_state: 'released' })
  const attempt = await house.storage.read.selectFrom('attempts').selectAll().executeTakeFirstOrThrow()
  expect(attempt).toMatchObject({ state: 'accepted', network_ids: '["n1","n2"]' })
})

test('a late ack over another device, or of an attempt whose outcome is known, changes nothing', async () => {
  await submit()
  await successor().lateOutcome('dev_t', lastId(), accepted('n1'))
  expect(await statuses()).toEqual(['unconfirmed'])
  answer = () => ({ kind: 'refused', lasts: 'good', code: 'number_invalid', networkCode: '11' })
  await submit()
  await successor().lateOutcome('dev_s', lastId(), accepted('n2'))
  expect(await statuses()).toEqual(['unconfirmed', 'failed'])
})

test('an ID that another message to the number has is no evidence of this one', async () => {
  answer = () => accepted('n1')
  await submit()
  answer = () => unknown()
  await submit()
  await successor().lateOutcome('dev_s', lastId(), accepted('n1'))
  expect(await statuses()).toEqual(['sent', 'unconfirmed'])
  await successor().lateOutcome('dev_s', lastId(), accepted('n2'))
  expect(await statuses()).toEqual(['sent', 'sent'])
})

test('a link that starts gets what was submitted with unknown outcome within a day, the newest first and each once', async () => {
  const restart = async (): Promise<void> => {
    await house.storage.writer.write(async (tx) => {
      await tx.updateTable('devices').set({ updated_at: house.clock.now() }).execute()
      await touchDirectory(tx)
    })
    await house.pool.reloadIfChanged()
    await expect.poll(() => house.pool.get('dev_s')).not.toBeNull()
  }
  await submit({ text: 'a day ago', to: ['+4915112345001'] })
  await house.clock.advance(24 * 3_600_000)
  await submit({ text: 'first', parts: 2, to: ['+4915112345002'] })
  const first = lastId()
  await house.clock.advance(1_000)
  await submit({ text: 'a code', category: 'authentication', to: ['+4915112345003'] })
  const second = lastId()
  await house.clock.advance(1_000)
  await submit({ text: 'known', to: ['+4915112345004'] })
  await house.dispatcher.lateOutcome('dev_s', lastId(), accepted('n1'))
  expect(resumed).toEqual([])
  await restart()
  expect(resumed).toMatchObject([
    [
      // The text of a code is erased with its final status.
      { attemptId: second, to: '+4915112345003', text: null, category: 'authentication' },
      { attemptId: first, to: '+4915112345002', text: 'first', parts: 2, startedAt: expect.any(Number) },
    ],
  ])
})
