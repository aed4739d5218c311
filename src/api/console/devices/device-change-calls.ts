import { Type } from 'typebox'
import { isOwnerSetting, type KindFacts } from '../../../connectors/kind-facts.ts'
import { addedKinds, factsOf, loadConnectorKind } from '../../../connectors/registry.ts'
import { addDevice, type DeviceDeps, retireDevice, setDevice } from '../../../devices/core/device-store.ts'
import { type ListedDevice, listDevices } from '../../../devices/status/list-devices.ts'
import { revokeTokensOfPhone } from '../../../devices/phones/phone-tokens.ts'
import { refuse } from '../../../runtime/errors.ts'
import { invalidInput } from '../../../runtime/invalid-input.ts'
import { type AccountContext, defineCall } from '../core/call.ts'
import { DeviceId, noDevice } from './device-calls.ts'

const closed = { additionalProperties: false }
const Name = Type.String({ maxLength: 100 })
const Senders = Type.Array(Type.String({ maxLength: 30 }), { maxItems: 1_000 })
const Pace = Type.Union([
  Type.Object({ partsPerWindow: Type.Integer(), windowSeconds: Type.Integer() }, closed),
  Type.Null(),
])
const Text = Type.String({ maxLength: 2_000 })
const Secrets = Type.Record(Type.String({ maxLength: 50 }), Text, { maxProperties: 10 })

export const deviceChangeCalls = {
  /** Adds a device with its settings; what an owner can add and set, its kind says. */
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
        if (isShared) throw notYours('Only the operator shares devices with every account.')
        const { addedByOwners, notAdded } = factsFor(kind)
        if (addedByOwners === 'never' || (addedByOwners === 'in_test_mode' && account.mode === 'live'))
          throw notYours(notAdded ?? 'The operator adds devices of this kind.')
      }
      const deps = await depsOf(context, kind)
      if (!user.isOperator) refuseOperatorSettings(kind, deps, given.settings)
      const accountId = isShared ? null : account.id
      const deviceId = await writer.write(async (tx) => {
        if (!user.isOperator) await refuseTooMany(context, tx, kind)
        return addDevice(tx, deps, { ...given, kind, accountId, mode: account.mode, actor })
      })
      tell(context, accountId)
      return { deviceId }
    },
  }),
  /** Changes what is named of a device and nothing else. */
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
        /** The number of one SIM of a phone, which is a sender; null takes it away. */
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
      if (!context.user.isOperator) refuseOperatorSettings(device.kind, deps, change.settings ?? {})
      const whole = { ...change, actor: context.actor }
      await context.writer.write((tx) => setDevice(tx, deps, whole))
      tell(context, device.accountId)
      return { deviceId: device.id }
    },
  }),
  /**
   * Takes a device out of service for ever; what it was not handed goes by others. Of a phone that was lost the private token is revoked
   * too: others that registered with it stay connected.
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
      tell(context, device.accountId)
      return { removed }
    },
  }),
}

/** A device that the caller may change: the account's own in this mode, or a shared one when the caller is the operator. */
export async function findChangeable(context: AccountContext, deviceId: string): Promise<ListedDevice> {
  const { read, account, user } = context
  const [device] = (await listDevices(read, { deviceId }, { afterId: null, limit: 1 })).devices
  const isOwn = device?.accountId === account.id
  const isShared = device?.accountId === null
  if (device === undefined || device.mode !== account.mode || !(isOwn || (isShared && user.isOperator)))
    throw isShared ? notYours('A shared device is changed by the operator.') : noDevice(deviceId)
  return device
}

/**
 * Refuses an owner every setting that the kind does not leave to owners: it may make this server connect to an address of choice, or read a file.
 * What is no setting of the kind is left to the check of the device.
 */
function refuseOperatorSettings(
  kind: string,
  { rules }: Pick<DeviceDeps, 'rules'>,
  settings: Readonly<Record<string, string | null>>,
): void {
  const facts = factsFor(kind)
  const known = new Set(rules.settings.map(({ name }) => name))
  const name = Object.keys(settings).find((each) => known.has(each) && !isOwnerSetting(facts, each))
  if (name !== undefined)
    throw notYours(`Only the operator sets ${name}: it makes this server connect to an address of choice.`)
}

function factsFor(kind: string): KindFacts {
  const facts = factsOf(kind)
  if (facts === null)
    throw refuse('not_found', { detail: `This version knows no devices of the kind ${kind}.` })
  return facts
}

async function refuseTooMany(
  { account, config }: AccountContext,
  tx: Parameters<typeof addDevice>[0],
  kind: string,
): Promise<void> {
  const most = config.simulatorsPerAccount
  const { count } = await tx
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', account.id)
    .where('kind', '=', kind)
    .where('state', '!=', 'retired')
    .executeTakeFirstOrThrow()
  if (most > 0 && count >= most)
    throw invalidInput([
      { code: 'too_many_items', detail: `This account has ${most} simulators already; remove one first.` },
    ])
}

async function depsOf({ ids, clock, ports }: AccountContext, kind: string): Promise<DeviceDeps> {
  const rules = await loadConnectorKind(kind)
  if (rules === null)
    throw refuse('not_found', { detail: `This version knows no devices of the kind ${kind}.` })
  return { ids, nowMs: clock.now(), secretBox: ports.devices.secretBox, rules }
}

/** Whoever looks on sees it at once; of a shared device everybody. */
const tell = ({ live }: AccountContext, accountId: string | null): void => live.changed(accountId)

const notYours = (detail: string) => refuse('not_permitted', { detail })
