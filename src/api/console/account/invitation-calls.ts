import { Type } from 'typebox'
import {
  listInvitations,
  type OneTimeLink,
  revokeInvitation,
} from '../../../accounts/people/one-time-links.ts'
import { refuse } from '../../../runtime/errors.ts'
import { signUpMode } from '../../../process/own-address.ts'
import { defineCall } from '../core/call.ts'
import { type InvitationAnswer, invite } from './invite.ts'

/** An invitation that nobody has accepted yet. */
export type OpenInvitation = Pick<OneTimeLink, 'id' | 'email' | 'role' | 'createdAt' | 'expiresAt'>

const closed = { additionalProperties: false }
/** More wait at one time only where sign-up should be open. */
const maxInvitations = 200

/** Invitations to open an account of one's own, where sign-up is not for everybody (`ONESIXTY_SIGNUP`). */
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
          detail: 'ONESIXTY_SIGNUP is closed: set it to invite, or open the account yourself.',
        })
      return invite(context, {
        email,
        accountId: null,
        role: null,
        subject: 'Open an account on onesixty',
        says: 'open an account of your own for sending SMS',
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

/** What the console shows of an invitation: nothing that lets anybody in. */
export const openInvitation = ({ id, email, role, createdAt, expiresAt }: OneTimeLink): OpenInvitation => ({
  id,
  email,
  role,
  createdAt,
  expiresAt,
})
