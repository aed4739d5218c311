import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Database } from '../../storage/tables/schema.ts'
import { updateRows } from '../../storage/seam/sets.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'

/**
 * The lease of a link device: at most one node has it, and runs the link only while it has it (P5). It stands in the device's own row; taking,
 * renewing and releasing leave `updated_at` and the version of the directory alone, because nobody has changed the device.
 */
export interface DeviceLease {
  deviceId: string
  /** Grows whenever the lease changes hands, and never shrinks: what bears an older token is of an owner before. */
  token: number
}

/** A lease of which its owner thinks that it has it. */
type Had = Pick<DeviceLease, 'deviceId' | 'token'>

/**
 * Takes the leases of devices for an owner; gives those that it has now, each under a new token: whoever had it before has it no more, were it an
 * earlier process of the same name. An owner takes its own at once; those of others only when they have run out, or when it is proven that
 * the owner is alone (`isAlone`): then nobody else lives.
 */
export function takeLeases(
  tx: Tx,
  asked: { owner: string; isAlone: boolean; deviceIds: readonly string[]; nowMs: number },
  { leaseMs }: Pick<Times, 'leaseMs'> = usualTimes,
): Promise<DeviceLease[]> {
  const { owner, isAlone, deviceIds, nowMs } = asked
  const taking = tx
    .updateTable('devices')
    .set((eb) => ({
      lease_owner: owner,
      // In an UPDATE every expression sees the row as it was.
      lease_token: eb('lease_token', '+', 1),
      lease_until: laterOf(eb, nowMs + leaseMs, eb('lease_owner', '=', owner)),
    }))
    .where('id', 'in', [...deviceIds])
  const free = taking.where((eb) =>
    eb.or([eb('lease_owner', 'is', null), eb('lease_owner', '=', owner), eb('lease_until', '<=', nowMs)]),
  )
  return (isAlone ? taking : free).returning(['id as deviceId', 'lease_token as token']).execute()
}

/**
 * Prolongs the leases that an owner has; gives those that it had still, under the same token. One that ran out while nobody took it goes on.
 * None ends sooner than it would have before, however the wall clock was set.
 */
export async function renewLeases(
  tx: Tx,
  asked: { owner: string; leases: readonly Had[]; nowMs: number },
  { leaseMs }: Pick<Times, 'leaseMs'> = usualTimes,
): Promise<DeviceLease[]> {
  const { owner, leases, nowMs } = asked
  const renewed = await tx
    .updateTable('devices')
    .set((eb) => ({ lease_until: laterOf(eb, nowMs + leaseMs, eb('lease_owner', '=', owner)) }))
    .where(
      'id',
      'in',
      leases.map(({ deviceId }) => deviceId),
    )
    .where('lease_owner', '=', owner)
    .returning(['id as deviceId', 'lease_token as token'])
    .execute()
  const tokens = new Map(leases.map(({ deviceId, token }) => [deviceId, token]))
  return renewed.filter(({ deviceId, token }) => tokens.get(deviceId) === token)
}

/** Lets leases go that an owner has, so that others may take them at once. Those that it has lost stay as they are. Gives how many it had still. */
export function releaseLeases(
  tx: Tx,
  { owner, leases }: { owner: string; leases: readonly Had[] },
): Promise<number> {
  return updateRows(
    tx,
    'devices',
    ['id', 'lease_token'],
    leases.map(({ deviceId, token }) => ({
      id: deviceId,
      lease_token: token,
      lease_owner: null,
      lease_until: null,
    })),
    { column: 'lease_owner', of: () => owner },
  )
}

type Devices = ExpressionBuilder<Database, 'devices'>

/** The end of a lease, which never moves back while it is the same owner's. */
const laterOf = (eb: Devices, untilMs: number, isSame: Expression<SqlBool>) =>
  eb
    .case()
    .when(eb.and([isSame, eb('lease_until', '>', untilMs)]))
    .then(eb.ref('lease_until'))
    .else(untilMs)
    .end()
