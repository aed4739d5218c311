import type { MessageState } from './message-store.ts'
import type { Category, Mode, Payer } from '../../storage/tables/schema.ts'
import { forcedEncodingMark, ownDevicesMark } from '../../storage/tables/own-devices.ts'

/** Precedes the ID of the device that last refused a message: another device must submit it (decision 44). */
const avoidedDeviceMark = '!'
/** Precedes the IDs of devices that must never submit a message: one that it follows was not delivered over them. */
const excludedDevicesMark = '!!'
/** Precedes the way of the messages. */
const wayMark = '~'

/** What the devices must be able to, that carry the messages of a route. */
export interface RouteParts {
  mode: Mode
  sender: string | null
  encodingForced?: boolean | undefined
  /** Default: the balance. */
  paidBy?: Payer | undefined
  /** Null: the usual way. */
  way?: string | null | undefined
  avoids?: string | null | undefined
  excludes?: readonly string[] | undefined
}

/**
 * Builds the key of a route: one account's messages of one mode that the same devices can carry. The marks
 * follow the mode, in this order; the sender follows the first colon.
 */
export const routeKeyOf = ({
  mode,
  sender,
  encodingForced,
  paidBy,
  way,
  avoids,
  excludes = [],
}: RouteParts): string =>
  [
    mode,
    encodingForced === true ? forcedEncodingMark : '',
    paidBy === 'own_device' ? ownDevicesMark : '',
    marked(wayMark, way),
    marked(excludedDevicesMark, excludes.length === 0 ? null : excludes.join(',')),
    marked(avoidedDeviceMark, avoids),
    `:${sender ?? ''}`,
  ].join('')

const marked = (mark: string, text: string | null = null): string => (text === null ? '' : mark + text)

/**
 * Returns the purse that the route of a message shows. One that shared devices may carry as well waits on the
 * usual route, even after an own device has paid for it.
 */
export const routePayerOf = ({ paid_by, fallback }: Pick<MessageState, 'paid_by' | 'fallback'>): Payer =>
  fallback === null ? paid_by : 'balance'

/** Returns what `routeKeyOf` built a key from, except for the mode. `excludes` is omitted where it is empty. */
export function parseRouteKey(routeKey: string): {
  sender: string | null
  encodingForced: boolean
  isOwnOnly?: true
  way?: string
  avoids: string | null
  excludes?: readonly string[]
} {
  const end = routeKey.indexOf(':')
  const sender = routeKey.slice(end + 1)
  const [, before = '', excluded, avoids = null] = headForm.exec(routeKey.slice(0, end)) ?? []
  const [marks = '', way] = before.split(wayMark)
  return {
    sender: sender === '' ? null : sender,
    encodingForced: marks.includes(forcedEncodingMark),
    ...(marks.includes(ownDevicesMark) && { isOwnOnly: true as const }),
    ...(way !== undefined && { way }),
    avoids,
    ...(excluded !== undefined && { excludes: excluded.split(',') }),
  }
}

const headForm = /^([^!]*)(?:!!([^!]*))?(?:!([^!]*))?$/

const priorities: Record<Category, number> = { authentication: 0, transactional: 1, marketing: 2 }

/** Returns the place of a category within its route: lower numbers are sent first. */
export const priorityOf = (category: Category): number => priorities[category]
