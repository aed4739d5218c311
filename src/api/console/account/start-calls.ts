import { Type } from 'typebox'
import { reportLifetimeMs } from '../../../devices/status/device-report.ts'
import type { MessageStatus } from '../../../storage/tables/schema.ts'
import { simulatedKinds } from '../../../connectors/registry.ts'
import { ownCommandOverNetwork } from '../../../process/own-command.ts'
import { type AccountContext, defineCall } from '../core/call.ts'

/** Progress of a new account. Each step is read from stored data: no step is completed by a click. */
export interface StartAnswer {
  /** First message in test mode, with its status. */
  test: { id: string; status: MessageStatus } | null
  testDelivered: boolean
  /** A reachable device that sends real SMS. The name of a shared device is visible only to the operator. */
  device: { name: string; isShared: false } | { name: null; isShared: true } | null
  /** SMS charged to live keys so far. */
  liveSms: number
  /**
   * Kinds of devices that sent them; null while there are none. An operator can attach a simulator to live
   * keys; it sends nothing.
   */
  takenBy: 'devices' | 'simulators' | 'both' | null
  /** What commands of this installation begin with. */
  command: string
}

export const startCalls = {
  'start/read': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, { additionalProperties: false }),
    async handle(context): Promise<StartAnswer> {
      const [tests, device, live] = await Promise.all([
        newestTests(context),
        sendingDevice(context),
        liveUse(context),
      ])
      const delivered = tests.find(({ status }) => status === 'delivered')
      const test = delivered ?? tests[0] ?? null
      return {
        test,
        testDelivered: delivered !== undefined,
        device,
        ...live,
        command: ownCommandOverNetwork(),
      }
    },
  }),
}

/** Enough to find a delivered message among first attempts, few enough to be read each time. */
const maxRead = 50

/** Returns the newest messages in test mode, newest first; one that is in flight is `queued`. */
const newestTests = ({ read, account }: AccountContext): Promise<{ id: string; status: MessageStatus }[]> =>
  read
    .selectFrom('messages')
    .select(['id', 'status'])
    .where('account_id', '=', account.id)
    .where('mode', '=', 'test')
    .where('direction', '=', 'outbound')
    .orderBy('id', 'desc')
    .limit(maxRead)
    .execute()

async function sendingDevice({ read, account, clock }: AccountContext): Promise<StartAnswer['device']> {
  const found = await read
    .selectFrom('devices')
    .innerJoin('device_reports', 'device_reports.device_id', 'devices.id')
    .select(['devices.name', 'devices.account_id'])
    .where((where) =>
      where.or([where('devices.account_id', '=', account.id), where('devices.account_id', 'is', null)]),
    )
    .where('devices.mode', '=', 'live')
    .where('devices.state', '=', 'enabled')
    .where('devices.kind', 'not in', simulatedKinds)
    .where('device_reports.status', 'in', ['online', 'degraded'])
    .where('device_reports.reported_at', '>', clock.now() - reportLifetimeMs)
    .orderBy('devices.id')
    .limit(1)
    .executeTakeFirst()
  if (found === undefined) return null
  return found.account_id === null ? { name: null, isShared: true } : { name: found.name, isShared: false }
}

/** Number of newest messages whose devices are read; the rest is judged by the wallet. */
const maxInspected = 10_000

/**
 * Returns what was charged to live keys, and which devices sent it. The wallet counts everything, also
 * messages that retention has purged. Charges of messages that are not among the newest count as sent by a
 * real device if one could ever have sent them.
 */
async function liveUse({ read, account }: AccountContext): Promise<Pick<StartAnswer, 'liveSms' | 'takenBy'>> {
  const newest = read
    .selectFrom('messages')
    .select(['device_id', 'charged'])
    .where('account_id', '=', account.id)
    .where('mode', '=', 'live')
    .where('direction', '=', 'outbound')
    .orderBy('id', 'desc')
    .limit(maxInspected)
    .as('newest')
  const [wallet, byKind, hadDevice] = await Promise.all([
    read
      .selectFrom('wallets')
      .select(['used', 'own_used'])
      .where('account_id', '=', account.id)
      .where('mode', '=', 'live')
      .executeTakeFirst(),
    read
      .selectFrom(newest)
      .leftJoin('devices', 'devices.id', 'newest.device_id')
      .select(({ fn }) => ['devices.kind', fn.sum<number>('newest.charged').as('parts')])
      .where('newest.charged', '>', 0)
      .groupBy('devices.kind')
      .execute(),
    hasEverHadDevice(read, account.id),
  ])
  const partsOf = (isSimulator: boolean): number =>
    byKind.reduce(
      (sum, { kind, parts }) => sum + (simulatedKinds.includes(kind ?? '') === isSimulator ? parts : 0),
      0,
    )
  const [simulated, real] = [partsOf(true), partsOf(false)]
  const liveSms = wallet === undefined ? 0 : wallet.used + wallet.own_used
  const isSent = real > 0 || (hadDevice && liveSms > simulated)
  if (isSent) return { liveSms, takenBy: simulated > 0 ? 'both' : 'devices' }
  return { liveSms, takenBy: liveSms > 0 ? 'simulators' : null }
}

/** Returns whether a real device ever served the live keys of the account: rows of removed devices stay. */
async function hasEverHadDevice(read: AccountContext['read'], accountId: string): Promise<boolean> {
  const found = await read
    .selectFrom('devices')
    .select('id')
    .where((where) => where.or([where('account_id', '=', accountId), where('account_id', 'is', null)]))
    .where('mode', '=', 'live')
    .where('kind', 'not in', simulatedKinds)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
