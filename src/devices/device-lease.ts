import type { Tx } from '../storage/dialect.ts'

/**
 * The lease of a link device: at most one node has it, and runs the link only while it has it (P5). It stands in the device's own row; taking,
 * renewing and releasing leave `updated_at` and the version of the directory alone, because nobody has changed the device.
 */
export interface DeviceLease {
  deviceId: string
  /** Grows whenever the lease changes hands, and never shrinks: what bears an older token is of an owner before. */
  token: number
}

/** With a look for free leases each few seconds, the links of a node that died run elsewhere within 60 s (P13). */
export const leaseLengthMs = 45_000

/**
 * Takes the leases of devices for an owner; gives those that it has now. Its own are given again, with the token that they had. Those of
 * others are taken only when they have run out, or when it is proven that the owner is alone (`isAlone`): then nobody else lives.
 */
export function takeLeases(
  tx: Tx,
  asked: { owner: string; isAlone: boolean; deviceIds: readonly string[]; nowMs: number },
): Promise<DeviceLease[]> {
  const { owner, isAlone, deviceIds, nowMs } = asked
  const untilMs = nowMs + leaseLengthMs
  const taking = tx
    .updateTable('devices')
    .set(({ eb, ref }) => ({
      lease_owner: owner,
      // In an UPDATE every expression sees the row as it was. A lease of nobody is not the owner's: null equals nothing.
      lease_token: eb
        .case()
        .when('lease_owner', '=', owner)
        .then(ref('lease_token'))
        .else(eb('lease_token', '+', 1))
        .end(),
      lease_until: eb
        .case()
        .when(eb.and([eb('lease_owner', '=', owner), eb('lease_until', '>', untilMs)]))
        .then(ref('lease_until'))
        .else(untilMs)
        .end(),
    }))
    .where('id', 'in', [...deviceIds])
  const free = taking.where((eb) =>
    eb.or([eb('lease_owner', 'is', null), eb('lease_owner', '=', owner), eb('lease_until', '<=', nowMs)]),
  )
  return (isAlone ? taking : free).returning(['id as deviceId', 'lease_token as token']).execute()
}

/**
 * Prolongs the leases that an owner has; gives those that it had still. One that ran out while nobody took it goes on. None ends sooner than
 * it would have before, however the wall clock was set.
 */
export function renewLeases(
  tx: Tx,
  asked: { owner: string; deviceIds: readonly string[]; nowMs: number },
): Promise<DeviceLease[]> {
  const untilMs = asked.nowMs + leaseLengthMs
  return tx
    .updateTable('devices')
    .set(({ eb, ref }) => ({
      lease_until: eb.case().when('lease_until', '>', untilMs).then(ref('lease_until')).else(untilMs).end(),
    }))
    .where('id', 'in', [...asked.deviceIds])
    .where('lease_owner', '=', asked.owner)
    .returning(['id as deviceId', 'lease_token as token'])
    .execute()
}

/** Lets leases go that an owner has, so that others may take them at once. Those that it has lost stay as they are. */
export async function releaseLeases(
  tx: Tx,
  asked: { owner: string; deviceIds: readonly string[] },
): Promise<void> {
  await tx
    .updateTable('devices')
    .set({ lease_owner: null, lease_until: null })
    .where('id', 'in', [...asked.deviceIds])
    .where('lease_owner', '=', asked.owner)
    .execute()
}
