import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Database } from '../../storage/tables/schema.ts'
import { updateRows } from '../../storage/seam/sets.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'

/**
 * The lease of a link device: at most one node has it, and runs the link only while it has it (P5). It is
 * stored in the device's row. Taking, renewing and releasing do not change `updated_at` or the version of the
 * directory, because the device did not change.
 */
export interface DeviceLease {
  deviceId: string
  /** Grows whenever the lease changes hands, and never shrinks: an older token belongs to a former owner. */
  token: number
}

/** A lease that its owner believes to have. */
type BelievedLease = Pick<DeviceLease, 'deviceId' | 'token'>

/**
 * Takes the leases of devices for an owner; returns those that it has now, each with a new token. A former
 * owner loses it, even an earlier process with the same name. An owner takes its own leases immediately, and
 * those of others only when they have expired, or when it is proven that no other process is alive
 * (`isAlone`).
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
      // In an UPDATE every expression sees the row before the change.
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
 * Extends the leases of an owner; returns those that it still had, with the same token. An expired lease that
 * no other owner took continues. None ends earlier than before, regardless of the wall clock.
 */
export async function renewLeases(
  tx: Tx,
  asked: { owner: string; leases: readonly BelievedLease[]; nowMs: number },
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

/**
 * Releases leases of an owner, so that others can take them immediately. Those that it has lost stay as they
 * are. Returns how many it still had.
 */
export function releaseLeases(
  tx: Tx,
  { owner, leases }: { owner: string; leases: readonly BelievedLease[] },
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
    { expected: { column: 'lease_owner', of: () => owner } },
  )
}

type Devices = ExpressionBuilder<Database, 'devices'>

/** Returns the end of a lease, which never moves back while the owner stays the same. */
const laterOf = (eb: Devices, untilMs: number, isSame: Expression<SqlBool>) =>
  eb
    .case()
    .when(eb.and([isSame, eb('lease_until', '>', untilMs)]))
    .then(eb.ref('lease_until'))
    .else(eb.val(untilMs))
    .end()
