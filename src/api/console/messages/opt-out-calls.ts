import { takeChange } from '../../../messages/core/change-number.ts'
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
import { closed } from '../../../runtime/schemas.ts'
import { type AccountContext, defineCall } from '../core/call.ts'

export interface OptOutPage {
  rows: ListedOptOut[]
  /** Cursor of the next page; null on the last one. */
  next: string | null
}

export interface AddedOptOuts {
  added: number
  /** Numbers already on the list. */
  known: number
  /** Queued messages that were canceled. */
  canceled: number
  faults: LineFault[]
}

const pageSize = 50
/**
 * A page sends a long list in chunks of this size: as many lines as one transaction stores, none longer than
 * a line of a table.
 */
const maxCharacters = 40_000

export const optOutCalls = {
  /** Lists opt-outs, newest first; with a number only that one, also when it was erased. */
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
      const recipients = number === undefined ? null : formsOf(ports, readSearch(number))
      const found = await listOptOuts(read, {
        accountId: account.id,
        mode: account.mode,
        nowMs: clock.now(),
        limit: pageSize + 1,
        after: beforeId === undefined ? null : readCursor(beforeId),
        recipients,
      })
      const rows = found.slice(0, pageSize)
      const last = rows.at(-1)
      const hasMore = found.length > pageSize && last !== undefined
      return { rows, next: hasMore ? `${last.sinceMs}/${last.recipient}` : null }
    },
  }),

  /**
   * Adds the numbers of a pasted list or table. Lines without a number are reported; the others are added.
   */
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
            detail: `Must have at most ${maxAddedAtOnce} numbers.`,
          },
        ])
      const { writer, clock, account, ports, live } = context
      const { added, canceled } = await writer.write(async (tx) => {
        const unit = await takeChange(tx, clock.now())
        return addOptOuts(tx, { ...by(context, unit.nowMs), unit }, { ...ownerOf(context), numbers })
      })
      const optedOut = added.map((recipient) => ({ ...ownerOf(context), recipient, confirmationId: null }))
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

  /** Removes one opt-out, as it is listed: messages can be sent to the number again. */
  'opt-outs/remove': defineCall({
    kind: 'change',
    access: 'member',
    input: Type.Object({ recipient: Type.String({ maxLength: 80 }) }, closed),
    async handle(context, { recipient }): Promise<{ removed: boolean }> {
      const { writer, clock, ports } = context
      const owner = ownerOf(context)
      const removed = await writer.write((tx) =>
        removeOptOut(tx, by(context, clock.now()), {
          ...owner,
          recipient,
          spellings: formsOf(ports, recipient),
        }),
      )
      if (removed) ports.history.noteOptOuts({ optedOut: [], optedIn: [{ ...owner, recipient }] })
      return { removed }
    },
  }),
}

const ownerOf = ({ account }: AccountContext) => ({ accountId: account.id, mode: account.mode })
const by = ({ ids, actor }: AccountContext, nowMs: number) =>
  ({ ids, nowMs, origin: 'console', actor }) as const

const formsOf = ({ history }: AccountContext['ports'], recipient: string): string[] =>
  recipient.startsWith('+') ? everyForm(history.numbers, recipient) : [recipient]

function readCursor(beforeId: string): { sinceMs: number; recipient: string } {
  const split = beforeId.indexOf('/')
  return { sinceMs: Number(beforeId.slice(0, split)), recipient: beforeId.slice(split + 1) }
}

/** Reads a search input as the list stores it. */
function readSearch(typed: string): string {
  const { numbers, faults } = readNumberList(typed)
  const [number] = numbers
  if (number !== undefined) return number
  const read = parsePhoneNumber(typed)
  const detail = faults[0]?.detail ?? ('detail' in read ? read.detail : 'Must contain a number.')
  throw invalidInput([{ pointer: '/number', code: 'invalid_number', detail }])
}
