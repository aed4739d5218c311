import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { beginReachCheck, readReachCheck } from '../../../devices/phones/reach-checks.ts'
import { wayOf } from '../../../devices/phones/reach-way.ts'
import { phoneApiUrl } from '../../../process/own-address.ts'
import { ownAddresses } from '../../../reach/find-addresses.ts'
import type { ReachStep } from '../../../reach/reach-step.ts'
import { closed } from '../../../runtime/schemas.ts'
import { defineCall } from '../core/call.ts'
import { qrCodeOf, type QrCode } from '../core/qr-code.ts'

/** What this machine found at the address of phones, and the link with which a phone shows that it reaches it. */
export interface ReachInvitation {
  /** Identifies the check, for `devices/reach-progress`. */
  nonce: string
  link: string
  linkCode: QrCode
  /** This machine reached it: only a phone can show that a phone does. */
  isReached: boolean
  steps: readonly ReachStep[]
}

/** The phone that opened the link. */
export interface ReachedBy {
  atMs: number
  from: string
  /** In words: the same network (Wi-Fi), the internet. */
  way: string
}

export const reachCalls = {
  /** Tries the address of phones, and creates a link that a phone opens; valid for a day. */
  'devices/begin-reach': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({}, closed),
    async handle({ account, config, publicUrl, ports, writer, clock }): Promise<ReachInvitation> {
      const url = phoneApiUrl(config, publicUrl())
      const { isReached, steps } = await ports.devices.addressTries.run(account.id, url)
      const { nonce, link } = await writer.write((tx) =>
        beginReachCheck(tx, { nowMs: clock.now(), randomBytes }, url),
      )
      return { nonce, link, linkCode: qrCodeOf(link), isReached, steps }
    },
  }),
  /** Returns the phone that opened the link of a check; null while none has. Knowing the nonce is the permission. */
  'devices/reach-progress': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({ nonce: Type.String({ pattern: '^[\\w-]{22}$' }) }, closed),
    async handle({ read }, { nonce }): Promise<{ reached: ReachedBy | null }> {
      const reached = await readReachCheck(read, nonce)
      return { reached: reached === null ? null : { ...reached, way: wayOf(reached.from, ownAddresses()) } }
    },
  }),
}
