import type { InputOf } from '../../../src/api/console/calls.ts'
import { messageStates, type MessageStatus } from '../ui/message-states.ts'

/** The filter of the server's call. */
export type HistoryFilter = InputOf<'history/page'>['filter']

/** The filter of History in the URL, so that a view can be shared and bookmarked. */
export interface HistorySearch {
  /** Statuses, separated by commas. */
  state?: string
  direction?: 'outbound' | 'inbound'
  device?: string
  /** The API key or user that sent the message. */
  by?: string
  number?: string
  text?: string
  reference?: string
  error?: string
  send?: string
  /** RFC 3339; inclusive. */
  from?: string
  /** RFC 3339; exclusive. */
  to?: string
}

const id = (prefix: string) => new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`)

/** Validates each value; invalid ones in the URL are ignored. */
const valid: Record<keyof HistorySearch, (text: string) => boolean> = {
  state: (text) => text.split(',').every((state) => Object.hasOwn(messageStates, state)),
  direction: (text) => text === 'outbound' || text === 'inbound',
  device: (text) => id('dev').test(text),
  by: (text) => id('(key|usr)').test(text),
  number: (text) => /^.{1,20}$/s.test(text),
  text: (text) => /^.{1,200}$/s.test(text),
  reference: (text) => /^.{1,100}$/s.test(text),
  error: (text) => /^[a-z_]{1,40}$/.test(text),
  send: (text) => id('snd').test(text),
  from: (text) => !Number.isNaN(Date.parse(text)),
  to: (text) => !Number.isNaN(Date.parse(text)),
}

/** Reads the filter of a URL. The router parses numeric values as numbers; they become strings again. */
export function readSearch(given: Record<string, unknown>): HistorySearch {
  const names = Object.keys(valid) as (keyof HistorySearch)[]
  const kept = names.flatMap((name) => {
    const value = given[name]
    const text = typeof value === 'number' ? String(value) : value
    return typeof text === 'string' && valid[name](text) ? [[name, text] as const] : []
  })
  return Object.fromEntries(kept)
}

/** Returns the filter of the server's call. */
export function filterOf(search: HistorySearch): HistoryFilter {
  const { state, direction, device, by, number, text, reference, error, send, from, to } = search
  return {
    ...(state === undefined ? {} : { status: state.split(',') as MessageStatus[] }),
    ...(direction === undefined ? {} : { direction }),
    ...(device === undefined ? {} : { deviceId: device }),
    ...(by === undefined ? {} : { sentBy: by }),
    ...(number === undefined ? {} : { number }),
    ...(text === undefined ? {} : { text }),
    ...(reference === undefined ? {} : { reference }),
    ...(error === undefined ? {} : { errorCode: error }),
    ...(send === undefined ? {} : { sendId: send }),
    ...(from === undefined ? {} : { fromMs: Date.parse(from) }),
    ...(to === undefined ? {} : { toMs: Date.parse(to) }),
  }
}

/** Interprets the text of the search field: an ID, a number, or part of a text. */
export function searchFor(typed: string): HistorySearch | { messageId: string } {
  const text = typed.trim()
  if (text === '') return {}
  if (id('msg').test(text)) return { messageId: text }
  if (id('snd').test(text)) return { send: text }
  const digits = text.replaceAll(/[\s()./-]/g, '')
  if (/^(\+|00)[1-9]\d{6,14}$/.test(digits)) return { number: digits.replace(/^00/, '+') }
  return { text }
}

/** The most frequent filters. */
export const quickFilters: readonly { label: string; search: Pick<HistorySearch, 'state' | 'direction'> }[] =
  [
    { label: 'All', search: {} },
    { label: 'In progress', search: { state: 'scheduled,queued,sending,sent', direction: 'outbound' } },
    { label: 'Scheduled', search: { state: 'scheduled' } },
    { label: 'Delivered', search: { state: 'delivered' } },
    { label: 'Not delivered', search: { state: 'undelivered,failed,expired' } },
    { label: 'Unconfirmed', search: { state: 'unconfirmed' } },
    { label: 'Canceled', search: { state: 'canceled' } },
    { label: 'Received', search: { direction: 'inbound' } },
  ]
