import { Type } from 'typebox'
import {
  listInvitations,
  type OneTimeLink,
  revokeInvitation,
} from '../../../accounts/people/one-time-links.ts'
import { refuse } from '../../../runtime/errors.ts'
import { closed } from '../../../runtime/schemas.ts'
import { signUpMode } from '../../../process/own-address.ts'
import { defineCall } from '../core/call.ts'
import { type InvitationAnswer, invite } from './invite.ts'

/** An invitation that is not accepted yet. */
export type OpenInvitation = Pick<OneTimeLink, 'id' | 'email' | 'role' | 'createdAt' | 'expiresAt'>

/** More open invitations exist only where sign-up should be open anyway. */
const maxInvitations = 200

/** Invitations to create an own account, for instances where sign-up is restricted (`ONESIXTY_SIGNUP`). */
export const invitationCalls = {
  'operator/invitations': defineCall({
    kind: 'read',
    access: 'operator',
    input: Type.Object({}, closed),
    async handle({ read, clock }): Promise<{ invitations: OpenInvitation[] }> {
      const asked = { accountId: null, nowMs: clock.now(), limit: maxInvitations }
      return { invitations: (await listInvitations(read, asked)).map(openInvitation) }
    },
  }),
  'operator/invite': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object({ email: Type.String({ maxLength: 254 }) }, closed),
    async handle(context, { email }): Promise<InvitationAnswer> {
      if (signUpMode(context.config) === 'closed')
        throw refuse('sign_up_closed', {
          detail: 'ONESIXTY_SIGNUP is `closed`. Set it to `invite`, or create the account yourself.',
        })
      return invite(context, {
        email,
        accountId: null,
        role: null,
        subject: 'Create an account on onesixty',
        purpose: 'create your own account for sending SMS',
      })
    },
  }),
  'operator/revoke-invitation': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object({ linkId: Type.String({ maxLength: 40 }) }, closed),
    handle: async ({ writer, ids, clock, actor }, { linkId }): Promise<{ revoked: boolean }> => ({
      revoked: await writer.write((tx) =>
        revokeInvitation(tx, { ids, nowMs: clock.now() }, { linkId, accountId: null, actor }),
      ),
    }),
  }),
}

/** Returns what the console shows of an invitation: nothing that grants access. */
export const openInvitation = ({ id, email, role, createdAt, expiresAt }: OneTimeLink): OpenInvitation => ({
  id,
  email,
  role,
  createdAt,
  expiresAt,
})
