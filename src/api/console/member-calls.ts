import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { changeRole, listMembers, type Member, removeMember } from '../../accounts/members.ts'
import {
  issueLink,
  listInvitations,
  type OneTimeLink,
  revokeInvitation,
} from '../../accounts/one-time-links.ts'
import { rfc3339 } from '../../clock.ts'
import { linkAddress } from '../../own-address.ts'
import { type AccountContext, defineCall } from './call.ts'

export interface MembersAnswer {
  members: Member[]
  invitations: Pick<OneTimeLink, 'id' | 'email' | 'role' | 'createdAt' | 'expiresAt'>[]
}

/** An invitation that was just made. Its link is given this once; whoever has it can enter. */
export interface InvitationAnswer {
  link: string
  expiresAt: number
  /** Whether the mail server took a mail with the link. */
  isMailed: boolean
}

/** An account has few people; more are found by nobody on one page. */
const mostPeople = 200

const closed = { additionalProperties: false }
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
        listMembers(read, { accountId, limit: mostPeople }),
        listInvitations(read, { accountId, nowMs: clock.now(), limit: mostPeople }),
      ])
      return {
        members,
        invitations: invitations.map(({ id, email, role: as, createdAt, expiresAt }) => ({
          id,
          email,
          role: as,
          createdAt,
          expiresAt,
        })),
      }
    },
  }),
  'members/invite': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ email: Type.String({ maxLength: 254 }), role }, closed),
    async handle(context, given): Promise<InvitationAnswer> {
      const { writer, account, actor, config, publicUrl } = context
      const { token, link } = await writer.write((tx) =>
        issueLink(
          tx,
          { ...depsOf(context), randomBytes },
          {
            purpose: 'invitation',
            email: given.email,
            accountId: account.id,
            role: given.role,
            lifeMs: config.invitationDays * 86_400_000,
            actor,
          },
        ),
      )
      const address = linkAddress(publicUrl(), token)
      const isMailed = await mailInvitation(context, link, address)
      return { link: address, expiresAt: link.expiresAt, isMailed }
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
  /** Leaves the account oneself. */
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

async function mailInvitation(
  { ports, user, account, publicUrl }: AccountContext,
  { email, expiresAt }: OneTimeLink,
  link: string,
): Promise<boolean> {
  const { mailer } = ports.identity
  if (mailer === null) return false
  return mailer.send({
    to: email,
    subject: `Join ${account.name} on onesixty`,
    text: `${user.name} (${user.email}) invites you to send SMS with the account
${account.name} at ${publicUrl()}. Accept it here:

${link}

The link works once, until ${rfc3339(expiresAt)}.
`,
  })
}
