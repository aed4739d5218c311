import type { Category, Mode, Payer } from '../../storage/tables/schema.ts'

/**
 * Follows the mode in the key of a route with forced encoding. Only devices whose encoding can be set carry
 * it.
 */
const forcedEncodingMark = '+ucs2'

/** Follows, where only own devices of the account carry it, because they cost nothing (decision 51). */
const ownDevicesMark = '+own'

/** Precedes the ID of the device that last refused a message: another device must submit it (decision 44). */
const avoidedDeviceMark = '!'

/**
 * Builds the key of a route: one account's messages of one mode that the same devices can carry. The marks
 * follow the mode, in this order; the sender follows the first colon.
 */
export const routeKeyOf = (
  mode: Mode,
  sender: string | null,
  encodingForced = false,
  paidBy: Payer = 'balance',
  avoids: string | null = null,
): string =>
  `${mode}${encodingForced ? forcedEncodingMark : ''}${paidBy === 'own_device' ? ownDevicesMark : ''}${avoids === null ? '' : `${avoidedDeviceMark}${avoids}`}:${sender ?? ''}`

/** Returns what `routeKeyOf` built a key from, except for the mode. */
export function parseRouteKey(routeKey: string): {
  sender: string | null
  encodingForced: boolean
  isOwnOnly?: true
  avoids: string | null
} {
  const end = routeKey.indexOf(':')
  const sender = routeKey.slice(end + 1)
  const [marks = '', avoids = null] = routeKey.slice(0, end).split(avoidedDeviceMark)
  return {
    sender: sender === '' ? null : sender,
    encodingForced: marks.includes(forcedEncodingMark),
    ...(marks.includes(ownDevicesMark) && { isOwnOnly: true as const }),
    avoids,
  }
}

const priorities: Record<Category, number> = { authentication: 0, transactional: 1, marketing: 2 }

/** Returns the place of a category within its route: lower numbers are sent first. */
export const priorityOf = (category: Category): number => priorities[category]
