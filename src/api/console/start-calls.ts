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
  /** SMS that were really sent so far. */
  liveSms: number
}

export const startCalls = {
  'start/read': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, { additionalProperties: false }),
    async handle(context): Promise<StartAnswer> {
      const [tests, device, liveSms] = await Promise.all([
        earlyTests(context),
        sendingDevice(context),
        liveUse(context),
      ])
      const delivered = tests.find(({ status }) => status === 'delivered')
      return { test: delivered ?? tests[0] ?? null, testDelivered: delivered !== undefined, device, liveSms }
    },
  }),
}

/** Enough to find a delivered one among first attempts, few enough to be read each time. */
const mostTests = 50

/** The newest messages in test mode, newest first. */
const earlyTests = ({ read, account }: AccountContext): Promise<{ id: string; status: MessageStatus }[]> =>
  read
    .selectFrom('messages')
    .select(['id', 'status'])
    .where('account_id', '=', account.id)
    .where('mode', '=', 'test')
    .where('direction', '=', 'outbound')
    .orderBy('id', 'desc')
    .limit(mostTests)
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
