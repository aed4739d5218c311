import { hourMs } from '../../../runtime/clock.ts'
import { Type } from 'typebox'
import { readDevicesStatus, readSeenDevice } from '../../../devices/status/device-status.ts'
import { noneStranded, readStranded, type Stranded, type Waiting } from '../../../messages/queue/stranded.ts'
import { refuse } from '../../../runtime/errors.ts'
import { closed } from '../../../runtime/schemas.ts'
import { canOwnersAdd, isOwnerSetting, type KindFacts } from '../../../connectors/kind-facts.ts'
import { providerForms } from '../../../connectors/provider-forms.ts'
import type { SettingRule } from '../../../connectors/setting-rules.ts'
import type { Mode } from '../../../storage/tables/schema.ts'
import { connectorKinds, factsOf, loadConnectorKind, realKinds } from '../../../connectors/registry.ts'
import { type AccountContext, defineCall } from '../core/call.ts'
import { type ConsoleDevice, viewDevices } from './device-view.ts'

export interface DevicesAnswer {
  /** Up to 100, worst status first. */
  devices: ConsoleDevice[]
  total: number
  /** Live messages that only own devices carry, while none that is enabled can. */
  stranded: Waiting
}

/** A setting of a kind, for a form. */
export interface KindSetting {
  name: string
  summary: string
  default: string
  isRequired: boolean
  /** All values, if there are only a few. */
  choices: readonly string[] | null
}

/** What is asked for with one value of the setting by which a form is chosen. */
export interface ChosenForm {
  value: string
  title: string
  settings: KindSetting[]
  usualSettings: readonly string[]
  secretFields: NonNullable<KindFacts['secretFields']>
  requiredSecrets: readonly string[]
}

/** A kind as its viewer sees it: the settings and secrets that this person can change, and whether it can be added. */
export interface DeviceKind extends Pick<
  KindFacts,
  'kind' | 'label' | 'usualSettings' | 'controlledSettings' | 'secretFields' | 'portSetting' | 'nodeSetting'
> {
  /** Those of `secretFields` that a device must have. */
  requiredSecrets: readonly string[]
  isPhone: boolean
  /** The setting that decides what else is asked for, and what each of its values asks for; null for most kinds. */
  chosen: { by: string; forms: ChosenForm[] } | null
  isAddable: boolean
  /** Why it cannot be added; null without a reason. */
  notAdded: string | null
  settings: KindSetting[]
}

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
      const { read } = context
      const [{ devices, devicesTotal }, stranded] = await Promise.all([
        readDevicesStatus(read, viewer, viewer.nowMs),
        strandedOf(context),
      ])
      const { messages, expireBy } = stranded
      return {
        devices: await viewDevices(read, devices, viewer, stranded),
        total: devicesTotal,
        stranded: { messages, expireBy },
      }
    },
  }),
  'devices/one': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({ deviceId: DeviceId, hours: LongHours }, closed),
    async handle(context, { deviceId, hours }): Promise<ConsoleDevice> {
      const viewer = viewerOf(context, hours)
      const { read } = context
      const [seen, stranded] = await Promise.all([
        readSeenDevice(read, viewer, deviceId, viewer.nowMs),
        strandedOf(context),
      ])
      const [device] = seen === null ? [] : await viewDevices(read, [seen], viewer, stranded)
      if (device === undefined) throw noDevice(deviceId)
      return device
    },
  }),
  /** Returns each kind of device, as the viewer can use it. */
  'devices/kinds': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, closed),
    async handle({ account, user }): Promise<{ kinds: DeviceKind[] }> {
      const viewer = { isOperator: user.isOperator, mode: account.mode }
      const facts = connectorKinds.flatMap((kind) => factsOf(kind) ?? [])
      return { kinds: await Promise.all(facts.map((each) => viewKind(each, viewer))) }
    },
  }),
}

async function viewKind(
  facts: KindFacts,
  { isOperator, mode }: { isOperator: boolean; mode: Mode },
): Promise<DeviceKind> {
  const { kind, label, usualSettings, controlledSettings, secretFields, portSetting, nodeSetting } = facts
  const loaded = await loadConnectorKind(kind)
  const all = loaded?.settings ?? []
  const rules = all.filter(({ name }) => isOperator || isOwnerSetting(facts, name))
  const hasSecrets = isOperator || facts.ownerSecrets === true
  return {
    kind,
    label,
    usualSettings,
    ...(controlledSettings && { controlledSettings }),
    ...(hasSecrets && secretFields && { secretFields }),
    requiredSecrets: loaded?.requiredSecrets ?? [],
    ...(isOperator && portSetting !== undefined && { portSetting }),
    ...(isOperator && nodeSetting !== undefined && { nodeSetting }),
    isPhone: facts.isPhone === true,
    chosen:
      facts.chosenBy === undefined
        ? null
        : { by: facts.chosenBy, forms: formsFor({ ...facts, chosenBy: facts.chosenBy }, isOperator) },
    isAddable: isOperator || canOwnersAdd(facts, mode),
    notAdded: facts.notAdded ?? null,
    settings: rules.map(viewSetting),
  }
}

const viewSetting = (rule: SettingRule): KindSetting => ({
  name: rule.name,
  summary: rule.summary,
  default: rule.default,
  isRequired: rule.required === true,
  choices: rule.choices ?? null,
})

/** Forms that an owner cannot fill in, because they need an address, are the operator's. */
function formsFor(facts: KindFacts & { chosenBy: string }, isOperator: boolean): ChosenForm[] {
  return providerForms().flatMap(({ name, title, settings, declared, ownerSettings, secrets }) => {
    const isShown = (rule: SettingRule): boolean =>
      rule.name !== facts.chosenBy &&
      (isOperator || isOwnerSetting(facts, rule.name) || ownerSettings.includes(rule.name))
    const isWithheld = settings.some(
      (rule) => rule.required === true && !isShown(rule) && rule.name !== facts.chosenBy,
    )
    if (isWithheld) return []
    const fields = secrets.map((secret) => [secret.name, { label: secret.name, hint: secret.says }] as const)
    return [
      {
        value: name,
        title,
        settings: settings.filter(isShown).map(viewSetting),
        usualSettings: [...declared, ...facts.usualSettings],
        secretFields: Object.fromEntries(fields),
        requiredSecrets: secrets.flatMap((secret) => (secret.isRequired ? [secret.name] : [])),
      },
    ]
  })
}

/** Only live messages can cost nothing. */
const strandedOf = async ({ read, account }: AccountContext): Promise<Stranded> =>
  account.mode === 'live' ? readStranded(read, account.id, realKinds) : noneStranded

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
