import { hourMs } from '../../../runtime/clock.ts'
import { Type } from 'typebox'
import { readDevicesStatus, readSeenDevice } from '../../../devices/status/device-status.ts'
import { refuse } from '../../../runtime/errors.ts'
import type { KindFacts } from '../../../connectors/kind-facts.ts'
import { connectorKinds, factsOf, loadConnectorKind } from '../../../connectors/registry.ts'
import { type AccountContext, defineCall } from '../core/call.ts'
import { type ConsoleDevice, viewDevices } from './device-view.ts'

export interface DevicesAnswer {
  /** Up to 100, worst status first. */
  devices: ConsoleDevice[]
  total: number
}

/** A setting of a kind, for a form. */
export interface KindSetting {
  name: string
  says: string
  default: string
  isRequired: boolean
  /** All values, if there are only a few. */
  choices: readonly string[] | null
}

/** A kind as the console needs it: its facts, and its settings. */
export interface DeviceKind extends Pick<
  KindFacts,
  'kind' | 'label' | 'addedByOwners' | 'usualSettings' | 'controlledSettings' | 'secretFields'
> {
  isPhone: boolean
  isSimulated: boolean
  trial: string | null
  notAdded: string | null
  settings: KindSetting[]
}

const closed = { additionalProperties: false }
export const DeviceId = Type.String({ maxLength: 40 })
/** A day, or a week. */
const Hours = Type.Enum([24, 168])
/** Also the whole retention, for one device. */
const LongHours = Type.Enum([24, 168, 2_160])

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
  /** Returns the settings of each kind of device. */
  'devices/kinds': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, closed),
    async handle(): Promise<{ kinds: DeviceKind[] }> {
      return { kinds: await Promise.all(connectorKinds.flatMap((kind) => factsOf(kind) ?? []).map(viewKind)) }
    },
  }),
}

async function viewKind(facts: KindFacts): Promise<DeviceKind> {
  const { kind, label, addedByOwners, usualSettings, controlledSettings, secretFields } = facts
  const rules = (await loadConnectorKind(kind))?.settings ?? []
  return {
    kind,
    label,
    addedByOwners,
    usualSettings,
    ...(controlledSettings && { controlledSettings }),
    ...(secretFields && { secretFields }),
    isPhone: facts.isPhone === true,
    isSimulated: facts.isSimulated === true,
    trial: facts.trial ?? null,
    notAdded: facts.notAdded ?? null,
    settings: rules.map(({ name, says, default: byDefault, required, choices = null }) => ({
      name,
      says,
      default: byDefault,
      isRequired: required === true,
      choices,
    })),
  }
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
  refuse('not_found', { detail: `Device ${deviceId} not found in this account and mode.` })
