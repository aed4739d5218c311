import type { Db } from '../../storage/seam/dialect.ts'
import type { AccountState, Mode } from '../../storage/tables/schema.ts'
import { readClaimed, readQueue } from './account-queue.ts'
import type { DeviceReportBody } from '../../storage/tables/json-columns.ts'
import { type CanaryView, readCanaries } from '../canaries/canary-view.ts'
import { type PlanView, readPlanViews } from '../plans/plan-view.ts'
import {
  type DeviceRow,
  type JudgedDevice,
  judgeDevice,
  rank,
  type SeenDevice,
  works,
} from './judge-device.ts'
import { estimateWaitSeconds, type StandingPace, standingPaces } from './device-status-wait.ts'

/** An account that uses devices: its own and the shared ones of a mode. */
export interface DeviceUser {
  accountId: string
  mode: Mode
  /** The operator sees of shared devices what their owner sees. */
  isOperator?: boolean
}

/** The status of the devices of an account, as far as the account may see it. */
export interface DevicesStatus {
  status: 'operational' | 'degraded' | 'down' | 'not_configured'
  /** Whether a send would be accepted, as far as devices and account are concerned. */
  accepting: boolean
  reasons: readonly string[]
  checkedAtMs: number
  queue: {
    messages: number
    parts: number
    scheduledMessages: number
    oldestQueuedAtMs: number | null
    estimatedWaitSeconds: number | null
  }
  /** At most `maxListed`, worst first. */
  devices: readonly SeenDevice[]
  devicesTotal: number
}

const maxListed = 100

/**
 * Reads the status of all devices that may carry the messages of an account in a mode. Its cost does not
 * depend on the length of the queue.
 */
export async function readDevicesStatus(db: Db, owner: DeviceUser, nowMs: number): Promise<DevicesStatus> {
  const [account, rows, { messagesInQuiet, ...queue }, claimed] = await Promise.all([
    db.selectFrom('accounts').select('state').where('id', '=', owner.accountId).executeTakeFirst(),
    readDevices(db, owner),
    readQueue(db, owner),
    readClaimed(db, owner),
  ])
  const devices = rows
    .map((row) => judgeDevice(row, nowMs))
    .toSorted((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1))
  const listed = devices.slice(0, maxListed)
  const about = await readAbout(db, listed, owner, nowMs)
  return {
    ...overall(devices, account?.state ?? 'closed'),
    checkedAtMs: nowMs,
    queue: {
      ...queue,
      // The wait is unknown for messages that are deferred until morning.
      estimatedWaitSeconds:
        messagesInQuiet > 0 ? null : estimateWaitSeconds(queue.parts, ownPaces(devices), nowMs),
    },
    devices: listed.map((device) => seen(device, claimed.get(device.id) ?? 0, { ...owner, ...about })),
    devicesTotal: devices.length,
  }
}

/** Adds that messages wait for own devices, of which no enabled one can carry them. */
export const withStranded = (status: DevicesStatus): DevicesStatus => ({
  ...status,
  status: status.status === 'operational' ? 'degraded' : status.status,
  reasons: [...status.reasons, 'no_own_device'],
})

/** Returns a device as an account sees it; null when it is neither its own nor shared. */
export async function readSeenDevice(
  db: Db,
  owner: DeviceUser,
  deviceId: string,
  nowMs: number,
): Promise<SeenDevice | null> {
  const [rows, claimed] = await Promise.all([readDevices(db, owner, deviceId), readClaimed(db, owner)])
  const [device] = rows.map((row) => judgeDevice(row, nowMs))
  if (device === undefined) return null
  const about = await readAbout(db, [device], owner, nowMs)
  return seen(device, claimed.get(device.id) ?? 0, { ...owner, ...about })
}

interface About {
  plans: readonly PlanView[]
  canaries: readonly CanaryView[]
}

/** Plans and canaries of shared devices are the operator's. */
async function readAbout(
  db: Db,
  devices: readonly JudgedDevice[],
  { isOperator = false }: DeviceUser,
  nowMs: number,
): Promise<About> {
  const ids = devices.filter(({ isOwn }) => isOwn || isOperator).map(({ id }) => id)
  const [plans, canaries] = await Promise.all([
    readPlanViews(db, ids, nowMs),
    readCanaries(db, { fromDevices: ids }),
  ])
  return { plans, canaries }
}

function readDevices(db: Db, { accountId, mode }: DeviceUser, deviceId?: string): Promise<DeviceRow[]> {
  const query = db
    .selectFrom('devices as d')
    .leftJoin('device_reports as r', 'r.device_id', 'd.id')
    .select([
      'd.id',
      'd.account_id',
      'd.kind',
      'd.name',
      'd.state',
      'r.status',
      'r.reasons',
      'r.body',
      'r.reported_at',
      'd.lease_owner',
      'd.lease_until',
    ])
    .where((is) => is.or([is('d.account_id', '=', accountId), is('d.account_id', 'is', null)]))
    .where('d.mode', '=', mode)
    .where('d.state', '!=', 'retired')
  return (deviceId === undefined ? query : query.where('d.id', '=', deviceId)).execute()
}

/**
 * Returns the overall status. Trouble of a shared device is the operator's, and counts only for an account
 * without a device of its own.
 */
function overall(
  devices: readonly JudgedDevice[],
  account: AccountState,
): Pick<DevicesStatus, 'status' | 'accepting' | 'reasons'> {
  const frozen = account === 'active' ? [] : [`account_${account}`]
  const isDisabled = devices.some((device) => device.status === 'disabled')
  const enabled = devices.filter((device) => device.isEnabled)
  if (enabled.length === 0) {
    const reason = isDisabled ? 'device_disabled' : devices.length > 0 ? 'device_pending' : 'no_device'
    return {
      status: isDisabled ? 'down' : 'not_configured',
      accepting: false,
      reasons: [...frozen, reason],
    }
  }
  const own = enabled.filter((device) => device.isOwn)
  const trouble = new Set((own.length > 0 ? own : enabled).flatMap(troubleOf))
  const reasons = [...frozen, ...trouble]
  const status =
    frozen.length > 0 || !enabled.some(works) ? 'down' : reasons.length > 0 ? 'degraded' : 'operational'
  return { status, accepting: frozen.length === 0, reasons }
}

const troubleOf = ({ status, reasons }: JudgedDevice): readonly string[] =>
  status === 'online' ? [] : status === 'degraded' ? ['device_degraded', ...reasons] : [`device_${status}`]

/**
 * The rate limits of the account's own working devices; null for one without. Shared devices serve others
 * too, so they do not count.
 */
const ownPaces = (devices: readonly JudgedDevice[]): (StandingPace | null)[] =>
  devices
    .filter((device) => device.isOwn && works(device))
    .flatMap(({ report }) => (report?.throughput ? standingPaces(report.throughput, report.link) : [null]))

function seen(
  device: JudgedDevice,
  messages: number,
  { isOperator = false, plans, canaries }: DeviceUser & About,
): SeenDevice {
  const { id, kind, name, node, status, reasons, report } = device
  const about = {
    plans: plans.filter(({ deviceId }) => deviceId === id),
    canaries: canaries.filter(({ fromDevice }) => fromDevice === id),
  }
  const common = { id, kind, status, reasons, shared: !device.isOwn, ...about }
  return device.isOwn || isOperator
    ? { ...common, name, node, report, queue: { messages, inFlight: report?.inFlight ?? null } }
    : {
        ...common,
        name: null,
        node: null,
        report: report && withoutConfidential(report),
        queue: { messages, inFlight: null },
      }
}

/** Removes what would reveal the operator of a shared device, or its other users, to an account (P10). */
function withoutConfidential(report: DeviceReportBody): DeviceReportBody {
  const { balance: _, credit: __, ...rest } = report
  return {
    ...rest,
    sims: report.sims.map((sim) => ({ ...sim, number: null })),
    throughput: null,
    inFlight: 0,
    lastSentAt: null,
    lastError: null,
  }
}
