import type { Caller } from '../accounts/keys/authenticator.ts'
import type { Routing } from '../dispatch/devices/routing.ts'
import type { Warning } from '../messages/send/send-request.ts'
import type { Fallback, Payer } from '../storage/tables/schema.ts'
import type { SendPorts } from './send-ports.ts'

/** What decides which devices can carry a text. */
interface Carried {
  sender: string | null
  encodingForced: boolean
  /** 0: the text is not valid. */
  parts: number
  fallback: Fallback | null
}

/** What pays for a send, and the devices that may carry it. */
export interface ChosenPurse {
  paidBy: Payer
  routing: Routing
  /** Set where own devices are free and shared devices may carry the send as well. */
  fallback?: Fallback
  /** Set where own devices are free, but none can carry the send: the balance pays. */
  paidWarning?: Warning
}

/**
 * Chooses what pays for a send (decision 51). In an account whose own devices are free it is sent by them for
 * nothing if one of them can carry it, and with a fallback by shared devices, too, on a hold of the balance.
 * What own devices cannot carry is sent and paid as without them, with a warning.
 */
export function choosePurse(
  { forAccount }: SendPorts['routing'],
  { accountId, mode, ownDevices }: Pick<Caller, 'accountId' | 'mode' | 'ownDevices'>,
  { sender, encodingForced, parts, fallback }: Carried,
): ChosenPurse {
  const usual = (): Routing => forAccount(accountId, mode, sender, encodingForced)
  if (ownDevices !== 'free' || mode !== 'live') return { paidBy: 'balance', routing: usual() }
  const own = forAccount(accountId, mode, sender, encodingForced, 'own')
  const canCarry = own.enabled && parts <= own.maxParts
  if (canCarry && fallback === null) return { paidBy: 'own_device', routing: own }
  const paid = { paidBy: 'balance' as const, routing: usual(), ...(fallback !== null && { fallback }) }
  if (canCarry) return paid
  const ofOwn = (from: string | null): Routing => forAccount(accountId, mode, from, false, 'own')
  const cause = own.enabled
    ? tooLong(parts, own.maxParts)
    : sender !== null && ofOwn(null).enabled && !ofOwn(sender).enabled
      ? causes.sender
      : encodingForced && ofOwn(sender).enabled
        ? causes.encoding
        : causes.no_own_device
  return { ...paid, paidWarning: warningOf(cause) }
}

interface Cause {
  reason: string
  because: string
}

const causes = {
  no_own_device: { reason: 'no_own_device', because: 'the account has none that is enabled and can send' },
  sender: { reason: 'sender', because: 'none of them can send from this name or number' },
  encoding: { reason: 'encoding', because: 'none of them can be forced to send this text as UCS-2' },
} satisfies Record<string, Cause>

const tooLong = (parts: number, most: number): Cause => ({
  reason: 'too_long',
  because: `none of them can send more than ${most} ${most === 1 ? 'part' : 'parts'}, and the text has ${parts}`,
})

const warningOf = ({ reason, because }: Cause): Warning => ({
  code: 'paid_by_balance',
  message: `Own devices of this account cost nothing, but ${because}: the balance pays for this send.`,
  reason,
})
