import type { DeviceReportBody } from '../../../storage/tables/json-columns.ts'
import { remediesOf } from '../../../connectors/device-remedies.ts'
import { ownCommandOverNetwork } from '../../../process/own-command.ts'
import { factsOf } from '../../../connectors/registry.ts'
import type { DeviceUser } from '../../../devices/status/device-status.ts'
import type { SeenDevice } from '../../../devices/status/judge-device.ts'
import { type ListedDevice, listDevices } from '../../../devices/status/list-devices.ts'
import { type ListedPhone, listPhones } from '../../../devices/phones/list-phones.ts'
import {
  type DeviceSample,
  type LaneStretch,
  readLanes,
  readSamples,
  readSince,
} from '../../../devices/status/uptime-lane.ts'
import { nothingWaits, type Stranded, type Waiting } from '../../../messages/queue/stranded.ts'
import type { Db } from '../../../storage/seam/dialect.ts'

/** A device as the console shows it: its status as in `/api/v1/status`, since when, and its history. */
export interface ConsoleDevice extends Omit<SeenDevice, 'report'> {
  report: DeviceReportBody | null
  /** Start of the current status; null when unknown. */
  sinceMs: number | null
  /** Remedies, a sentence or two for each reason that has one. */
  remedies: string[]
  /** Path of the guide to its kind; null where this version does not know it. */
  guide: string | null
  /** Facts of its kind; `label` is the raw kind where this version does not know it. */
  label: string
  isPhone: boolean
  isSimulated: boolean
  /** Label of the button that tests the connection without sending; null without a test. */
  trial: string | null
  /** From `lane.fromMs` to `lane.untilMs` without gaps. */
  lane: { fromMs: number; untilMs: number; stretches: LaneStretch[] }
  /** Battery and network samples in the same span. */
  samples: DeviceSample[]
  /** Configuration; null for a shared device, unless the viewer is the operator. */
  setUp: DeviceSetUp | null
  /** Messages that it could carry if it were enabled, while no enabled own device can. */
  waiting: Waiting
  /** True when the viewer is allowed to change it. */
  isChangeable: boolean
}

export interface DeviceSetUp extends Pick<
  ListedDevice,
  'state' | 'isDraining' | 'settings' | 'hasSecrets' | 'pace' | 'createdAt'
> {
  senders: string[]
  /** Registration of the app, for a phone that has one. */
  phone: ListedPhone | null
}

interface Viewer extends DeviceUser {
  nowMs: number
  spanMs: number
  isOwner: boolean
}

/** Adds the history of devices, and the configuration of those that the viewer can see. */
export async function viewDevices(
  read: Db,
  seen: readonly SeenDevice[],
  viewer: Viewer,
  { waitFor }: Pick<Stranded, 'waitFor'>,
): Promise<ConsoleDevice[]> {
  const span = { fromMs: viewer.nowMs - viewer.spanMs, untilMs: viewer.nowMs }
  const ids = seen.map(({ id }) => id)
  const [since, lanes] = await Promise.all([readSince(read, ids), readLanes(read, ids, span)])
  return Promise.all(
    seen.map(async (device): Promise<ConsoleDevice> => {
      const showsSetUp = !device.shared || viewer.isOperator === true
      const facts = factsOf(device.kind)
      return {
        ...device,
        label: facts?.label ?? device.kind,
        guide: facts?.guide ?? null,
        isPhone: facts?.isPhone === true,
        isSimulated: facts?.isSimulated === true,
        trial: facts?.trial ?? null,
        sinceMs: since.get(device.id) ?? null,
        remedies: remediesOf(device.kind, device.reasons, { word: ownCommandOverNetwork() }),
        lane: { ...span, stretches: lanes.get(device.id) ?? [] },
        samples: await readSamples(read, device.id, span),
        setUp: showsSetUp ? await readSetUp(read, device) : null,
        waiting: waitFor.get(device.id) ?? nothingWaits,
        isChangeable: device.shared ? viewer.isOperator === true : viewer.isOwner,
      }
    }),
  )
}

async function readSetUp(read: Db, { id, kind }: SeenDevice): Promise<DeviceSetUp | null> {
  const [page, [phone = null]] = await Promise.all([
    listDevices(read, { deviceId: id }, { afterId: null, limit: 1 }),
    factsOf(kind)?.isPhone === true ? listPhones(read, { deviceId: id }) : [],
  ])
  const [listed] = page.devices
  if (listed === undefined) return null
  const { state, isDraining, senders, settings, hasSecrets, pace, createdAt } = listed
  return { state, isDraining, senders: [...senders], settings, hasSecrets, pace, createdAt, phone }
}
