import type { Clock } from '../runtime/clock.ts'
import type { GuideOutcome } from '../devices/phones/connect-guide.ts'
import { failed, succeeded } from '../devices/phones/guide-outcome.ts'
import { triedRemedies } from '../devices/phones/guide-words.ts'
import type { ConnectorKind } from './connector.ts'
import type { LocalDevice } from './connector-tools.ts'
import { factsOf } from './registry.ts'

/** Where the Local Server of a phone is, and its login. */
export interface LocalLogin {
  settings: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
}

/** Returns the settings and secrets of an address and a login; a user of '' is the app's default. */
export const localLogin = (address: string, user: string, password: string): LocalLogin => ({
  settings: { local_address: address, ...(user === '' ? {} : { local_user: user }) },
  secrets: { local_password: password },
})

/** What a try of a Local Server found: the address alone, then the login, then the phone. */
export interface LocalTrial {
  address: GuideOutcome
  login: GuideOutcome | null
  device: LocalDevice | null
}

/** Returns what is wrong with the settings of a login, by the name of each. */
export const loginFaults = (
  { settings: rules }: Pick<ConnectorKind, 'settings'>,
  { settings }: Pick<LocalLogin, 'settings'>,
): { name: string; fault: string }[] =>
  rules.flatMap(({ name, check }) => {
    const value = settings[name]
    const fault = value === undefined ? null : check(value)
    return fault === null ? [] : [{ name, fault }]
  })

/** What is at an address: how far a look came, and why it ended. `fault` is a key of `KindFacts.remedies`. */
export interface LocalLook {
  /** The app that answers there, which is asked without the password. */
  appVersion: string | null
  device: LocalDevice | null
  fault: string | null
}

/** Looks for a phone at an address, first without the password, and then with it. Never throws for what it answers. */
export async function lookAtLocal(
  { kind, local }: Pick<ConnectorKind, 'kind' | 'local'>,
  given: LocalLogin,
  clock: Clock,
): Promise<LocalLook> {
  if (local === undefined) throw new Error(`${kind} has no devices that are visited`)
  let appVersion: string | null = null
  try {
    appVersion = (await local.greet(given.settings, clock)).appVersion
    return { appVersion, device: await local.look(given, clock), fault: null }
  } catch (error) {
    const { fault } = error as { fault?: unknown }
    if (typeof fault !== 'string') throw error
    return { appVersion, device: null, fault }
  }
}

/** Tries an address without the password, and then the password, and says what was found. */
export async function tryLocalPhone(
  kind: ConnectorKind,
  given: LocalLogin,
  clock: Clock,
): Promise<LocalTrial> {
  const wrong = loginFaults(kind, given).map(
    ({ name, fault }) => `${name === 'local_user' ? 'The user name' : 'The address'} ${fault}.`,
  )
  if (wrong.length > 0) return { address: failed(wrong.join(' ')), login: null, device: null }
  const at = given.settings['local_address'] ?? ''
  const { appVersion, device, fault } = await lookAtLocal(kind, given, clock)
  const outcome = fault === null ? succeeded('') : failedOutcome(kind.kind, at, fault)
  return appVersion === null
    ? { address: outcome, login: null, device: null }
    : { address: succeeded(`App ${appVersion} answers at ${at}.`), login: outcome, device }
}

const summaries: Readonly<Record<string, string>> = {
  unreachable: 'No answer from',
  not_the_app: 'Not the app at',
  wrong_password: 'Wrong user name or password at',
  too_old_to_visit: 'The app is too old at',
  address_not_private: 'Not a private address:',
  phone_errors: 'The app answered with an error at',
}

function failedOutcome(kind: string, at: string, fault: string): GuideOutcome {
  const remedy = triedRemedies[fault] ?? factsOf(kind)?.remedies[fault] ?? null
  return failed(`${summaries[fault] ?? fault} ${at}.`, remedy)
}
