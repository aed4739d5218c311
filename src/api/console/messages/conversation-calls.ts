import { Type } from 'typebox'
import { readConversation, readConversations } from '../../../messages/history/conversations.ts'
import { listOptOuts } from '../../../messages/opt-outs/manage-opt-outs.ts'
import type { MessageRow } from '../../../messages/core/message-store.ts'
import { everyForm } from '../../../numbers/number-hash.ts'
import { parsePhoneNumber } from '../../../numbers/phone-number.ts'
import { type AccountContext, defineCall } from '../core/call.ts'
import { type ListedMessage, listMessage } from './listed-message.ts'

export interface ConversationList {
  conversations: { number: string; last: ListedMessage }[]
  /** What to ask with for the page behind this one; null on the last. */
  next: string | null
}

/** One message of a conversation, with all of its text. */
export interface SaidMessage {
  id: string
  direction: MessageRow['direction']
  status: MessageRow['status']
  /** Null once it was erased. */
  text: string | null
  errorCode: string | null
  /** When it was accepted; of one that came in when the network had it, where that is known, else when it came here. */
  saidAtMs: number
}

export interface ConversationPage {
  number: string
  /** The newest first. */
  messages: SaidMessage[]
  next: string | null
  /** Whether the number has opted out: nothing can be sent to it. */
  hasOptedOut: boolean
  /** Whether it can be written to at all: names and short numbers cannot. */
  isWritable: boolean
}

const closed = { additionalProperties: false }
const beforeId = Type.Optional(Type.String({ pattern: '^msg_[0-7][0-9a-hjkmnp-tv-z]{25}$' }))
const maxListed = 30
const maxSaid = 50

export const conversationCalls = {
  /** Numbers that have written, by their last word, the newest first. */
  'conversations/list': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({ beforeId }, closed),
    async handle(context, input): Promise<ConversationList> {
      const { conversations, nextBeforeId } = await readConversations(context.read, whoseOf(context), {
        beforeId: input.beforeId ?? null,
        limit: maxListed,
      })
      return {
        conversations: conversations.map(({ number, last }) => ({ number, last: listMessage(last) })),
        next: nextBeforeId,
      }
    },
  }),

  /** What was said to and by one number. */
  'conversations/page': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({ number: Type.String({ minLength: 1, maxLength: 64 }), beforeId }, closed),
    async handle(context, { number, beforeId: before }): Promise<ConversationPage> {
      const { read, clock, ports } = context
      const [{ rows, nextBeforeId }, optOuts] = await Promise.all([
        readConversation(read, whoseOf(context), { number, beforeId: before ?? null, limit: maxSaid }),
        listOptOuts(read, {
          ...whoseOf(context),
          nowMs: clock.now(),
          limit: 1,
          recipients: everyForm(ports.history.numbers, number),
        }),
      ])
      return {
        number,
        messages: rows.map((row) => ({
          id: row.id,
          direction: row.direction,
          status: row.status,
          text: row.text,
          errorCode: row.error_code,
          saidAtMs: row.received_at ?? row.created_at,
        })),
        next: nextBeforeId,
        hasOptedOut: optOuts.length > 0,
        isWritable: 'e164' in parsePhoneNumber(number),
      }
    },
  }),
}

const whoseOf = ({ account }: AccountContext) => ({ accountId: account.id, mode: account.mode })
