import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { requireAccount } from '../../../accounts/core/list-accounts.ts'
import { loadConnectorKind, phoneKinds } from '../../../connectors/registry.ts'
import { localLogin, type LocalTrial, tryLocalPhone } from '../../../connectors/try-local.ts'
import type { GuideKnown, GuideOutcome } from '../../../devices/phones/connect-guide.ts'
import { appAddress, type GuideWay } from '../../../devices/phones/guide-words.ts'
import { outcomeOfReach } from '../../../devices/phones/guide-outcome.ts'
import { createPhoneDeps } from '../../../devices/phones/phone-deps.ts'
import { readGuideKnown } from '../../../dispatch/devices/guide-known.ts'
import { resumeLocalPhone } from '../../../dispatch/devices/store-local-phone.ts'
import { ownCommandOverNetwork } from '../../../process/own-command.ts'
import { phoneApiUrl } from '../../../process/own-address.ts'
import { recommendWay } from '../../../reach/recommend-way.ts'
import { refuse } from '../../../runtime/errors.ts'
import { closed } from '../../../runtime/schemas.ts'
import { type AccountContext, defineCall } from '../core/call.ts'
import { qrCodeOf, type QrCode } from '../core/qr-code.ts'
import { DeviceId } from './device-calls.ts'
import { findChangeable } from './device-change-calls.ts'

/** What the guide begins with. */
export interface GuideBeginning {
  recommended: GuideWay
  /** Whether the caller can make this server visit a phone, which connects to any address of its network. */
  canVisit: boolean
  appCode: QrCode
}

/** The result of a try of a Local Server; without a device something has to be changed first. */
export interface LocalConnection extends Pick<LocalTrial, 'address' | 'login'> {
  deviceId: string | null
}

const Id = Type.String({ maxLength: 40 })
const orNull = (id: typeof Id) => Type.Union([id, Type.Null()])

export const connectGuideCalls = {
  'devices/guide-beginning': defineCall({
    kind: 'read',
    access: 'owner',
    input: Type.Object({}, closed),
    async handle({ account, config, ports, publicUrl, user }): Promise<GuideBeginning> {
      const address = phoneApiUrl(config, publicUrl())
      const recommended = await recommendWay(address, () =>
        ports.devices.addressTries.run(account.id, address),
      )
      const canVisit = user.isOperator
      return {
        recommended: canVisit ? recommended : 'internet',
        canVisit,
        appCode: qrCodeOf(appAddress),
      }
    },
  }),
  /** Connects to the address that phones use, as a phone does. */
  'devices/try-address': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({}, closed),
    async handle({ account, config, ports, publicUrl }): Promise<GuideOutcome> {
      const address = phoneApiUrl(config, publicUrl())
      const reach = await ports.devices.addressTries.run(account.id, address)
      return outcomeOfReach(reach, `${address} is reached from this machine.`)
    },
  }),
  /** Returns what is known about a guided connect: the phone, the test SMS and its answer. */
  'devices/guide': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({ tokenId: orNull(Id), deviceId: orNull(DeviceId), messageId: orNull(Id) }, closed),
    async handle(context, subject): Promise<GuideKnown> {
      const { account, read, clock } = context
      if (subject.tokenId !== null) await refuseForeignToken(context, subject.tokenId)
      if (subject.deviceId !== null) await findChangeable(context, subject.deviceId)
      const reader = { read, nowMs: clock.now(), word: ownCommandOverNetwork() }
      return readGuideKnown(reader, { accountId: account.id, mode: account.mode }, subject)
    },
  }),
  /**
   * Tries the Local Server of a phone, first without the password, and adds the phone. The operator alone: this server
   * connects to any address of its network.
   */
  'devices/connect-local': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object(
      {
        accountId: Id,
        mode: Type.Enum(['live', 'test']),
        isShared: Type.Boolean(),
        address: Type.String({ maxLength: 260 }),
        user: Type.String({ maxLength: 100 }),
        password: Type.String({ maxLength: 200 }),
      },
      closed,
    ),
    async handle(context, { accountId, mode, isShared, ...given }): Promise<LocalConnection> {
      const { read, writer, clock, ids, config, ports, live, actor } = context
      await requireAccount(read, accountId)
      const [kindName = ''] = phoneKinds
      const kind = await loadConnectorKind(kindName)
      if (kind === null) throw refuse('not_found', { detail: `Unknown kind of device: ${kindName}.` })
      const login = localLogin(given.address.trim(), given.user.trim(), given.password)
      const { device, ...tried } = await tryLocalPhone(kind, login, clock)
      if (device === null) return { ...tried, deviceId: null }
      const owner = { accountId: isShared ? null : accountId, mode, actor }
      const { secretBox } = ports.devices
      const deps = createPhoneDeps({ ids, nowMs: clock.now(), secretBox, randomBytes, config }, kind)
      const deviceId = await writer.write((tx) => resumeLocalPhone(tx, deps, owner, { given: login, device }))
      live.changed(owner.accountId)
      return { ...tried, deviceId }
    },
  }),
}

async function refuseForeignToken({ read, account, user }: AccountContext, tokenId: string): Promise<void> {
  const row = await read
    .selectFrom('phone_tokens')
    .select(['account_id', 'mode'])
    .where('id', '=', tokenId)
    .executeTakeFirst()
  const isOwn = row?.account_id === account.id || (row?.account_id === null && user.isOperator)
  if (row === undefined || !isOwn || row.mode !== account.mode)
    throw refuse('not_found', { detail: 'Private token not found in this account and mode.' })
}
