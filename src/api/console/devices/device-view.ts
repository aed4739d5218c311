import type { DeviceReportBody } from '../../../devices/status/device-report.ts'
import { remediesOf } from '../../../connectors/device-remedies.ts'
import { factsOf } from '../../../connectors/registry.ts'
import type { DeviceUser, SeenDevice } from '../../../devices/status/device-status.ts'
import { type ListedDevice, listDevices } from '../../../devices/status/list-devices.ts'
import { type ListedPhone, listPhones } from '../../../devices/phones/list-phones.ts'
import {
  type DeviceSample,
  type LaneStretch,
  readLanes,
  readSamples,
  readSince,
} from '../../../devices/status/uptime-lane.ts'
import type { Db } from '../../../storage/seam/dialect.ts'

/** A device as the console shows it: what `/api/v1/status` says of it, since when, and what it was before. */
export interface ConsoleDevice extends Omit<SeenDevice, 'report'> {
  report: DeviceReportBody | null
  /** Since when it is what it is; null while nobody has said. */
  sinceMs: number | null
  /** What to do, a sentence or two for each reason that has a remedy. */
  remedies: string[]
  /** What its kind says of it. */
  isPhone: boolean
  isSimulated: boolean
  /** The button that tries its peer without sending; null where there is nothing to try. */
  trial: string | null
  /** From `lane.fromMs` to `lane.untilMs` without holes. */
  lane: { fromMs: number; untilMs: number; stretches: LaneStretch[] }
  /** Of its battery and network in the same span. */
  samples: DeviceSample[]
  /** How it is set up; null for a shared one that is somebody else's. */
  setUp: DeviceSetUp | null
  /** Whether who looks may change it. */
  isChangeable: boolean
}

export interface DeviceSetUp extends Pick<
  ListedDevice,
  'state' | 'isDraining' | 'senders' | 'settings' | 'hasSecrets' | 'pace' | 'createdAt'
> {
  /** The registration of its app, of a phone that has one. */
  phone: ListedPhone | null
}

interface Viewer extends DeviceUser {
  nowMs: number
  spanMs: number
  isOwner: boolean
}

/** Adds to what devices are what they were, and to those of the viewer how they are set up. */
export async function viewDevices(
  read: Db,
  seen: readonly SeenDevice[],
  viewer: Viewer,
): Promise<ConsoleDevice[]> {
  const span = { fromMs: viewer.nowMs - viewer.spanMs, untilMs: viewer.nowMs }
  const ids = seen.map(({ id }) => id)
  const [since, lanes] = await Promise.all([readSince(read, ids), readLanes(read, ids, span)])
  return Promise.all(
    seen.map(async (device): Promise<ConsoleDevice> => {
      const isOpen = !device.shared || viewer.isOperator === true
      const facts = factsOf(device.kind)
      return {
        ...device,
        isPhone: facts?.isPhone === true,
        isSimulated: facts?.isSimulated === true,
        trial: facts?.trial ?? null,
        sinceMs: since.get(device.id) ?? null,
        remedies: remediesOf(device.kind, device.reasons),
        lane: { ...span, stretches: lanes.get(device.id) ?? [] },
        samples: await readSamples(read, device.id, span),
        setUp: isOpen ? await readSetUp(read, device) : null,
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
  return { state, isDraining, senders, settings, hasSecrets, pace, createdAt, phone }
}
