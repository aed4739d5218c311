import { limitApiKeys } from '../../../accounts/keys/limit-api-keys.ts'
import { setDevice } from '../../../devices/core/device-store.ts'
import type { GuideStep } from '../../../devices/phones/connect-guide.ts'
import { usualDailyCap } from '../../../devices/phones/guide-words.ts'
import { cliActor } from '../../core/command-context.ts'
import { phoneDeps } from '../connect-local.ts'
import { waitForStep } from '../wait-for-step.ts'
import { askStep, unlessBack } from './go-back.ts'
import type { GuideSession } from './guide-session.ts'
import { refusalOf } from './refusal-of.ts'

/** Asks for the number of a SIM, which then is a sender. */
export async function setNumber(session: GuideSession, step: GuideStep): Promise<void> {
  const { tools, kind, storage, screen, facts } = session
  if (facts.phone?.isNumberAwaited === true) return void (await waitForStep(session, ['number']))
  const slots = (facts.phone?.sims ?? []).map(({ slot }) => slot)
  const number = await askStep(session, step, 'Number (empty: pass over): ')
  if (number === '') {
    session.facts = { ...facts, isNumberPassed: true }
    return
  }
  const [first = 1] = slots
  const question = `SIM (${slots.join(' or ')}) [${first}]: `
  const typed = slots.length < 2 ? '' : unlessBack(await session.terminal.ask(question))
  const slot = typed === '' ? first : Number(typed)
  if (!slots.includes(slot)) return screen.failed({ summary: `There is no SIM ${slot}.`, remedy: null })
  try {
    const deps = { ...(await phoneDeps(tools, kind)), nowMs: tools.clock.now() }
    const deviceId = facts.phone?.deviceId ?? ''
    await storage.writer.write((tx) =>
      setDevice(tx, deps, { deviceId, sim: { slot, number }, actor: cliActor }),
    )
  } catch (error) {
    screen.failed(refusalOf(error))
  }
}

/** Asks for the daily limit of the API keys that have none. An empty line sets none: a limit may stop what sends today. */
export async function setLimit(session: GuideSession, step: GuideStep): Promise<void> {
  const { tools, storage, screen, owner } = session
  const question = `SMS a day for each API key, such as ${usualDailyCap} (empty: no limit): `
  const typed = await askStep(session, step, question)
  if (typed === '') {
    session.facts = { ...session.facts, isLimitPassed: true }
    return
  }
  try {
    const deps = { ...tools, nowMs: tools.clock.now() }
    const change = { ...owner, dailyCap: Number(typed), actor: cliActor }
    await storage.writer.write((tx) => limitApiKeys(tx, deps, change))
  } catch (error) {
    screen.failed(refusalOf(error))
  }
}
