import { Type } from 'typebox'
import type { ConnectorKind } from '../../../connectors/connector.ts'
import { canOwnersAdd, isOwnerSetting, type KindFacts } from '../../../connectors/kind-facts.ts'
import { addedKinds, factsOf, loadConnectorKind } from '../../../connectors/registry.ts'
import { addDevice, type DeviceDeps, retireDevice, setDevice } from '../../../devices/core/device-store.ts'
import { type ListedDevice, listDevices } from '../../../devices/status/list-devices.ts'
import { revokeTokensOfPhone } from '../../../devices/phones/phone-tokens.ts'
import { refuse } from '../../../runtime/errors.ts'
import { invalidInput } from '../../../runtime/invalid-input.ts'
import { closed } from '../../../runtime/schemas.ts'
import { type AccountContext, defineCall } from '../core/call.ts'
import { DeviceId, noDevice } from './device-calls.ts'

const Name = Type.String({ maxLength: 100 })
const Senders = Type.Array(Type.String({ maxLength: 30 }), { maxItems: 1_000 })
const Pace = Type.Union([
  Type.Object({ partsPerWindow: Type.Integer(), windowSeconds: Type.Integer() }, closed),
  Type.Null(),
])
const Text = Type.String({ maxLength: 2_000 })
const Secrets = Type.Record(Type.String({ maxLength: 50 }), Text, { maxProperties: 10 })

export const deviceChangeCalls = {
  /** Adds a device with its settings. The kind decides what an owner can add and set. */
  'devices/add': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object(
      {
        kind: Type.Enum([...addedKinds]),
        name: Name,
        isShared: Type.Boolean(),
        senders: Senders,
        settings: Type.Record(Type.String({ maxLength: 50 }), Text, { maxProperties: 100 }),
        secrets: Secrets,
        pace: Pace,
      },
      closed,
    ),
    async handle(context, { isShared, kind, ...given }): Promise<{ deviceId: string }> {
      const { account, user, writer, actor } = context
      if (!user.isOperator) {
        if (isShared) throw notYours('Only the operator can share devices with all accounts.')
        const facts = factsFor(kind)
        if (!canOwnersAdd(facts, account.mode))
          throw notYours(facts.notAdded ?? 'Only the operator can add devices of this kind.')
      }
      const deps = await depsOf(context, kind)
      if (!user.isOperator) refuseOperatorSettings(kind, deps, given, given.settings)
      const accountId = isShared ? null : account.id
      const deviceId = await writer.write(async (tx) => {
        if (!user.isOperator) await refuseTooMany(context, tx, kind)
        return addDevice(tx, deps, { ...given, kind, accountId, mode: account.mode, actor })
      })
      notify(context, accountId)
      return { deviceId }
    },
  }),
  /** Changes only the given settings of a device. */
  'devices/change': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object(
      {
        deviceId: DeviceId,
        name: Type.Optional(Name),
        state: Type.Optional(Type.Enum(['enabled', 'disabled'])),
        isDraining: Type.Optional(Type.Boolean()),
        senders: Type.Optional(Senders),
        settings: Type.Optional(Type.Record(Type.String({ maxLength: 50 }), Type.Union([Text, Type.Null()]))),
        secrets: Type.Optional(Secrets),
        pace: Type.Optional(Pace),
        /** The number of one SIM of a phone, which is a sender; null removes it. */
        sim: Type.Optional(
          Type.Object(
            {
              slot: Type.Integer({ minimum: 1, maximum: 3 }),
              number: Type.Union([Type.String({ maxLength: 30 }), Type.Null()]),
            },
            closed,
          ),
        ),
      },
      closed,
    ),
    async handle(context, change): Promise<{ deviceId: string }> {
      const device = await findChangeable(context, change.deviceId)
      const deps = await depsOf(context, device.kind)
      if (!context.user.isOperator)
        refuseOperatorSettings(device.kind, deps, change, mergedSettings(device.settings, change.settings))
      const whole = { ...change, actor: context.actor }
      await context.writer.write((tx) => setDevice(tx, deps, whole))
      notify(context, device.accountId)
      return { deviceId: device.id }
    },
  }),
  /**
   * Removes a device permanently; messages not submitted to it are sent by other devices. For a lost phone,
   * the private token is revoked too: other phones that registered with it stay connected.
   */
  'devices/remove': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ deviceId: DeviceId, isLost: Type.Boolean() }, closed),
    async handle(context, { deviceId, isLost }): Promise<{ removed: boolean }> {
      const { writer, ids, clock, actor } = context
      const device = await findChangeable(context, deviceId)
      const removed = await writer.write(async (tx) => {
        const deps = { ids, nowMs: clock.now() }
        if (isLost && factsOf(device.kind)?.isPhone === true)
          await revokeTokensOfPhone(tx, deps, { deviceId, actor })
        return retireDevice(tx, deps, { deviceId, actor })
      })
      notify(context, device.accountId)
      return { removed }
    },
  }),
}

/**
 * Returns a device that the caller is allowed to change: one of the account in this mode, or a shared one for
 * the operator.
 */
export async function findChangeable(context: AccountContext, deviceId: string): Promise<ListedDevice> {
  const { read, account, user } = context
  const [device] = (await listDevices(read, { deviceId }, { afterId: null, limit: 1 })).devices
  const isOwn = device?.accountId === account.id
  const isShared = device?.accountId === null
  if (device === undefined || device.mode !== account.mode || !(isOwn || (isShared && user.isOperator)))
    throw isShared ? notYours('Only the operator can change a shared device.') : noDevice(deviceId)
  return device
}

/**
 * Refuses an owner every setting that the kind does not leave to owners: it could make this server connect to
 * an address of choice, or read a file. Names that are not settings of the kind are left to the check of the
 * device. `whole` are the settings that the device has then: they decide what it accepts.
 */
function refuseOperatorSettings(
  kind: string,
  { rules }: Pick<KindDeps, 'rules'>,
  {
    settings = {},
    secrets = {},
  }: {
    settings?: Readonly<Record<string, string | null>> | undefined
    secrets?: Readonly<Record<string, string>> | undefined
  },
  whole: Readonly<Record<string, string>>,
): void {
  const facts = factsFor(kind)
  const accepted = { ...rules, ...rules.rulesFor?.(whole) }
  const known = new Set(accepted.settings.map(({ name }) => name))
  const isOwners = (name: string): boolean =>
    isOwnerSetting(facts, name) || accepted.ownerSettings?.includes(name) === true
  const operatorOnly = Object.keys(settings).filter((each) => known.has(each) && !isOwners(each))
  const [name] = [...operatorOnly, ...(facts.ownerSecrets === true ? [] : Object.keys(secrets))]
  if (name !== undefined) throw notYours(`Only the operator can set ${name} of this kind of device.`)
}

/** Returns the settings that a device has after a change. */
const mergedSettings = (
  before: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | null>> = {},
): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...before, ...change }).filter((pair): pair is [string, string] => pair[1] !== null),
  )

function factsFor(kind: string): KindFacts {
  const facts = factsOf(kind)
  if (facts === null) throw refuse('not_found', { detail: `Unknown kind of device: ${kind}.` })
  return facts
}

async function refuseTooMany(
  { account, config }: AccountContext,
  tx: Parameters<typeof addDevice>[0],
  kind: string,
): Promise<void> {
  const max = config.simulatorsPerAccount
  const { count } = await tx
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', account.id)
    .where('kind', '=', kind)
    .where('state', '!=', 'retired')
    .executeTakeFirstOrThrow()
  if (max > 0 && count >= max)
    throw invalidInput([
      {
        code: 'too_many_items',
        detail: `This account has ${max} devices of the kind ${kind}, which is the limit. Remove one first.`,
      },
    ])
}

interface KindDeps extends DeviceDeps {
  rules: ConnectorKind
}

async function depsOf({ ids, clock, ports }: AccountContext, kind: string): Promise<KindDeps> {
  const rules = await loadConnectorKind(kind)
  if (rules === null) throw refuse('not_found', { detail: `Unknown kind of device: ${kind}.` })
  return { ids, nowMs: clock.now(), secretBox: ports.devices.secretBox, rules }
}

/** Notifies the live streams of the account; of all accounts for a shared device. */
const notify = ({ live }: AccountContext, accountId: string | null): void => live.changed(accountId)

const notYours = (detail: string) => refuse('not_permitted', { detail })
