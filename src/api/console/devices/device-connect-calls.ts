import { fillOwnCommand, ownCommandOverNetwork } from '../../../process/own-command.ts'
import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { loadConnectorKind } from '../../../connectors/registry.ts'
import { tryDevice } from '../../../connectors/try-device.ts'
import { failureOf } from '../../../reach/reach.ts'
import { phoneApiUrl } from '../../../process/own-address.ts'
import { mintPhoneToken, revokeUnusedToken } from '../../../devices/phones/phone-tokens.ts'
import { refuse } from '../../../runtime/errors.ts'
import { closed } from '../../../runtime/schemas.ts'
import { appendAudit } from '../../../storage/seam/audit-log.ts'
import { defineCall } from '../core/call.ts'
import { consoleCaller } from '../core/console-caller.ts'
import { DeviceId } from './device-calls.ts'
import { findChangeable } from './device-change-calls.ts'
import { qrCodeOf, type QrCode } from '../core/qr-code.ts'
import { countSend, sendFromConsole } from '../messages/send-from-console.ts'

/** What to enter in the app of a phone, and what prevents the phone from reaching this server. */
export interface PhoneInvitation {
  tokenId: string
  /** Shown only once. */
  token: string
  address: string
  addressCode: QrCode
  tokenCode: QrCode
  trouble: { part: string; summary: string; remedy: string | null } | null
}

export const deviceConnectCalls = {
  /**
   * Creates a private token for phones, and returns what to enter in the app. `former` is one that the page created before:
   * it is revoked if no phone has used it.
   */
  'devices/invite-phone': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object(
      { isShared: Type.Boolean(), former: Type.Optional(Type.String({ maxLength: 40 })) },
      closed,
    ),
    async handle(context, { isShared, former }): Promise<PhoneInvitation> {
      const { account, user, actor, ids, clock, publicUrl } = context
      if (isShared && !user.isOperator)
        throw refuse('not_permitted', { detail: 'Only the operator can share phones with all accounts.' })
      const address = phoneApiUrl(context.config, publicUrl())
      const trouble = failureOf(await context.ports.devices.addressTries.run(account.id, address))
      const owner = { accountId: isShared ? null : account.id, mode: account.mode, actor }
      const { tokenId, token } = await context.writer.write(async (tx) => {
        const deps = { ids, nowMs: clock.now(), randomBytes }
        if (former !== undefined) await revokeUnusedToken(tx, deps, { ...owner, tokenId: former })
        return mintPhoneToken(tx, deps, owner)
      })
      return { tokenId, token, address, trouble, addressCode: qrCodeOf(address), tokenCode: qrCodeOf(token) }
    },
  }),
  /**
   * Sends a real SMS, which is counted and charged as any. With a sender of the device itself, only devices
   * with that sender send it.
   */
  'devices/send-test': defineCall({
    kind: 'change',
    access: 'member',
    input: Type.Object(
      {
        to: Type.String({ maxLength: 30 }),
        text: Type.String({ maxLength: 1_600 }),
        from: Type.Union([Type.String({ maxLength: 30 }), Type.Null()]),
        /** Identifies this send: the same key sends once. */
        key: Type.String({ pattern: '^[A-Za-z0-9-]{8,64}$' }),
      },
      closed,
    ),
    async handle(context, { to, text, from, key }): Promise<{ messageId: string }> {
      const body = { to, text, ...(from === null ? {} : { from }) }
      const caller = await consoleCaller(context)
      countSend(context, caller)
      const sent = await sendFromConsole(context, caller, body, key)
      return { messageId: sent.messages[0]?.id ?? '' }
    },
  }),
  /** Tests whether the SMSC accepts the bind, and sends nothing. */
  'devices/try': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ deviceId: DeviceId }, closed),
    async handle(context, { deviceId }): Promise<{ isOk: boolean; summary: string; remedy: string | null }> {
      const { read, clock, ids, ports, writer, actor } = context
      const device = await findChangeable(context, deviceId)
      const kind = await loadConnectorKind(device.kind)
      const { secretBox, trials, outgoing } = ports.devices
      const trial = await trials.run(deviceId, () =>
        tryDevice({ read, clock, secretBox, outgoing }, device, kind),
      )
      if (trial === null) return { isOk: true, summary: nothingToTry, remedy: null }
      const detail = { deviceId, ok: trial.ok }
      await writer.write((tx) =>
        appendAudit(
          tx,
          { ids, nowMs: clock.now() },
          { accountId: device.accountId, actor, action: 'device.tried', detail },
        ),
      )
      const { ok: isOk, summary, remedy } = trial
      return {
        isOk,
        summary,
        remedy: remedy === null ? null : fillOwnCommand(remedy, ownCommandOverNetwork()),
      }
    },
  }),
}

const nothingToTry = 'The device is bound, so there is nothing to test: many providers limit sessions.'
