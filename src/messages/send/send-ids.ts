import { stampIds, type StampPlace, timeOfNumber } from '../core/change-number.ts'
import { loneSendId } from '../core/lone-sends.ts'
import type { SendRequest } from './send-request.ts'

/** What a send gets from the unit that stores it. */
export interface AcceptedAs {
  sendId: string
  messageIds: readonly string[]
  acceptedAt: number
  /** From when it may be claimed: `acceptedAt` may be ahead of the clock of this node. */
  dueAt: number
  /** The time of its change, which is later after the clock was set back. */
  updatedAt: number
}

/** Returns whether a send is stored as its message alone (lone-sends.ts). */
export const isLone = ({ recipients, sendAt, smartEncodingApplied }: SendRequest): boolean =>
  recipients.length === 1 && sendAt === undefined && !smartEncodingApplied

/** Returns the IDs and the time of a send at its place: the same in the unit and for the response. */
export function acceptedAs(request: SendRequest, place: StampPlace): AcceptedAs {
  const messageIds = stampIds(request.messageIds, place)
  const sendId = isLone(request) ? loneSendId(messageIds[0] as string) : request.sendId
  return {
    sendId,
    messageIds,
    acceptedAt: place.createdMs,
    dueAt: place.nowMs,
    updatedAt: timeOfNumber(place.number),
  }
}
