import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lowestIdAt } from '../../src/runtime/ids.ts'
import { readOldMessages, removeMessages } from '../../src/privacy/remove-old-messages.ts'
import type { Mode } from '../../src/storage/tables/schema.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'

let base: TestStorage
beforeAll(async () => {
  base = await openTestStorage()
})
afterAll(() => base.close())

const pageSize = 4
const beforeMs = 1_000_000
const old = { acceptedBeforeMs: beforeMs, settledBeforeMs: 5 }
/** When messages became final, by what it means for `old`. */
const finalAt = { 'long ago': 1, 'just now': 5, never: null } as const
type End = keyof typeof finalAt
const modes: readonly Mode[] = ['live', 'test']

/** A send of one wallet, with the ends of its messages. */
interface Sent {
  mode: Mode
  ends: readonly End[]
}
/** A message as the test knows it: with its place in time, which others' messages lie between. */
interface Made {
  mode: Mode
  id: string
  sendId: string | null
  end: End
  isOld: boolean
}

const sentOf: fc.Arbitrary<Sent> = fc.record({
  mode: fc.constantFrom<Mode>('live', 'test'),
  ends: fc.array(fc.constantFrom<End>('long ago', 'just now', 'never'), { minLength: 1, maxLength: 5 }),
})
/** Order in time, whatever the order of the sends' own ids, as where several nodes accept at once; a few were received and belong to no send. */
const history = fc.record({
  sends: fc.array(sentOf, { minLength: 1, maxLength: 8 }),
  received: fc.nat(3),
  order: fc.infiniteStream(fc.nat(1_000)),
  young: fc.nat(4),
})

test('what is old and was final long ago goes with its attempts and empty sends, and nothing else, however sends lie in one another', async () => {
  let runs = 0
  await fc.assert(
    fc.asyncProperty(history, async (drawn) => {
      const accountId = `acc_${++runs}`
      const made = messagesOf(drawn)
      await store(accountId, made)
      await sweep(accountId)
      expect(await stored(accountId)).toEqual(expected(made, ({ isOld, end }) => isOld && end === 'long ago'))
      const { writer } = base.storage
      await writer.write((tx) =>
        tx.updateTable('messages').set(final).where('account_id', '=', accountId).execute(),
      )
      await sweep(accountId)
      expect(await stored(accountId)).toEqual(expected(made, ({ isOld }) => isOld))
    }),
    { numRuns: 40 },
  )
})

function messagesOf({ sends, received, order, young }: { sends: readonly Sent[]; received: number; order: Iterable<number>; young: number }): Made[] {
  const draw = order[Symbol.iterator]()
  const all = [
    ...sends.flatMap(({ mode, ends }, i) => ends.map((end) => ({ mode, sendId: `snd_${String(i).padStart(3, '0')}`, end }))),
    ...Array.from({ length: received }, () => ({ mode: 'live' as const, sendId: null, end: 'long ago' as const })),
  ]
  const inTime = all.map((message) => ({ message, at: draw.next().value as number })).toSorted((a, b) => a.at - b.at)
  return inTime.map(({ message }, k) => ({
    ...message,
    id: lowestIdAt('msg', beforeMs - (inTime.length - young) + k),
    isOld: k < inTime.length - young,
  }))
} // prettier-ignore

const final = {
  status: 'delivered',
  finalized_at: 1,
  settled_at: 1,
  cost_state: 'charged',
  charged: 1,
} as const

async function store(
  accountId: string,
  made: readonly Made[],
  { storage }: Pick<TestStorage, 'storage'> = base,
): Promise<void> {
  const common = { account_id: accountId }
  const times = { created_at: 1, updated_at: 1 }
  await storage.writer.write(async (tx) => {
    await insertRows(tx, 'accounts', [{ id: accountId, name: 'a', state: 'active', ...times }])
    await insertRows(
      tx,
      'wallets',
      modes.map((mode) => ({ ...common, mode, granted: 1_000, reserved: 0, used: 1_000, low_threshold: 0 })),
    )
    await insertRows(tx, 'messages', made.map(({ mode, id, sendId, end }) => ({
      ...common, mode, id, send_id: sendId, direction: 'outbound', recipient: '+4915112345678', category: 'transactional', text: 'x', text_redacted: 0,
      encoding: 'gsm7', units: 1, parts: 1, parts_sent: 0, held: 1, on_unknown: 'stop', attempts: 1, possible_duplicate: 0, metadata: '{}', ...times,
      ...(end !== 'never' ? { ...final, finalized_at: finalAt[end], settled_at: finalAt[end] } : { status: 'queued', finalized_at: null, settled_at: null, cost_state: 'held', charged: 0 }),
    }))) // prettier-ignore
    await insertRows(tx, 'attempts', made.map(({ mode, id }) => ({
      ...common, mode, message_id: id, number: 1, id: `att_${accountId}_${id}`, device_id: 'dev_a', fence: 1, state: 'accepted', started_at: 1, ended_at: 1,
    }))) // prettier-ignore
    const bySend = Map.groupBy(
      made.filter(({ sendId }) => sendId !== null),
      ({ sendId }) => sendId as string,
    )
    await insertRows(
      tx,
      'sends',
      [...bySend].map(([id, messages]) => ({
        ...common,
        id,
        mode: messages[0]!.mode,
        key_id: 'key_a',
        first_message_id: messages[0]!.id,
        last_message_id: messages.at(-1)!.id,
        smart_encoding_applied: 0,
        created_at: 1,
      })),
    )
  })
}

/** As retention does: page by page behind a mark, from the begin again the next time. */
async function sweep(accountId: string): Promise<void> {
  for (const mode of modes)
    for (let afterId = '', more = true; more;) {
      const page = await base.storage.writer.write(async (tx) => {
        const found = await readOldMessages(tx, { accountId, mode, afterId }, old, pageSize)
        await removeMessages(tx, found, old)
        return found
      })
      more = page.length === pageSize
      afterId = page.at(-1)?.id ?? ''
    }
}

interface Standing {
  messages: string[]
  attempts: string[]
  sends: string[]
  archived: number[]
}

async function stored(accountId: string): Promise<Standing> {
  const { read } = base.storage
  const messages = await read
    .selectFrom('messages')
    .select('id')
    .where('account_id', '=', accountId)
    .execute()
  const attempts = await read
    .selectFrom('attempts')
    .select('message_id as id')
    .where('account_id', '=', accountId)
    .execute()
  const sends = await read.selectFrom('sends').select('id').where('account_id', '=', accountId).execute()
  const wallets = await read
    .selectFrom('wallets')
    .select(['mode', 'used_archived'])
    .where('account_id', '=', accountId)
    .orderBy('mode')
    .execute()
  const sorted = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id).toSorted()
  return {
    messages: sorted(messages),
    attempts: sorted(attempts),
    sends: sorted(sends),
    archived: wallets.map(({ used_archived }) => used_archived),
  }
}

function expected(made: readonly Made[], isGone: (message: Made) => boolean): Standing {
  const left = made.filter((message) => !isGone(message))
  const ids = left.map(({ id }) => id).toSorted()
  const sends = [...new Set(left.flatMap(({ sendId }) => sendId ?? []))].toSorted()
  const archived = modes.map(
    (mode) => made.filter((message) => message.mode === mode && isGone(message)).length,
  )
  return { messages: ids, attempts: ids, sends, archived }
}

test.for(['fresh', 'analysed'])('a page is removed by keys alone, on %s tables', async (state) => {
  const house = await openTestStorage()
  const accountId = 'acc_a'
  const made = Array.from({ length: 600 }, (_, i): Made => ({
    mode: 'live',
    id: lowestIdAt('msg', i + 1),
    sendId: `snd_${String(i >> 1).padStart(4, '0')}`,
    end: 'long ago',
    isOld: true,
  }))
  await store(accountId, made, house)
  const { writer } = house.storage
  if (state === 'analysed') await writer.write(analyse)
  const sent = await writer.write(async (tx) => {
    const page = await readOldMessages(tx, { accountId, mode: 'live', afterId: '' }, old, 11)
    return statementsOf(tx, () => removeMessages(tx, page, old))
  })
  const about = sent.filter(({ sql }) => /\b(messages|attempts|sends)\b/.test(sql))
  expect(about.length).toBeGreaterThanOrEqual(5)
  const steps = await stepsOf(house.dataFolder, ...about)
  expect(steps.filter((step) => /^SCAN|B-TREE/.test(step))).toEqual([])
  await house.close()
})
