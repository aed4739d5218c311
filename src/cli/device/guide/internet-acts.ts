import { outcomeOfReach } from '../../../devices/phones/guide-outcome.ts'
import { phoneAddress } from '../../../devices/phones/phone-address.ts'
import { mintPhoneToken, revokeUnusedToken } from '../../../devices/phones/phone-tokens.ts'
import { beginReachCheck } from '../../../devices/phones/reach-checks.ts'
import { cliActor } from '../../core/command-context.ts'
import { onlyAPhone, reachPhoneAddress } from '../../core/phone-address-check.ts'
import { waitForStep } from '../wait-for-step.ts'
import { type GuideSession, phoneOwner } from './guide-session.ts'

/** Tries this server's own address, and shows the link that a phone opens, until one did or the user continues without. */
export async function showOwnAddress(session: GuideSession): Promise<void> {
  const { tools, storage, screen, terminal } = session
  await tryOwnAddress(session)
  const { nonce, link } = await storage.writer.write((tx) =>
    beginReachCheck(
      tx,
      { nowMs: tools.clock.now(), randomBytes: tools.randomBytes },
      phoneAddress(tools.config),
    ),
  )
  session.reachNonce = nonce
  screen.code('The link, for the browser of the phone:', link)
  terminal.print('Enter continues without it.')
  await waitForStep(session, ['address'], { pastFailures: true })
}

async function tryOwnAddress(session: GuideSession): Promise<void> {
  const { tools, screen } = session
  const reach = await reachPhoneAddress(tools)
  const address = outcomeOfReach(reach, `${phoneAddress(tools.config)}: ${onlyAPhone}`)
  if (!address.isOk) screen.failed(address)
  session.facts = { ...session.facts, address }
}

/** Shows what to enter in the app, once, and waits for the phone. */
export async function register(session: GuideSession): Promise<void> {
  const { tools, screen, subject, facts } = session
  if (facts.way === 'internet' && subject.tokenId === null) {
    const { tokenId, token } = (session.invitation = await invite(session))
    subject.tokenId = tokenId
    screen.code('API URL:', phoneAddress(tools.config))
    screen.code('Private Token, shown only once:', token)
    if (facts.address?.isOk === false) session.terminal.print('Enter tries the address again.')
  }
  const isTyped = (await waitForStep(session, ['address', 'login'])) === 'typed'
  if (isTyped && session.facts.address?.isOk === false) await tryOwnAddress(session)
}

/** Returns the private token that no phone has used yet, if the phone has the same owner; else another one in its place. */
async function invite(session: GuideSession): Promise<NonNullable<GuideSession['invitation']>> {
  const { invitation, tools, storage } = session
  const owner = phoneOwner(session)
  if (invitation?.accountId === owner.accountId && invitation.mode === owner.mode) return invitation
  await withdrawInvitation(session)
  const minted = await storage.writer.write((tx) =>
    mintPhoneToken(tx, { ...tools, nowMs: tools.clock.now() }, { ...owner, actor: cliActor }),
  )
  return { ...owner, ...minted }
}

/** Revokes the private token of this guide if no phone has used it. Returns whether it did. */
export async function withdrawInvitation({ invitation, tools, storage }: GuideSession): Promise<boolean> {
  if (invitation === null) return false
  const deps = { ...tools, nowMs: tools.clock.now() }
  return storage.writer.write((tx) => revokeUnusedToken(tx, deps, { ...invitation, actor: cliActor }))
}
