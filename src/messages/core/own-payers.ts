import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { MessageState } from './message-store.ts'
import type { Trigger } from './state.ts'

interface Settled {
  message: MessageState
  trigger: Trigger
  deviceId?: string
}

/** Triggers that submitted nothing: if parts are charged anyway, an earlier attempt submitted them. */
const submitsNothing: ReadonlySet<Trigger> = new Set([
  'refused_for_good',
  'expired_at_device',
  'canceled_at_device',
  'validity_ended',
  'canceled',
  'given_up_after_restore',
])

/** The last attempt of the named device; without one, the last up to a number that may have submitted something. */
const carriedByOwn = {
  sql: `select :turn as turn from attempts a
        where a.account_id = :account and a.mode = :mode and a.message_id = :message and a.is_own = 1 and a.number = (
          select max(b.number) from attempts b where b.account_id = :account and b.mode = :mode and b.message_id = :message
            and b.number <= :last and (b.device_id = :device or (:device is null and b.state <> 'refused')))`,
  inputs: ['account', 'mode', 'message', 'device', 'last', 'turn'],
} as const

/**
 * Returns which of these advances are about a message that shared devices may carry as well, but an own device of
 * the account carried: it pays, and the hold of the balance is released whole. Reads only messages with a
 * fallback whose hold is open.
 */
export async function readOwnPayers<A extends Settled>(
  tx: Tx,
  advances: readonly A[],
): Promise<ReadonlySet<A>> {
  const asked = advances.filter(({ message }) => message.fallback !== null && message.cost_state === 'held')
  const rows = await selectEach<{ turn: number }>(
    tx,
    carriedByOwn,
    asked.map(({ message, trigger, deviceId }, turn) => {
      const isEarlier = submitsNothing.has(trigger)
      const last = isEarlier && message.status === 'sending' ? message.attempts - 1 : message.attempts
      const device = isEarlier ? null : (deviceId ?? message.device_id)
      return [message.account_id, message.mode, message.id, device, last, turn]
    }),
  )
  return new Set(rows.map(({ turn }) => asked[turn] as A))
}
