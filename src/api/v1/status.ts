import { type Static, Type } from 'typebox'
import { rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import { type DevicesStatus, readDevicesStatus, withStranded } from '../../devices/status/device-status.ts'
import type { SeenDevice } from '../../devices/status/judge-device.ts'
import { nothingWaits, readStranded } from '../../messages/queue/stranded.ts'
import { realKinds } from '../../connectors/registry.ts'
import type { ReadOf } from '../../storage/seam/dialect.ts'
import type { Answer } from '../edge/operation.ts'
import type { ApiCall, ApiOperation } from './operation.ts'
import { firstReached } from '../../devices/plans/plan-view.ts'
import { CanarySchema, renderCanary } from './canary-view.ts'
import { PlanSchema, renderPlan } from './plan-view.ts'
import { renderDeviceReport } from './device-report-view.ts'
import { instantOrNull, oneOf, orNull } from '../../runtime/schemas.ts'
import { modes } from '../../storage/tables/column-values.ts'

export interface StatusOperationDeps {
  readOf: ReadOf
  now(): number
}

/** An object with all members, or null. */
const groupOrNull = <T>(description: string, properties: Record<string, object>) =>
  Type.Unsafe<T | null>({
    type: ['object', 'null'],
    description,
    required: Object.keys(properties),
    properties,
  })
const count = (description: string) => Type.Integer({ minimum: 0, description })
const at = instantOrNull('Time of this measurement.')

const DeviceSchema = Type.Object({
  object: oneOf(['device'], 'Type of the object.'),
  id: Type.String({ description: 'Device ID.' }),
  name: orNull<string>('string', 'Name; null for a shared device.'),
  kind: Type.String({ description: '`android`, `smpp`, `modem`, `simulator`; an open list.' }),
  shared: Type.Boolean({ description: 'True when the device belongs to the operator and all accounts can use it.' }),
  node: orNull<string>('string', 'Server that runs its connection; null for a device that fetches its messages, for one that no server runs, and for a shared one.'),
  status: oneOf(['online', 'degraded', 'offline', 'pending', 'disabled'], '`degraded`: sends, see `reasons`; `offline`: no contact in time; `pending`: no contact yet; `disabled`: by a user.'),
  reasons: Type.Array(Type.String(), { description: 'Reasons for a status other than `online`; an open list.' }),
  link: orNull<string>('string', 'Type of the connection: `stream`, `poll`, `push`, `visit`, `session`, `none`; an open list.'),
  last_seen_at: instantOrNull('Time of the last contact.'),
  next_contact_expected_by: instantOrNull('When the next contact is due.'),
  app_version: orNull<string>('string', 'Version of the app on the device.'),
  battery: groupOrNull<{ percent: number; charging: boolean; at: string }>('Battery; null when unknown.', {
    percent: { type: 'integer', description: 'Charge in per cent.' },
    charging: { type: 'boolean', description: 'True while charging.' },
    at,
  }),
  network: groupOrNull<{ registered: boolean | null; roaming: boolean | null; operator: string | null; signal_dbm: number | null; transport: string | null; at: string }>('Mobile network; null when unknown.', {
    registered: orNull('boolean', 'True when registered in a mobile network.'),
    roaming: orNull('boolean', 'True when roaming.'),
    operator: orNull('string', 'Network operator.'),
    signal_dbm: orNull('integer', 'Signal strength in dBm.'),
    transport: orNull('string', 'Transport to this service: `wifi`, `cellular`, …'),
    at,
  }),
  sims: Type.Array(
    Type.Object({
      slot: Type.Integer({ description: 'SIM slot, from 1.' }),
      number: orNull<string>('string', 'Number; null when unknown, and for a shared device.'),
      carrier: orNull<string>('string', 'Carrier.'),
    }),
    { description: 'SIM cards.' },
  ),
  capabilities: groupOrNull<{ delivery_reports: boolean; max_parts: number; alphanumeric_sender: boolean }>('Capabilities; null until the device has reported.', {
    delivery_reports: { type: 'boolean', description: 'True when delivery receipts are received.' },
    max_parts: { type: 'integer', description: 'Maximum parts of a message.' },
    alphanumeric_sender: { type: 'boolean', description: 'True when `from` can be a name.' },
  }),
  throughput: groupOrNull<{ parts_per_window: number; window_seconds: number; remaining: number; resets_at: string | null }>('Rate limit; null without one and for a shared device.', {
    parts_per_window: { type: 'integer', description: 'Maximum parts per window, summed over SIMs with their own rate limit.' },
    window_seconds: { type: 'integer', description: 'Length of the window in seconds.' },
    remaining: { type: 'integer', description: 'Parts left in this window.' },
    resets_at: instantOrNull('End of this window, the earliest one of several SIMs; null without an open window.'),
  }),
  plan_reached_on: orNull<string>('string', 'First date on which a SIM plan is reached at the rate of the last 7 days; null when none is reached this month, and for a shared device.'),
  sim_plans: Type.Array(PlanSchema, { description: 'What the contracts of its SIMs include, as far as that is set; empty for a shared device.' }),
  canaries: Type.Array(CanarySchema, { description: 'Canaries that it sends; empty for a shared device.' }),
  queue: Type.Object(
    {
      messages: count('Your messages claimed for this device.'),
      in_flight: orNull<number>('integer', 'Submissions in flight; null when unknown, and for a shared device.'),
    },
    { description: 'Queue of the device.' },
  ),
  last_sent_at: instantOrNull('Time of the last sent message; null for a shared device.'),
  last_error: orNull<string>('string', 'Last error; null for a shared device.'),
  sim_credit: groupOrNull<{ amount: number; at: string }>('Credit of a prepaid SIM, by its last answer to the code that is set; null when unknown, and for a shared device.', {
    amount: { type: 'number', description: 'Amount in the unit of the network.' },
    at,
  }),
  balance: groupOrNull<{ amount: number; currency: string | null; at: string }>('Balance of the account at the messaging service; null when unknown, and for a shared device.', {
    amount: { type: 'number', description: 'Amount in the currency.' },
    currency: orNull('string', 'Currency, such as EUR; null when the service does not report it.'),
    at,
  }),
}) // prettier-ignore

const StatusSchema = Type.Object({
  object: oneOf(['status'], 'Type of the object.'),
  mode: oneOf(modes, 'Mode of the key.'),
  status: oneOf(
    ['operational', 'degraded', 'down', 'not_configured'],
    '`operational`: devices send, without problems; `degraded`: at least one can send; `down`: none can send now; `not_configured`: no devices.',
  ),
  accepting: Type.Boolean({
    description:
      'True when sends are accepted. Also true while down, as long as a device is enabled: messages are queued until they expire.',
  }),
  reasons: Type.Array(Type.String(), {
    description:
      'Reasons for a status other than `operational`, such as `no_own_device`: messages wait for an own device, which costs nothing, and none that is enabled can carry them; shared devices do not. An open list.',
  }),
  checked_at: Type.String({ format: 'date-time', description: 'Time of this status.' }),
  queue: Type.Object(
    {
      messages: count('Queued messages.'),
      parts: count('Parts of the queued messages.'),
      scheduled_messages: count('Scheduled messages.'),
      oldest_queued_at: instantOrNull(
        'Time when the message at the head of the queue was accepted; null when only messages delayed by quiet hours are queued.',
      ),
      estimated_wait_seconds: orNull<number>(
        'integer',
        'Estimated seconds until all queued messages can be sent at the rate limit of your own devices, including up to 15 minutes until a phone without an event stream polls; null when unknown, for example while messages are delayed by quiet hours.',
      ),
    },
    { description: 'Messages that wait for a device.' },
  ),
  devices: Type.Array(DeviceSchema, { description: 'Up to 100 devices, worst status first.' }),
  devices_total: count('Total number of devices.'),
})

type StatusView = Static<typeof StatusSchema>
type DeviceView = Static<typeof DeviceSchema>

export const statusOperation: ApiOperation<StatusOperationDeps> = {
  id: 'getStatus',
  method: 'GET',
  path: '/api/v1/status',
  scope: 'status:read',
  kind: 'read',
  summary: 'Get status of devices',
  description: `Always 200 while the service works: a broken phone is data, not an error. A device without a report for half a minute is \`offline\` with the
reason \`no_report\`. Shared devices of the operator are listed without name, numbers, rate limit, errors and the queues of other accounts.`,
  query: Type.Object({}),
  answers: { 200: { description: 'The status.', schema: StatusSchema, example: statusExample() } },
  problems: ['invalid_query'],
  handle: answerStatus,
}

async function answerStatus({ readOf, now }: StatusOperationDeps, { caller }: ApiCall): Promise<Answer> {
  const { accountId, mode } = caller
  const read = readOf(accountId)
  const [status, stranded] = await Promise.all([
    readDevicesStatus(read, { accountId, mode }, now()),
    mode === 'live' ? readStranded(read, accountId, realKinds) : nothingWaits,
  ])
  return { status: 200, body: renderStatus(stranded.messages > 0 ? withStranded(status) : status, mode) }
}

/** Renders the status of the devices of an account for the API. */
export const renderStatus = (status: DevicesStatus, mode: StatusView['mode']): StatusView => ({
  object: 'status',
  mode,
  status: status.status,
  accepting: status.accepting,
  reasons: [...status.reasons],
  checked_at: rfc3339(status.checkedAtMs),
  queue: {
    messages: status.queue.messages,
    parts: status.queue.parts,
    scheduled_messages: status.queue.scheduledMessages,
    oldest_queued_at: rfc3339OrNull(status.queue.oldestQueuedAtMs),
    estimated_wait_seconds: status.queue.estimatedWaitSeconds,
  },
  devices: status.devices.map(renderDevice),
  devices_total: status.devicesTotal,
})

function renderDevice({ report, ...device }: SeenDevice): DeviceView {
  const { last_sent_at, last_error, ...rest } = renderDeviceReport(report)
  return {
    object: 'device',
    id: device.id,
    name: device.name,
    kind: device.kind,
    shared: device.shared,
    node: device.node,
    status: device.status,
    reasons: [...device.reasons],
    ...rest,
    plan_reached_on: firstReached(device.plans),
    sim_plans: device.plans.map(renderPlan),
    canaries: device.canaries.map(renderCanary),
    queue: { messages: device.queue.messages, in_flight: device.queue.inFlight },
    last_sent_at,
    last_error,
  }
}

/** Example for the reference. */
function statusExample(): StatusView {
  return {
    object: 'status', mode: 'live', status: 'operational', accepting: true, reasons: [], checked_at: '2026-11-21T09:30:00.000Z',
    queue: { messages: 14, parts: 17, scheduled_messages: 0, oldest_queued_at: '2026-11-21T09:28:41.120Z', estimated_wait_seconds: 0 },
    devices: [{
      object: 'device', id: 'dev_01k9ktp3m0f5yarw8s2e6vd41c', name: 'Pixel shelf 2', kind: 'android', shared: false, node: null, status: 'online', reasons: [],
      link: 'stream', last_seen_at: '2026-11-21T09:29:51.007Z', next_contact_expected_by: '2026-11-21T09:35:01.007Z', app_version: '1.68.0',
      battery: { percent: 87, charging: true, at: '2026-11-21T09:20:00.000Z' },
      network: { registered: null, roaming: null, operator: null, signal_dbm: null, transport: 'wifi', at: '2026-11-21T09:20:00.000Z' },
      sims: [{ slot: 1, number: '+4915199990001', carrier: 'Telekom.de' }],
      capabilities: { delivery_reports: true, max_parts: 10, alphanumeric_sender: false },
      throughput: { parts_per_window: 30, window_seconds: 1800, remaining: 22, resets_at: '2026-11-21T09:51:12.400Z' },
      plan_reached_on: '2026-12-03',
      sim_plans: [{
        sim: 1, parts_per_day: null, parts_today: 41, parts_per_month: 3000, parts_this_month: 1204, numbers_per_month: 99, numbers_this_month: 61,
        zone: 'Europe/Berlin', month_from: '2026-11-12', month_until: '2026-12-11', reached_on: '2026-12-03',
      }],
      canaries: [{
        id: 'can_01k9ktp3m0f5yarw8s2e6vd42d', to_device: 'dev_01k9ktp3m0f5yarw8s2e6vd43e', every_seconds: 3600, last_run_at: '2026-11-21T09:00:00.000Z', last_state: 'arrived',
        last_seconds: 4.2, median_seconds: 3.9, lost: 1, runs: 100, status: 'ok',
      }],
      queue: { messages: 3, in_flight: 1 }, last_sent_at: '2026-11-21T09:29:48.310Z', last_error: null, sim_credit: null, balance: null,
    }],
    devices_total: 1,
  } // prettier-ignore
}
