import { Type } from 'typebox'
import {
  addOptOuts,
  type ListedOptOut,
  listOptOuts,
  maxAddedAtOnce,
  removeOptOut,
} from '../../../messages/opt-outs/manage-opt-outs.ts'
import { type LineFault, readNumberList } from '../../../messages/opt-outs/number-list.ts'
import { everyForm } from '../../../numbers/number-hash.ts'
import { parsePhoneNumber } from '../../../numbers/phone-number.ts'
import { invalidInput } from '../../../runtime/invalid-input.ts'
import { type AccountContext, defineCall } from '../core/call.ts'

export interface OptOutPage {
  rows: ListedOptOut[]
  /** What to ask with for the page behind this one; null on the last. */
  next: string | null
}

export interface AddedOptOuts {
  added: number
  /** Those that had opted out before. */
  known: number
  /** Messages that waited, and are canceled. */
  canceled: number
  faults: LineFault[]
}

const closed = { additionalProperties: false }
const pageSize = 50
/** A page sends a long list in such pieces: as many lines as one transaction stores, none longer than a line of a table. */
const maxCharacters = 40_000

export const optOutCalls = {
  /** The newest first; with a number that one alone, also when it was erased. */
  'opt-outs/list': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object(
      {
        number: Type.Optional(Type.String({ maxLength: 40 })),
        beforeId: Type.Optional(Type.String({ pattern: '^\\d{1,15}/.{1,80}$' })),
      },
      closed,
    ),
    async handle({ read, clock, account, ports }, { number, beforeId }): Promise<OptOutPage> {
      const recipients = number === undefined ? null : spellingsOf(ports, readOne(number))
      const found = await listOptOuts(read, {
        accountId: account.id,
        mode: account.mode,
        nowMs: clock.now(),
        limit: pageSize + 1,
        after: beforeId === undefined ? null : readPlace(beforeId),
        recipients,
      })
      const rows = found.slice(0, pageSize)
      const last = rows.at(-1)
      const hasMore = found.length > pageSize && last !== undefined
      return { rows, next: hasMore ? `${last.sinceMs}/${last.recipient}` : null }
    },
  }),

  /** Stores numbers of a pasted list or a table. Lines without a number are named, and the others stored. */
  'opt-outs/add': defineCall({
    kind: 'change',
    access: 'member',
    input: Type.Object({ text: Type.String({ maxLength: maxCharacters }) }, closed),
    async handle(context, { text }): Promise<AddedOptOuts> {
      const { numbers, faults } = readNumberList(text)
      if (numbers.length > maxAddedAtOnce)
        throw invalidInput([
          {
            pointer: '/text',
            code: 'too_many_items',
            detail: `At most ${maxAddedAtOnce} numbers are taken at once.`,
          },
        ])
      const { writer, clock, account, ports, live } = context
      const { added, canceled } = await ports.history.holdHorizon(clock.now(), (timeIn) =>
        writer.write(async (tx) =>
          addOptOuts(tx, by(context, await timeIn(tx)), { ...whoseOf(context), numbers }),
        ),
      )
      const optedOut = added.map((recipient) => ({ ...whoseOf(context), recipient, confirmationId: null }))
      ports.history.noteOptOuts({ optedOut, optedIn: [] })
      for (const { deviceId } of canceled) if (deviceId !== null) ports.history.wakeDevice(deviceId)
      if (canceled.length > 0) live.changed(account.id)
      return {
        added: added.length,
        known: numbers.length - added.length,
        canceled: canceled.filter(({ result }) => result === 'canceled').length,
        faults,
      }
    },
  }),

  /** Takes one away, as it is listed: the number may be written to again. */
  'opt-outs/remove': defineCall({
    kind: 'change',
    access: 'member',
    input: Type.Object({ recipient: Type.String({ maxLength: 80 }) }, closed),
    async handle(context, { recipient }): Promise<{ removed: boolean }> {
      const { writer, clock, ports } = context
      const whose = whoseOf(context)
      const removed = await writer.write((tx) =>
        removeOptOut(tx, by(context, clock.now()), {
          ...whose,
          recipient,
          spellings: spellingsOf(ports, recipient),
        }),
      )
      if (removed) ports.history.noteOptOuts({ optedOut: [], optedIn: [{ ...whose, recipient }] })
      return { removed }
    },
  }),
}

const whoseOf = ({ account }: AccountContext) => ({ accountId: account.id, mode: account.mode })
const by = ({ ids, actor }: AccountContext, nowMs: number) =>
  ({ ids, nowMs, origin: 'console', actor }) as const

const spellingsOf = ({ history }: AccountContext['ports'], recipient: string): string[] =>
  recipient.startsWith('+') ? everyForm(history.numbers, recipient) : [recipient]

function readPlace(beforeId: string): { sinceMs: number; recipient: string } {
  const split = beforeId.indexOf('/')
  return { sinceMs: Number(beforeId.slice(0, split)), recipient: beforeId.slice(split + 1) }
}

/** What was typed to look for, as it stands in the list. */
function readOne(typed: string): string {
  const { numbers, faults } = readNumberList(typed)
  const [number] = numbers
  if (number !== undefined) return number
  const read = parsePhoneNumber(typed)
  const detail = faults[0]?.detail ?? ('detail' in read ? read.detail : 'There is no number in it.')
  throw invalidInput([{ pointer: '/number', code: 'invalid_number', detail }])
}
