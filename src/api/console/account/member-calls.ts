import { Type } from 'typebox'
import { closed } from '../../../runtime/schemas.ts'
import { changeRole, listMembers, type Member, removeMember } from '../../../accounts/people/members.ts'
import { listInvitations, revokeInvitation } from '../../../accounts/people/one-time-links.ts'
import { type AccountContext, defineCall } from '../core/call.ts'
import { openInvitation, type OpenInvitation } from './invitation-calls.ts'
import { type InvitationAnswer, invite } from './invite.ts'

export interface MembersAnswer {
  members: Member[]
  invitations: OpenInvitation[]
}

/** Accounts have few members; a page shows at most this many. */
const maxMembers = 200

const role = Type.Union([Type.Literal('owner'), Type.Literal('member')])
const userId = Type.String({ maxLength: 40 })

export const memberCalls = {
  'members/list': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, closed),
    async handle({ read, clock, account }): Promise<MembersAnswer> {
      const accountId = account.id
      const [members, invitations] = await Promise.all([
        listMembers(read, { accountId, limit: maxMembers }),
        listInvitations(read, { accountId, nowMs: clock.now(), limit: maxMembers }),
      ])
      return {
        members,
        invitations: invitations.map(openInvitation),
      }
    },
  }),
  'members/invite': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ email: Type.String({ maxLength: 254 }), role }, closed),
    handle(context, given): Promise<InvitationAnswer> {
      const { account } = context
      return invite(context, {
        ...given,
        accountId: account.id,
        subject: `Join ${account.name} on onesixty`,
        purpose: `send SMS with the account\n${account.name}`,
      })
    },
  }),
  'members/revoke-invitation': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ linkId: Type.String({ maxLength: 40 }) }, closed),
    handle: async (context, { linkId }): Promise<{ revoked: boolean }> => ({
      revoked: await context.writer.write((tx) =>
        revokeInvitation(tx, depsOf(context), { linkId, ...ofAccount(context) }),
      ),
    }),
  }),
  'members/change-role': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ userId, role }, closed),
    async handle(context, given): Promise<{ changed: true }> {
      await context.writer.write((tx) => changeRole(tx, depsOf(context), { ...given, ...ofAccount(context) }))
      return { changed: true }
    },
  }),
  'members/remove': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ userId }, closed),
    async handle(context, given): Promise<{ removed: true }> {
      await context.writer.write((tx) =>
        removeMember(tx, depsOf(context), { ...given, ...ofAccount(context) }),
      )
      return { removed: true }
    },
  }),
  /** Removes the user from the account, at their own request. */
  'members/leave': defineCall({
    kind: 'change',
    access: 'member',
    input: Type.Object({}, closed),
    async handle(context): Promise<{ removed: true }> {
      await context.writer.write((tx) =>
        removeMember(tx, depsOf(context), { userId: context.user.id, ...ofAccount(context) }),
      )
      return { removed: true }
    },
  }),
}

const depsOf = ({ ids, clock }: AccountContext) => ({ ids, nowMs: clock.now() })
const ofAccount = ({ account, actor }: AccountContext) => ({ accountId: account.id, actor })
