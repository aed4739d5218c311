import { Type } from 'typebox'
import { reportLifetimeMs } from '../../../devices/status/device-report.ts'
import type { MessageStatus } from '../../../storage/tables/schema.ts'
import { simulatedKinds } from '../../../connectors/registry.ts'
import { type AccountContext, defineCall } from '../core/call.ts'

/** How far a new account has come. Each is read from what is stored: nothing is ticked because a button was pressed. */
export interface StartAnswer {
  /** The first message in test mode: that it was accepted, and what became of it. */
  test: { id: string; status: MessageStatus } | null
  testDelivered: boolean
  /** A device that sends for real and can be reached now; one that is shared has a name for its operator alone. */
  device: { name: string; isShared: false } | { name: null; isShared: true } | null
  /** SMS that were charged to live keys so far. */
  liveSms: number
  /** What took them; null while there are none. An operator may attach a simulator to live keys, and nothing is sent by that. */
  takenBy: 'devices' | 'simulators' | 'both' | null
}

export const startCalls = {
  'start/read': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, { additionalProperties: false }),
    async handle(context): Promise<StartAnswer> {
      const [tests, device, live] = await Promise.all([
        earlyTests(context),
        sendingDevice(context),
        liveUse(context),
      ])
      const delivered = tests.find(({ status }) => status === 'delivered')
      const test = delivered ?? tests[0] ?? null
      return { test, testDelivered: delivered !== undefined, device, ...live }
    },
  }),
}

/** Enough to find a delivered one among first attempts, few enough to be read each time. */
const maxRead = 50

/** The newest messages in test mode, newest first. */
const earlyTests = ({ read, account }: AccountContext): Promise<{ id: string; status: MessageStatus }[]> =>
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

/** So many of the newest messages are looked through for who took them; the rest is judged by the wallet. */
const maxJudged = 10_000

/**
 * What was charged to live keys, and what took it. The wallet remembers all of it, also of messages that retention has removed: what is not
 * among the newest messages counts as sent for real where a device has ever been attached that could have sent it.
 */
async function liveUse({ read, account }: AccountContext): Promise<Pick<StartAnswer, 'liveSms' | 'takenBy'>> {
  const newest = read
    .selectFrom('messages')
    .select(['device_id', 'charged'])
    .where('account_id', '=', account.id)
    .where('mode', '=', 'live')
    .where('direction', '=', 'outbound')
    .orderBy('id', 'desc')
    .limit(maxJudged)
    .as('newest')
  const [wallet, taken, hadDevice] = await Promise.all([
    read
      .selectFrom('wallets')
      .select('used')
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
    taken.reduce(
      (sum, { kind, parts }) => sum + (simulatedKinds.includes(kind ?? '') === isSimulator ? parts : 0),
      0,
    )
  const [simulated, real] = [partsOf(true), partsOf(false)]
  const liveSms = wallet?.used ?? 0
  const isSent = real > 0 || (hadDevice && liveSms > simulated)
  if (isSent) return { liveSms, takenBy: simulated > 0 ? 'both' : 'devices' }
  return { liveSms, takenBy: liveSms > 0 ? 'simulators' : null }
}

/** Whether a device that sends for real ever served the account with live keys: rows of removed devices stay. */
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
