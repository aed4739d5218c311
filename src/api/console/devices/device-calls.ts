import { hourMs } from '../../../runtime/clock.ts'
import { Type } from 'typebox'
import { readDevicesStatus, readSeenDevice } from '../../../devices/status/device-status.ts'
import { refuse } from '../../../runtime/errors.ts'
import { loadConnectorKind } from '../../../connectors/registry.ts'
import { type AccountContext, defineCall } from '../core/call.ts'
import { type ConsoleDevice, viewDevices } from './device-view.ts'

export interface DevicesAnswer {
  /** At most a hundred, worst first. */
  devices: ConsoleDevice[]
  total: number
}

/** A setting of a kind, as a form shows it. */
export interface KindSetting {
  name: string
  says: string
  default: string
  isRequired: boolean
  /** All values that it may have, where they are a few words. */
  choices: readonly string[] | null
}

export interface DeviceKind {
  kind: string
  settings: KindSetting[]
  secretNames: readonly string[]
}

const closed = { additionalProperties: false }
export const DeviceId = Type.String({ maxLength: 40 })
/** A day, or a week. */
const Hours = Type.Enum([24, 168])
/** Of one device also what is kept of it. */
const LongHours = Type.Enum([24, 168, 2_160])
/** Those that a person adds by a form. */
export const addedKinds = ['smpp', 'simulator'] as const

export const deviceCalls = {
  'devices/list': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({ hours: Hours }, closed),
    async handle(context, { hours }): Promise<DevicesAnswer> {
      const viewer = viewerOf(context, hours)
      const { devices, devicesTotal } = await readDevicesStatus(context.read, viewer, viewer.nowMs)
      return { devices: await viewDevices(context.read, devices, viewer), total: devicesTotal }
    },
  }),
  'devices/one': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({ deviceId: DeviceId, hours: LongHours }, closed),
    async handle(context, { deviceId, hours }): Promise<ConsoleDevice> {
      const viewer = viewerOf(context, hours)
      const seen = await readSeenDevice(context.read, viewer, deviceId, viewer.nowMs)
      const [device] = seen === null ? [] : await viewDevices(context.read, [seen], viewer)
      if (device === undefined) throw noDevice(deviceId)
      return device
    },
  }),
  /** What can be set of devices, kind by kind. */
  'devices/kinds': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, closed),
    async handle(): Promise<{ kinds: DeviceKind[] }> {
      const kinds = await Promise.all(['android', ...addedKinds].map(loadConnectorKind))
      return {
        kinds: kinds.flatMap((kind) =>
          kind === null
            ? []
            : {
                kind: kind.kind,
                secretNames: kind.secretNames,
                settings: kind.settings.map(
                  ({ name, says, default: byDefault, required, choices = null }) => ({
                    name,
                    says,
                    default: byDefault,
                    isRequired: required === true,
                    choices,
                  }),
                ),
              },
        ),
      }
    },
  }),
}

const viewerOf = ({ account, user, clock }: AccountContext, hours: number) => ({
  accountId: account.id,
  mode: account.mode,
  isOperator: user.isOperator,
  isOwner: account.role === 'owner',
  nowMs: clock.now(),
  spanMs: hours * hourMs,
})

export const noDevice = (deviceId: string) =>
  refuse('not_found', { detail: `This account has no device ${deviceId} in this mode.` })
