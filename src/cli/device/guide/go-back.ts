import type { GuideStep } from '../../../devices/phones/connect-guide.ts'
import { stepBack } from '../../../devices/phones/guide-back.ts'
import { ownCommand } from '../../../process/own-command.ts'
import type { GuideSession } from './guide-session.ts'

/** What a user types to return to the step before. */
export const backWord = 'back'

/** A user wants to return to the step before; thrown by what asks, and caught by the guide. */
export class BackTyped extends Error {}

/** Returns what was typed; throws when it means to return. */
export function unlessBack(typed: string): string {
  if (typed === backWord) throw new BackTyped()
  return typed
}

/** Asks a question of a step; after its time it says what the cause usually is. */
export const askStep = async (
  { terminal, tools }: Pick<GuideSession, 'terminal' | 'tools'>,
  { usual }: Pick<GuideStep, 'usual'>,
  prompt: string,
): Promise<string> =>
  unlessBack(
    await terminal.ask(prompt, {
      schedule: (run) => tools.clock.schedule(usual.afterMs, run),
      text: usual.text,
    }),
  )

/** Undoes the last choice. A phone that is left stays connected, and a private token that no phone has used is kept. */
export function goBack(session: GuideSession): void {
  const { terminal, screen, facts, subject } = session
  const undone = stepBack(facts)
  if (undone === null) return terminal.print('This is the first step.')
  if (undone.forgets === 'phone') {
    const id = facts.phone?.deviceId ?? ''
    terminal.print(`${id} stays connected; ${ownCommand()} device remove ${id} removes it.`)
    Object.assign(subject, { tokenId: null, deviceId: null, messageId: null })
    // It was used: another phone needs another one.
    if (facts.way === 'internet') session.invitation = null
  }
  if (undone.forgets === 'test') subject.messageId = null
  if (undone.facts.way === null) {
    subject.tokenId = null
    session.reachNonce = null
  }
  session.facts = { ...facts, ...undone.facts }
  screen.returnTo(undone.to)
}
