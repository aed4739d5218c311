import { Type } from 'typebox'
import { closed } from '../../../runtime/schemas.ts'
import { readConversation, readConversations } from '../../../messages/history/conversations.ts'
import { listOptOuts } from '../../../messages/opt-outs/manage-opt-outs.ts'
import type { MessageRow } from '../../../messages/core/message-store.ts'
import { everyForm } from '../../../numbers/number-hash.ts'
import { parsePhoneNumber } from '../../../numbers/phone-number.ts'
import { type AccountContext, defineCall } from '../core/call.ts'
import { type ListedMessage, listMessage } from './listed-message.ts'

export interface ConversationList {
  conversations: { number: string; last: ListedMessage }[]
  /** Cursor of the next page; null on the last one. */
  next: string | null
}

/** One message of a conversation, with its whole text. */
export interface SaidMessage {
  id: string
  direction: MessageRow['direction']
  status: MessageRow['status']
  /** Null once it was erased. */
  text: string | null
  errorCode: string | null
  /**
   * Time of acceptance. For a received message, the time when the network received it if known, otherwise
   * when it arrived here.
   */
  saidAtMs: number
}

export interface ConversationPage {
  number: string
  /** Newest first. */
  messages: SaidMessage[]
  next: string | null
  /** True when the number has opted out: nothing can be sent to it. */
  hasOptedOut: boolean
  /** False for names and short numbers, which cannot receive messages. */
  isWritable: boolean
}

const beforeId = Type.Optional(Type.String({ pattern: '^msg_[0-7][0-9a-hjkmnp-tv-z]{25}$' }))
const maxListed = 30
const maxSaid = 50

export const conversationCalls = {
  /** Returns numbers that sent a message, ordered by their last message, newest first. */
  'conversations/list': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({ beforeId }, closed),
    async handle(context, input): Promise<ConversationList> {
      const { conversations, nextBeforeId } = await readConversations(context.read, ownerOf(context), {
        beforeId: input.beforeId ?? null,
        limit: maxListed,
      })
      return {
        conversations: conversations.map(({ number, last }) => ({ number, last: listMessage(last) })),
        next: nextBeforeId,
      }
    },
  }),

  /** Returns the messages to and from one number. */
  'conversations/page': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({ number: Type.String({ minLength: 1, maxLength: 64 }), beforeId }, closed),
    async handle(context, { number, beforeId: before }): Promise<ConversationPage> {
      const { read, clock, ports } = context
      const [{ rows, nextBeforeId }, optOuts] = await Promise.all([
        readConversation(read, ownerOf(context), { number, beforeId: before ?? null, limit: maxSaid }),
        listOptOuts(read, {
          ...ownerOf(context),
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

const ownerOf = ({ account }: AccountContext) => ({ accountId: account.id, mode: account.mode })
