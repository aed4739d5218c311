import { findLocal } from '../../../connectors/find-local.ts'
import { localLogin, tryLocalPhone } from '../../../connectors/try-local.ts'
import { setDevice } from '../../../devices/core/device-store.ts'
import type { GuideStep } from '../../../devices/phones/connect-guide.ts'
import { adbLines, cableAddress, type GuideStepName, guideWays } from '../../../devices/phones/guide-words.ts'
import { outcomeOfReach } from '../../../devices/phones/guide-outcome.ts'
import { phoneAddress } from '../../../devices/phones/phone-address.ts'
import { mintPhoneToken } from '../../../devices/phones/phone-tokens.ts'
import { resumeLocalPhone } from '../../../dispatch/devices/store-local-phone.ts'
import { recommendWay } from '../../../reach/recommend-way.ts'
import { Refusal } from '../../../runtime/errors.ts'
import { cliActor } from '../../core/command-context.ts'
import { CommandError } from '../../core/command-errors.ts'
import { onlyAPhone, reachPhoneAddress } from '../../core/phone-address-check.ts'
import { phoneDeps } from '../connect-local.ts'
import type { GuideSession } from './guide-session.ts'
import { sendTest } from '../send-test.ts'
import { waitForStep } from '../wait-for-step.ts'

type Act = (session: GuideSession, step: GuideStep) => Promise<void>

/** What a user is asked at each step. An act ends when something has changed: then the steps are looked at again. */
export const guideActs: Readonly<Record<GuideStepName, Act>> = {
  app: async () => undefined,
  way: chooseWay,
  address: async (session, step) =>
    session.facts.way === 'internet' ? tryOwnAddress(session) : tryLocalAddress(session, step),
  login: async (session) =>
    session.facts.way === 'internet' || session.facts.phone !== null ? register(session) : logIn(session),
  permissions: async (session) => void (await waitForStep(session, ['permissions'])),
  async battery(session, step) {
    await ask(session, step, 'Press Enter when the app is allowed to run in the background: ')
    session.facts = { ...session.facts, isAwake: true }
  },
  number: setNumber,
  test: sendOrWait,
  answer: waitForAnswer,
}

const ask = ({ terminal, tools }: GuideSession, { usual }: GuideStep, prompt: string): Promise<string> =>
  terminal.ask(prompt, {
    schedule: (run) => tools.clock.schedule(usual.afterMs, run),
    text: usual.text,
  })

async function chooseWay(session: GuideSession, step: GuideStep): Promise<void> {
  const { terminal, tools } = session
  const recommended = await recommendWay(phoneAddress(tools.config), () => reachPhoneAddress(tools))
  const first = guideWays.findIndex(({ way }) => way === recommended) + 1
  for (const [i, { label, summary }] of guideWays.entries())
    terminal.print(`  ${i + 1}) ${label}${i + 1 === first ? ' (recommended)' : ''}. ${summary}`)
  for (;;) {
    const typed = await ask(session, step, `Connection [${first}]: `)
    const chosen = guideWays[typed === '' ? first - 1 : Number(typed) - 1]
    if (chosen !== undefined) {
      session.facts = { ...session.facts, way: chosen.way }
      return
    }
    terminal.print(`Enter a number from 1 to ${guideWays.length}.`)
  }
}

/** Asks where the Local Server is, and tries it without a password. */
async function tryLocalAddress(session: GuideSession, step: GuideStep): Promise<void> {
  const { kind, tools, terminal, screen, facts } = session
  let address = cableAddress
  if (facts.way === 'cable') {
    for (const line of adbLines) terminal.print(`    ${line}`)
    await ask(session, step, 'Press Enter when both lines have run: ')
  } else {
    const typed = await ask(session, step, addressPrompt(session))
    if (typed === '' && session.typed.address === '') return findPhones(session)
    address = typed === '' ? session.typed.address : typed
    session.typed.address = address
  }
  const { address: found } = await tryLocalPhone(kind, localLogin(address, '', ''), tools.clock)
  if (!found.isOk) return screen.failed(found)
  session.typed.address = address
  session.facts = { ...session.facts, address: found }
}

const addressPrompt = ({ typed }: GuideSession): string =>
  typed.address === ''
    ? 'Local address (empty: look for phones in this network): '
    : `Local address [${typed.address}]: `

async function findPhones({ kind, tools, terminal, typed }: GuideSession): Promise<void> {
  if (kind.local === undefined) return
  const { phones, asked, networks } = await findLocal({ local: kind.local }, tools.clock)
  terminal.print(
    `Asked ${asked} addresses of ${networks.join(', ') || 'no network'}: ${phones.length} found.`,
  )
  for (const { address, appVersion } of phones) terminal.print(`  ${address}  app ${appVersion}`)
  typed.address = phones[0]?.address ?? ''
}

async function logIn(session: GuideSession): Promise<void> {
  const { kind, tools, terminal, screen, typed, storage, owner } = session
  const user = await terminal.ask('Username [sms]: ')
  const password = await terminal.secret('Password, not shown: ')
  const given = localLogin(typed.address, user, password)
  const { address, login, device } = await tryLocalPhone(kind, given, tools.clock)
  if (device === null) {
    // A phone that no longer answers is asked for its address again.
    session.facts = { ...session.facts, address: address.isOk ? address : null }
    return screen.failed(login ?? address)
  }
  try {
    const deps = await phoneDeps(tools, kind)
    const whose = { ...owner, actor: cliActor }
    session.subject.deviceId = await storage.writer.write((tx) =>
      resumeLocalPhone(tx, deps, whose, { given, device }),
    )
  } catch (error) {
    screen.failed(refusalOf(error))
    return
  }
  await waitForStep(session, ['login'])
}

async function tryOwnAddress(session: GuideSession): Promise<void> {
  const { tools, screen } = session
  const reach = await reachPhoneAddress(tools)
  const address = outcomeOfReach(reach, `${phoneAddress(tools.config)}: ${onlyAPhone}`)
  if (!address.isOk) screen.failed(address)
  session.facts = { ...session.facts, address }
}

/** Shows what to enter in the app, once, and waits for the phone. */
async function register(session: GuideSession): Promise<void> {
  const { tools, storage, owner, screen, subject, facts } = session
  if (facts.way === 'internet' && subject.tokenId === null) {
    const minted = await storage.writer.write((tx) =>
      mintPhoneToken(tx, { ...tools, nowMs: tools.clock.now() }, { ...owner, actor: cliActor }),
    )
    subject.tokenId = minted.tokenId
    screen.code('API URL:', phoneAddress(tools.config))
    screen.code('Private Token, shown only once:', minted.token)
    if (facts.address?.isOk === false) session.terminal.print('Enter tries the address again.')
  }
  const isTyped = (await waitForStep(session, ['login'])) === 'typed'
  if (isTyped && session.facts.address?.isOk === false) await tryOwnAddress(session)
}

async function setNumber(session: GuideSession, step: GuideStep): Promise<void> {
  const { tools, kind, storage, screen, facts } = session
  if (facts.phone?.isNumberAwaited === true) return void (await waitForStep(session, ['number']))
  const slots = (facts.phone?.sims ?? []).map(({ slot }) => slot)
  const number = await ask(session, step, 'Number (empty: pass over): ')
  if (number === '') {
    session.facts = { ...facts, isNumberPassed: true }
    return
  }
  const [first = 1] = slots
  const typed = slots.length < 2 ? '' : await session.terminal.ask(`SIM (${slots.join(' or ')}) [${first}]: `)
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

async function sendOrWait(session: GuideSession, step: GuideStep): Promise<void> {
  const { tools, storage, owner, screen, facts, subject, typed } = session
  if (subject.messageId !== null && step.state === 'now') {
    await waitForStep(session, ['test'])
    return
  }
  if (step.state === 'failed') {
    screen.failed(step)
    subject.messageId = null
  }
  const [sender = null] = facts.phone?.senders ?? []
  const usual = typed.to === '' ? (sender ?? '') : typed.to
  const to = (await session.terminal.ask(`Send to${usual === '' ? '' : ` [${usual}]`}: `)) || usual
  if (to === '') return
  typed.to = to
  try {
    subject.messageId = await sendTest(tools, storage, owner, { to, from: sender })
  } catch (error) {
    screen.failed(refusalOf(error))
  }
}

async function waitForAnswer(session: GuideSession): Promise<void> {
  session.terminal.print('Enter ends without an answer.')
  if ((await waitForStep(session, ['test', 'answer'])) === 'typed')
    session.facts = { ...session.facts, isAnswerPassed: true }
}

/** What was refused, as the outcome of a try. Anything else is a bug, and ends the command. */
function refusalOf(error: unknown): { summary: string; remedy: null } {
  if (error instanceof Refusal || error instanceof CommandError)
    return { summary: error.message, remedy: null }
  throw error
}
