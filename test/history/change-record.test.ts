import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Change, takeChange } from '../../src/messages/core/change-number.ts'
import { recordChanges } from '../../src/messages/core/message-changes.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import {
  everyMessage,
  type HistoryOwner,
  type HistoryPosition,
} from '../../src/messages/history/history-query.ts'
import { readHistory } from '../../src/messages/history/history.ts'
import { insertRows, updateRows } from '../../src/storage/seam/sets.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { storedMessage } from './stored-messages.ts'

/** What a unit does, call by call: new messages, and older ones that change once more. Calls of one unit follow one another. */
interface Call {
  created: { owner: number; count: number }[]
  changed: number[]
}
type Step =
  | { kind: 'unit'; calls: Call[] }
  | { kind: 'undone'; calls: Call[] }
  | { kind: 'clock'; ms: number }
  | { kind: 'page'; owner: number; limit: number }

const owner = fc.nat(2)
/** Now and then more than a row of the record holds. */
const newMessages = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 4 }) },
  { weight: 1, arbitrary: fc.constant(103) },
)
const call: fc.Arbitrary<Call> = fc.record({
  created: fc.array(fc.record({ owner, count: newMessages }), {
    maxLength: 3,
  }),
  changed: fc.array(fc.nat(200), { maxLength: 6 }),
})
const calls = fc.array(call, { minLength: 1, maxLength: 3 })
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: calls.map((made): Step => ({ kind: 'unit', calls: made })) },
    { weight: 1, arbitrary: calls.map((made): Step => ({ kind: 'undone', calls: made })) },
    { weight: 2, arbitrary: fc.integer({ min: -5, max: 5 }).map((ms): Step => ({ kind: 'clock', ms })) },
    {
      weight: 5,
      arbitrary: fc
        .record({ owner, limit: fc.integer({ min: 1, max: 9 }) })
        .map((page): Step => ({ kind: 'page', ...page })),
    },
  ),
  { maxLength: 20, size: 'max' },
)

/** The record as it should read: of each owner all changes, in the order in which they were committed, and where its reader is. */
class KnownChanges {
  readonly owners: HistoryOwner[]
  readonly messages = new Map<string, MessageRow>()
  readonly #changes = new Map<HistoryOwner, { id: string; sequence: number }[]>()
  readonly #readTo = new Map<HistoryOwner, { place: number; position: HistoryPosition | null }>()

  constructor(accounts: readonly string[]) {
    const [one, other] = accounts as [string, string]
    this.owners = [
      { accountId: one, mode: 'live' },
      { accountId: one, mode: 'test' },
      { accountId: other, mode: 'live' },
    ]
    for (const each of this.owners) {
      this.#changes.set(each, [])
      this.#readTo.set(each, { place: 0, position: null })
    }
  }

  /** Notes what one call of a unit recorded, once the unit is committed. */
  note(rows: readonly MessageRow[]): void {
    const inOrder = rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    for (const row of inOrder) {
      this.messages.set(row.id, row)
      const of = this.owners.find((each) => each.accountId === row.account_id && each.mode === row.mode)!
      this.#changes.get(of)!.push({ id: row.id, sequence: row.sequence })
    }
  }

  /** The next page of an owner: what has not changed since, and moves its reader behind it. */
  next(of: HistoryOwner, limit: number): string[] {
    const changes = this.#changes.get(of)!
    const reader = this.#readTo.get(of)!
    const page: string[] = []
    for (; reader.place < changes.length; reader.place++) {
      const { id, sequence } = changes[reader.place]!
      const isLast = this.messages.get(id)!.sequence === sequence
      if (isLast && page.length === limit) break
      if (isLast) page.push(`${id} ${sequence}`)
    }
    return page
  }

  positionOf = (of: HistoryOwner): HistoryPosition | null => this.#readTo.get(of)!.position
  moveTo(of: HistoryOwner, position: HistoryPosition): void {
    this.#readTo.get(of)!.position = position
  }
}

/** Makes one call of a unit; gives its rows as they are then. `known` are the messages as the unit has left them so far. */
async function make(
  base: TestStorage,
  record: KnownChanges,
  { tx, unit, known }: { tx: Tx; unit: Change; known: Map<string, MessageRow> },
  { created, changed }: Call,
): Promise<MessageRow[]> {
  const old = [...known.values()]
  const again = [...new Set(changed.map((which) => old[which % Math.max(1, old.length)]))]
    .filter((row) => row !== undefined)
    .map((row) => ({ ...row, sequence: row.sequence + 1, updated_at: unit.atMs }))
  const fresh = created.flatMap(({ owner: of, count }) =>
    Array.from({ length: count }, () => {
      const { accountId: account_id, mode } = record.owners[of]!
      return storedMessage({ id: base.ids('msg'), created_at: unit.atMs, account_id, mode })
    }),
  )
  await insertRows(tx, 'messages', fresh)
  await updateRows(tx, 'messages', ['account_id', 'mode', 'id'], again)
  const rows = [...fresh, ...again]
  await recordChanges(tx, unit, rows)
  for (const row of rows) known.set(row.id, row)
  return rows
}

class Undone extends Error {}

async function runUnit(
  base: TestStorage,
  record: KnownChanges,
  { kind, calls: asked }: Extract<Step, { calls: Call[] }>,
) {
  const made: MessageRow[][] = []
  const unit = base.storage.writer.write(async (tx) => {
    const taken = await takeChange(tx, base.clock.now())
    const known = new Map(record.messages)
    for (const each of asked) made.push(await make(base, record, { tx, unit: taken, known }, each))
    if (kind === 'undone') throw new Undone()
  })
  if (kind === 'undone') return expect(unit).rejects.toThrow(Undone)
  await unit
  for (const rows of made) record.note(rows)
}

async function expectPage(
  base: TestStorage,
  record: KnownChanges,
  of: HistoryOwner,
  limit: number,
): Promise<number> {
  const query = { ...everyMessage, updatedAfterMs: 0 }
  const position = record.positionOf(of)
  const page = await readHistory(base.storage.read, { owner: of, query, position, limit })
  const shown = page.rows.map(({ id, sequence }) => `${id} ${sequence}`)
  expect(shown).toEqual(record.next(of, limit))
  if (page.readTo !== undefined) record.moveTo(of, page.readTo)
  return shown.length
}

test(
  'whoever reads the changes of an account, while units commit and change them again, sees the last change of each message once, in the order of commits',
  { timeout: 60_000 },
  async () => {
    const base = await openTestStorage()
    let accounts = 0
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const record = new KnownChanges([`acc_${accounts++}`, `acc_${accounts++}`])
        for (const step of script) {
          if (step.kind === 'clock') base.clock.jumpWallClock(step.ms)
          else if (step.kind === 'page')
            await expectPage(base, record, record.owners[step.owner]!, step.limit)
          else await runUnit(base, record, step)
        }
        for (const of of record.owners) while ((await expectPage(base, record, of, 100)) > 0);
      }),
      { numRuns: 30 },
    )
    await base.close()
  },
)
