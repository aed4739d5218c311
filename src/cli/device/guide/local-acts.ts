import { describeSearch, findLocal } from '../../../connectors/find-local.ts'
import { localLogin, tryLocalPhone } from '../../../connectors/try-local.ts'
import { machineNetworks } from '../../../connectors/own-networks.ts'
import type { GuideStep } from '../../../devices/phones/connect-guide.ts'
import { adbLines, cableAddress } from '../../../devices/phones/guide-words.ts'
import { resumeLocalPhone } from '../../../dispatch/devices/store-local-phone.ts'
import { cliActor } from '../../core/command-context.ts'
import { ProgressLines } from '../../core/progress-lines.ts'
import { phoneDeps } from '../connect-local.ts'
import { waitForStep } from '../wait-for-step.ts'
import { askStep, unlessBack } from './go-back.ts'
import { type GuideSession, phoneOwner } from './guide-session.ts'
import { refusalOf } from './refusal-of.ts'

/** Asks where the Local Server is, and tries it without a password. */
export async function tryLocalAddress(session: GuideSession, step: GuideStep): Promise<void> {
  const { kind, tools, terminal, screen, facts } = session
  let address = cableAddress
  if (facts.way === 'cable') {
    for (const line of adbLines) terminal.print(`    ${line}`)
    await askStep(session, step, 'Press Enter when both lines have run: ')
  } else {
    const typed = await askStep(session, step, addressPrompt(session))
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
  const lines = new ProgressLines(tools.io.stdout)
  const progress = (asked: number, of: number): void =>
    lines.show([{ name: '', isDone: null, summary: `Asked ${asked} of ${of} addresses …` }])
  const found = await findLocal({ local: kind.local }, tools.clock, machineNetworks(), { progress })
  for (const sentence of describeSearch(found)) terminal.print(sentence)
  for (const { address, appVersion } of found.phones) terminal.print(`  ${address}  app ${appVersion}`)
  typed.address = found.phones[0]?.address ?? ''
}

/** Asks for the login of the Local Server, and connects the phone. */
export async function logIn(session: GuideSession): Promise<void> {
  const { kind, tools, terminal, screen, typed, storage } = session
  const user = unlessBack(await terminal.ask('Username [sms]: '))
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
    const whose = { ...phoneOwner(session), actor: cliActor }
    session.subject.deviceId = await storage.writer.write((tx) =>
      resumeLocalPhone(tx, deps, whose, { given, device }),
    )
  } catch (error) {
    screen.failed(refusalOf(error))
    return
  }
  await waitForStep(session, ['login'])
}
