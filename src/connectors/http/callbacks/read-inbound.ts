import { createHash } from 'node:crypto'
import type { Inbound } from '../../connector.ts'
import type { Declaration } from '../declaration/declaration.ts'
import { instantOf } from '../answers/instant-of.ts'
import { findAll, findText, type Place, textOf } from '../declaration/pointer.ts'

/** What a call says about received messages. */
export interface ReadInbound {
  messages: readonly Inbound[]
  /** How many have no sender, or neither a text nor media. */
  unreadable: number
}

/** Reads the messages of a call, all of them: a message that is dropped here would be acknowledged and lost. */
export function readInbound({ inbound }: Pick<Declaration, 'inbound'>, document: unknown): ReadInbound {
  if (inbound === undefined) return { messages: [], unreadable: 0 }
  const { list, only } = inbound
  const all =
    list === undefined
      ? [document]
      : findAll(document, list).flatMap((found) => (Array.isArray(found) ? (found as unknown[]) : [found]))
  const theirs = all.filter(
    (message) =>
      only === undefined || findAll(message, only.at).some((value) => only.is.includes(textOf(value) ?? '')),
  )
  const messages = theirs.flatMap((message) => readMessage(inbound, message) ?? [])
  return { messages, unreadable: theirs.length - messages.length }
}

function readMessage(inbound: NonNullable<Declaration['inbound']>, message: unknown): Inbound | null {
  const from = findText(message, inbound.from)
  const text = withMedia(
    findText(message, inbound.text),
    inbound.media === undefined ? [] : findAll(message, inbound.media),
  )
  if (from === null || text === null) return null
  const id = at(message, inbound.id)
  const to = at(message, inbound.to)
  const fragment = fragmentOf(inbound, message)
  return {
    ...senderOf(from),
    to,
    text,
    networkAt: instantOf(at(message, inbound.at)),
    inReplyTo: null,
    ...(id === null
      ? {
          fingerprint: `?${hash(JSON.stringify([from, to, text, fragment]))}`,
          fingerprintGuessed: true as const,
        }
      : { fingerprint: id }),
    ...(fragment !== null && { fragment }),
  }
}

const at = (message: unknown, place: Place | undefined): string | null =>
  place === undefined ? null : findText(message, place)

/** Providers write numbers with a plus sign, or as the digits of an international number; the rest are names and short codes. */
function senderOf(from: string): Pick<Inbound, 'from' | 'fromIs'> {
  if (/^\+?[1-9]\d{7,14}$/.test(from)) return { from: from.startsWith('+') ? from : `+${from}` }
  return {
    from,
    ...(/^0\d{5,}$/.test(from) ? { fromIs: 'national' as const } : { fromIs: 'other' as const }),
  }
}

/** Media are no SMS; that there were some is not dropped in silence. */
function withMedia(text: string | null, media: readonly unknown[]): string | null {
  const count = media.flatMap((each) => (Array.isArray(each) ? (each as unknown[]) : [each])).length
  if (count === 0) return text
  const note = `[${count === 1 ? 'A media file' : `${count} media files`} not received]`
  return text === null ? note : `${text}\n${note}`
}

/**
 * Returns the place of a part in its message. References of providers may be no numbers: then 16 bits of their hash stand for
 * them, next to the sender.
 */
function fragmentOf(
  { part }: NonNullable<Declaration['inbound']>,
  message: unknown,
): NonNullable<Inbound['fragment']> | null {
  if (part === undefined) return null
  const [reference, total, index] = [part.reference, part.total, part.index].map((place) =>
    findText(message, place),
  )
  const [of, nth] = [Number(total), Number(index)]
  const isPart = Number.isInteger(of) && of > 1 && of <= 255 && Number.isInteger(nth) && nth >= 1 && nth <= of
  if (!isPart || reference === null || reference === undefined) return null
  const isNumber = /^\d{1,5}$/.test(reference) && Number(reference) <= 0xffff
  return {
    reference: isNumber ? Number(reference) : Number.parseInt(hash(reference).slice(0, 4), 16),
    total: of,
    index: nth,
  }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)
