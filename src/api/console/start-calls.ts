import { Type } from 'typebox'
import { reportLifetimeMs } from '../../devices/device-report.ts'
import type { MessageStatus } from '../../storage/schema.ts'
import { type AccountContext, defineCall } from './call.ts'

/** How far a new account has come. Each is read from what is stored: nothing is ticked because a button was pressed. */
export interface StartAnswer {
  /** The first message in test mode: that it was accepted, and what became of it. */
  test: { id: string; status: MessageStatus } | null
  testDelivered: boolean
  /** A device that sends for real and can be reached now; one that is shared has a name for its operator alone. */
  device: { name: string; isShared: false } | { name: null; isShared: true } | null
  /** SMS that were sent with live keys so far. */
  liveSms: number
  /** Simulators alone took the newest of them: an operator may attach one to live keys, and nothing goes out by it. */
  isSimulated: boolean
}

export const startCalls = {
  'start/read': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, { additionalProperties: false }),
    async handle(context): Promise<StartAnswer> {
      const [tests, device, liveSms, isSimulated] = await Promise.all([
        earlyTests(context),
        sendingDevice(context),
        liveUse(context),
        tookSimulatorsAlone(context),
      ])
      const delivered = tests.find(({ status }) => status === 'delivered')
      const test = delivered ?? tests[0] ?? null
      return { test, testDelivered: delivered !== undefined, device, liveSms, isSimulated }
    },
  }),
}

/** Enough to find a delivered one among first attempts, few enough to be read each time. */
const mostRead = 50

/** The newest messages in test mode, newest first. */
const earlyTests = ({ read, account }: AccountContext): Promise<{ id: string; status: MessageStatus }[]> =>
  read
    .selectFrom('messages')
    .select(['id', 'status'])
    .where('account_id', '=', account.id)
    .where('mode', '=', 'test')
    .where('direction', '=', 'outbound')
    .orderBy('id', 'desc')
    .limit(mostRead)
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
    .where('devices.kind', '!=', 'simulator')
    .where('device_reports.status', 'in', ['online', 'degraded'])
    .where('device_reports.reported_at', '>', clock.now() - reportLifetimeMs)
    .orderBy('devices.id')
    .limit(1)
    .executeTakeFirst()
  if (found === undefined) return null
  return found.account_id === null ? { name: null, isShared: true } : { name: found.name, isShared: false }
}

async function liveUse({ read, account }: AccountContext): Promise<number> {
  const wallet = await read
    .selectFrom('wallets')
    .select('used')
    .where('account_id', '=', account.id)
    .where('mode', '=', 'live')
    .executeTakeFirst()
  return wallet?.used ?? 0
}

/** Of what is not stored any more it is believed that it went out. */
async function tookSimulatorsAlone({ read, account }: AccountContext): Promise<boolean> {
  const newest = await read
    .selectFrom('messages')
    .leftJoin('devices', 'devices.id', 'messages.device_id')
    .select(['devices.kind', 'messages.charged'])
    .where('messages.account_id', '=', account.id)
    .where('messages.mode', '=', 'live')
    .where('messages.direction', '=', 'outbound')
    .orderBy('messages.id', 'desc')
    .limit(mostRead)
    .execute()
  const taken = newest.filter(({ charged }) => charged > 0)
  return taken.length > 0 && taken.every(({ kind }) => kind === 'simulator')
}
