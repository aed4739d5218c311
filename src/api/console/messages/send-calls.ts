import { Type } from 'typebox'
import { type Fault, problems, Refusal } from '../../../runtime/errors.ts'
import { closed } from '../../../runtime/schemas.ts'
import type { Caller } from '../../../accounts/keys/authenticator.ts'
import { canFallBack } from '../../../devices/core/own-carriers.ts'
import { realKinds } from '../../../connectors/registry.ts'
import { readRecipients } from '../../../sending/send-recipients.ts'
import { type AccountContext, defineCall } from '../core/call.ts'
import { consoleCaller } from '../core/console-caller.ts'
import { countSend, type SendAnswer, sendFromConsole } from './send-from-console.ts'

/** Result of one row of a table of numbers and texts. */
export interface SentRow {
  /** Row number of the page. */
  row: number
  messageId: string | null
  parts: number
  /** Reason for a rejected row. */
  refused: { code: string; detail: string } | null
}

/** The response that a send would get. A refusal is not an error of this call: the user is still typing. */
export interface PriceAnswer {
  answer: SendAnswer | null
  refused: { title: string; detail: string; errors: readonly Fault[] } | null
}

export interface CheckedNumber {
  number: string
  country: string | null
  fault: string | null
  suggestion: string | null
}

/**
 * As much as one send can have. A table is sent in chunks of this size, so that there is progress to show.
 */
const maxRows = 100
const maxNumbers = 1000

/** A body of `POST /api/v1/send`; the operation itself reports its faults. */
const body = Type.Record(Type.String(), Type.Unknown(), { maxProperties: 20 })
/** Created by the page once per send, so that a second click sends nothing. */
const key = Type.String({ pattern: '^[A-Za-z0-9-]{8,64}$' })

export const sendCalls = {
  /** Returns which options mean something for the account now. */
  'send/choices': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, closed),
    handle: async ({ read, account }): Promise<{ canFallBack: boolean }> => ({
      canFallBack: account.mode === 'live' && (await canFallBack(read, account.id, realKinds)),
    }),
  }),
  /**
   * Returns the cost and the faults of a send. Nothing is stored. It is a change only because a text is too
   * long for a URL.
   */
  'send/price': defineCall({
    kind: 'change',
    access: 'member',
    judgesNul: true,
    input: Type.Object({ body }, closed),
    async handle(context, input): Promise<PriceAnswer> {
      try {
        return {
          answer: await sendFromConsole(context, await consoleCaller(context), input.body, null),
          refused: null,
        }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const { code, extra, message } = error
        return {
          answer: null,
          refused: { title: problems[code].summary, detail: message, errors: extra.errors ?? [] },
        }
      }
    },
  }),
  'send/one': defineCall({
    kind: 'change',
    access: 'member',
    judgesNul: true,
    input: Type.Object({ body, key }, closed),
    async handle(context, input): Promise<SendAnswer> {
      const caller = await consoleCaller(context)
      countSend(context, caller)
      return sendFromConsole(context, caller, input.body, input.key)
    },
  }),
  /**
   * Sends rows of a table, each with its own text. A refused row stops no other; rows that were sent before
   * are not sent again.
   */
  'send/rows': defineCall({
    kind: 'change',
    access: 'member',
    judgesNul: true,
    input: Type.Object(
      {
        key,
        rows: Type.Array(
          Type.Object({ row: Type.Integer({ minimum: 0 }), to: Type.String(), text: Type.String() }, closed),
          { minItems: 1, maxItems: maxRows },
        ),
        options: body,
      },
      closed,
    ),
    async handle(context, input): Promise<{ rows: SentRow[]; available: number | null }> {
      const caller = await consoleCaller(context)
      countSend(context, caller)
      const sent = await Promise.all(
        input.rows.map(({ row, to, text }) =>
          sendRow(context, caller, { row, key: `${input.key}-${row}`, body: { ...input.options, to, text } }),
        ),
      )
      const balances = sent.flatMap(({ available }) => available ?? [])
      return { rows: sent.map(({ sentRow }) => sentRow), available: balances.at(-1) ?? null }
    },
  }),
  /** Checks numbers as a send would. */
  'send/check-numbers': defineCall({
    kind: 'change',
    access: 'member',
    judgesNul: true,
    input: Type.Object({ numbers: Type.Array(Type.String(), { maxItems: maxNumbers }) }, closed),
    handle: async ({ account }, { numbers }): Promise<{ numbers: CheckedNumber[] }> => ({
      numbers: numbers.map((number) => {
        const faults: Fault[] = []
        const [recipient] = readRecipients(number, account.mode, faults)
        return {
          number,
          country: recipient?.country ?? null,
          fault: faults[0]?.detail ?? null,
          suggestion: faults[0]?.suggestion ?? null,
        }
      }),
    }),
  }),
}

async function sendRow(
  context: AccountContext,
  caller: Caller,
  { row, key: rowKey, body: rowBody }: { row: number; key: string; body: object },
): Promise<{ sentRow: SentRow; available: number | null }> {
  try {
    const { messages, totals } = await sendFromConsole(context, caller, rowBody, rowKey)
    const sentRow = { row, messageId: messages[0]?.id ?? null, parts: totals.parts, refused: null }
    return { sentRow, available: totals.balance_available }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const detail = error.extra.errors?.map((fault) => fault.detail).join(' ') ?? error.message
    return {
      sentRow: { row, messageId: null, parts: 0, refused: { code: error.code, detail } },
      available: null,
    }
  }
}
