import { emailFaults } from '../../accounts/core/accounts.ts'
import { issueEmailLink } from '../../accounts/people/email-links.ts'
import { issuePasswordLink } from '../../accounts/people/password-link.ts'
import { removePasskeys } from '../../accounts/people/passkeys.ts'
import { removeSecondFactor } from '../../accounts/people/passwords.ts'
import { refuseTaken } from '../../accounts/people/users.ts'
import { hourMs, rfc3339 } from '../../runtime/clock.ts'
import { refuse } from '../../runtime/errors.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { emailLinkAddress, ownAddress } from '../../process/own-address.ts'
import { command, type CommandGroup } from '../core/command.ts'
import { cliActor } from '../core/command-context.ts'

const resetLink = command({
  summary: 'Creates a link with which a user sets a new password for the console.',
  details:
    'Give the link to that person only: it works once, and ends all sessions of the user. The old password works until then. The first such link of a user also removes the second factor and passkeys, because the e-mail address was not confirmed before.',
  arguments: [],
  options: {
    email: {
      type: 'text',
      value: 'EMAIL',
      summary: 'E-mail address that the user signs in with.',
      required: true,
    },
    'remove-second-factor': {
      type: 'flag',
      summary: 'Also remove the second factor and passkeys now, for a user who has lost the device.',
    },
  },
  async run(tools, { options }) {
    const email = options.email.trim().toLowerCase()
    const removes = options['remove-second-factor']
    const { userId, link } = await tools.withStorage((storage) =>
      storage.writer.write(async (tx) => {
        const deps = { ...tools, nowMs: tools.clock.now() }
        const user = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
        if (user === undefined) throw refuse('not_found', { detail: `User ${email} not found.` })
        if (removes) {
          await removeSecondFactor(tx, deps, { userId: user.id, actor: cliActor })
          await removePasskeys(tx, deps, { userId: user.id, actor: cliActor })
        }
        return {
          userId: user.id,
          link: await issuePasswordLink(
            tx,
            { ...deps, publicUrl: ownAddress(tools.config) },
            { userId: user.id, evenSo: true, actor: cliActor },
          ),
        }
      }),
    )
    if (link === null) throw new Error('No link was created, although evenSo was set.')
    const until = rfc3339(link.expiresAt)
    return {
      json: { user_id: userId, purpose: link.purpose, link: link.address, expires_at: until },
      text: `${link.address}\nThe link works once, until ${until}.`,
    }
  },
})

const emailLink = command({
  summary: 'Creates a link that changes or confirms the e-mail address of a user.',
  details:
    'For a server that sends no mail, where the console cannot change an address. Give the link to that person only: it works once, in a browser that is signed in as this user, and the former address works until then. The first confirmed address of a user removes second factor and passkeys that were added before and ends other sessions.',
  arguments: [],
  options: {
    email: {
      type: 'text',
      value: 'EMAIL',
      summary: 'E-mail address that the user signs in with.',
      required: true,
    },
    to: { type: 'text', value: 'EMAIL', summary: 'New address. Default: the present one, to confirm it.' },
  },
  async run(tools, { options }) {
    const email = options.email.trim().toLowerCase()
    const wanted = (options.to ?? email).trim().toLowerCase()
    const faults = emailFaults(wanted)
    if (faults.length > 0) throw invalidInput(faults)
    const link = await tools.withStorage((storage) =>
      storage.writer.write(async (tx) => {
        const user = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
        if (user === undefined) throw refuse('not_found', { detail: `User ${email} not found.` })
        await refuseTaken(tx, { userId: user.id, email: wanted })
        const lifeMs = tools.config.resetLinkHours * hourMs
        return issueEmailLink(
          tx,
          { ...tools, nowMs: tools.clock.now() },
          { userId: user.id, email: wanted, lifeMs, actor: cliActor },
        )
      }),
    )
    const address = emailLinkAddress(ownAddress(tools.config), link.token)
    const until = rfc3339(link.expiresAt)
    return {
      json: { user_id: link.userId, email: link.email, link: address, expires_at: until },
      text: `${address}\nThe link works once, until ${until}.`,
    }
  },
})

export const userCommands: CommandGroup = {
  summary: 'Users of the console.',
  commands: { 'reset-link': resetLink, 'email-link': emailLink },
}
