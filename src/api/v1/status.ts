import { type Static, Type } from 'typebox'
import { rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import { type DevicesStatus, readDevicesStatus, type SeenDevice } from '../../devices/status/device-status.ts'
import type { ReadOf } from '../../storage/seam/dialect.ts'
import type { Answer, Call, Operation } from '../operation.ts'
import { QueryReader } from '../query.ts'
import { renderDeviceReport } from './device-report-view.ts'
import { instantOrNull, oneOf, orNull } from '../../runtime/schemas.ts'
import { modes } from '../../storage/tables/column-values.ts'

export interface StatusOperationDeps {
  readOf: ReadOf
  now(): number
}

/** An object whose members are all present, or null. */
const groupOrNull = <T>(description: string, properties: Record<string, object>) =>
  Type.Unsafe<T | null>({
    type: ['object', 'null'],
    description,
    required: Object.keys(properties),
    properties,
  })
const count = (description: string) => Type.Integer({ minimum: 0, description })
const at = instantOrNull('When this was measured.')

const DeviceSchema = Type.Object({
  object: oneOf(['device'], 'What this object is.'),
  id: Type.String({ description: 'The id of the device.' }),
  name: orNull<string>('string', 'Its name; null for a shared device.'),
  kind: Type.String({ description: '`android`, `smpp`, `simulator`; an open list.' }),
  shared: Type.Boolean({ description: 'Whether it is the operator\'s, for all accounts.' }),
  node: orNull<string>('string', 'The server that runs its link; null for a device that fetches its messages, for one that no server runs, and for a shared one.'),
  status: oneOf(['online', 'degraded', 'offline', 'pending', 'disabled'], '`degraded` sends, with the reasons given; `offline` was not heard of in time; `pending` never was; `disabled` by a person.'),
  reasons: Type.Array(Type.String(), { description: 'Why it is not simply online; an open list.' }),
  link: orNull<string>('string', 'How it is connected: `stream`, `poll`, `push`, `session`, `none`; an open list.'),
  last_seen_at: instantOrNull('The last sign of life.'),
  next_contact_expected_by: instantOrNull('When the next one is due.'),
  app_version: orNull<string>('string', 'Version of the program on it.'),
  battery: groupOrNull<{ percent: number; charging: boolean; at: string }>('Its battery; null when it cannot tell.', {
    percent: { type: 'integer', description: 'Charge.' },
    charging: { type: 'boolean', description: 'Whether it is being charged.' },
    at,
  }),
  network: groupOrNull<{ registered: boolean | null; roaming: boolean | null; operator: string | null; signal_dbm: number | null; transport: string | null; at: string }>('Its network; null when it cannot tell.', {
    registered: orNull('boolean', 'Whether it is in a mobile network.'),
    roaming: orNull('boolean', 'Whether that is a foreign one.'),
    operator: orNull('string', 'Whose network it is.'),
    signal_dbm: orNull('integer', 'Strength of the signal.'),
    transport: orNull('string', 'How it reaches this service: `wifi`, `cellular`, …'),
    at,
  }),
  sims: Type.Array(
    Type.Object({
      slot: Type.Integer({ description: 'Slot, from 1.' }),
      number: orNull<string>('string', 'Its number; null when unknown or shared.'),
      carrier: orNull<string>('string', 'Its carrier.'),
    }),
    { description: 'SIM cards.' },
  ),
  capabilities: groupOrNull<{ delivery_reports: boolean; max_parts: number; alphanumeric_sender: boolean }>('What it can do; null until it has reported.', {
    delivery_reports: { type: 'boolean', description: 'Whether the network\'s receipts reach us.' },
    max_parts: { type: 'integer', description: 'Parts that it can join.' },
    alphanumeric_sender: { type: 'boolean', description: 'Whether `from` may be a name.' },
  }),
  throughput: groupOrNull<{ parts_per_window: number; window_seconds: number; remaining: number; resets_at: string | null }>('Its pace; null without one and for a shared device.', {
    parts_per_window: { type: 'integer', description: 'Parts that may go in a window, over all of its SIMs that have a pace of their own.' },
    window_seconds: { type: 'integer', description: 'Length of a window.' },
    remaining: { type: 'integer', description: 'Parts left in this one.' },
    resets_at: instantOrNull('When it ends, or of several SIMs the first; null while none is open.'),
  }),
  queue: Type.Object(
    {
      messages: count('Your messages that it has claimed.'),
      in_flight: orNull<number>('integer', 'Hand-overs that are open on it; null when unknown or shared.'),
    },
    { description: 'Its work.' },
  ),
  last_sent_at: instantOrNull('When it last sent something; null for a shared device.'),
  last_error: orNull<string>('string', 'What last went wrong; null for a shared device.'),
}) // prettier-ignore

const StatusSchema = Type.Object({
  object: oneOf(['status'], 'What this object is.'),
  mode: oneOf(modes, 'Decided by the key.'),
  status: oneOf(
    ['operational', 'degraded', 'down', 'not_configured'],
    '`operational`: devices send, without trouble; `degraded`: one can send; `down`: none can send now; `not_configured`: there is none.',
  ),
  accepting: Type.Boolean({
    description:
      'Whether messages are taken. True while down too, as long as a device is enabled: they wait until they expire.',
  }),
  reasons: Type.Array(Type.String(), { description: 'Why it is not operational; an open list.' }),
  checked_at: Type.String({ format: 'date-time', description: 'When this was found.' }),
  queue: Type.Object(
    {
      messages: count('Messages that wait.'),
      parts: count('Their parts.'),
      scheduled_messages: count('Messages that wait for their `send_at`.'),
      oldest_queued_at: instantOrNull(
        'When the message at the head of the queue was accepted; null when none waits but for the end of quiet hours.',
      ),
      estimated_wait_seconds: orNull<number>(
        'integer',
        'Until all of it can have gone at the pace of your own devices, with up to 15 minutes until a phone without an event stream asks for messages; null when nobody can say, as while some of it waits for the end of quiet hours.',
      ),
    },
    { description: 'What waits for a device.' },
  ),
  devices: Type.Array(DeviceSchema, { description: 'At most 100 devices, worst first.' }),
  devices_total: count('How many there are.'),
})

type StatusView = Static<typeof StatusSchema>
type DeviceView = Static<typeof DeviceSchema>

export const statusOperation: Operation<StatusOperationDeps> = {
  id: 'getStatus',
  method: 'GET',
  path: '/api/v1/status',
  scope: 'status:read',
  kind: 'read',
  summary: 'The state of the sending devices',
  description: `Always 200 while the service works: a broken phone is data, not an error. A device that was not reported on for half a minute is \`offline\` with the
reason \`no_report\`. The operator's shared devices appear without name, numbers, pace, errors and the work of other accounts.`,
  query: Type.Object({}),
  answers: { 200: { description: 'The state.', schema: StatusSchema, example: statusExample() } },
  problems: ['invalid_query'],
  handle: answerStatus,
}

async function answerStatus(
  { readOf, now }: StatusOperationDeps,
  { caller, rawQuery }: Call,
): Promise<Answer> {
  new QueryReader(rawQuery, []).end()
  const status = await readDevicesStatus(
    readOf(caller.accountId),
    { accountId: caller.accountId, mode: caller.mode },
    now(),
  )
  return { status: 200, body: renderStatus(status, caller.mode) }
}

/** The state of an account's devices as the interface shows it. */
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
  const { last_sent_at, last_error, ...standing } = renderDeviceReport(report)
  return {
    object: 'device',
    id: device.id,
    name: device.name,
    kind: device.kind,
    shared: device.shared,
    node: device.node,
    status: device.status,
    reasons: [...device.reasons],
    ...standing,
    queue: { messages: device.queue.messages, in_flight: device.queue.inFlight },
    last_sent_at,
    last_error,
  }
}

/** The example of the reference. */
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
      queue: { messages: 3, in_flight: 1 }, last_sent_at: '2026-11-21T09:29:48.310Z', last_error: null,
    }],
    devices_total: 1,
  } // prettier-ignore
}
