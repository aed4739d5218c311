import type { MessageStatus } from '../../storage/tables/schema.ts'
import {
  type GuideStepName,
  guideStepNames,
  guideTitles,
  type GuideWay,
  headingOf,
  todoOf,
  usualOf,
} from './guide-words.ts'

/** What the last try found about one part of the connection. */
export interface GuideOutcome {
  isOk: boolean
  summary: string
  remedy: string | null
}

/** What the server knows about the phone. */
export interface GuidePhone {
  deviceId: string
  name: string
  appVersion: string | null
  /** It is visited, or its event stream is open. */
  isConnected: boolean
  /** What is missing until then. */
  connection: string
  sims: readonly { slot: number; number: string | null; carrier: string | null }[]
  /** Full numbers of its SIMs, from which the server sends. */
  senders: readonly string[]
  /** A number was set, and the server has not taken it up yet. */
  isNumberAwaited: boolean
  /** Numbers that were set for slots in which there is no SIM. */
  withoutSim: readonly { slot: number; number: string }[]
  battery: { percent: number; charging: boolean } | null
  /** Remedies for the reasons of its status, by `reason: remedy`. */
  troubles: readonly string[]
}

export interface GuideTest {
  messageId: string
  to: string
  status: MessageStatus
  /** What its error means and what to do. */
  error: string | null
  /** What the phone itself said about it, and what to do at the phone. */
  phoneError: string | null
  /** Another device carried it. */
  isByOther: boolean
}

/** What the server knows of a guided connect. */
export interface GuideKnown {
  phone: GuidePhone | null
  test: GuideTest | null
  answer: { from: string | null; text: string } | null
  /**
   * The daily limit of each API key of the account with which it can send; null: the key has none. All null: the phone is
   * shared, and the keys are those of all accounts.
   */
  keyLimits: readonly (number | null)[] | null
}

/** All facts of a guided connect: what the server knows, and what its user has chosen and tried. */
export interface GuideFacts extends GuideKnown {
  way: GuideWay | null
  address: GuideOutcome | null
  /** The phone that opened the link of this server: where it came from, and on which way. */
  reached: { from: string; way: string } | null
  login: GuideOutcome | null
  /** The user confirmed the settings of the battery, which nothing reports. */
  isAwake: boolean
  isNumberPassed: boolean
  isLimitPassed: boolean
  isAnswerPassed: boolean
}

/** Done, passed over, to do now, failed and to do now, or not yet. */
export type GuideState = 'done' | 'passed' | 'now' | 'failed' | 'later'

export interface GuideStep {
  name: GuideStepName
  /** From 1. */
  number: number
  title: string
  state: GuideState
  /** What the user does, in this order. */
  todo: readonly string[]
  /** What is known; empty if nothing is. */
  summary: string
  remedy: string | null
  /** Shown when the step has been to do for this long. */
  usual: { afterMs: number; text: string }
  /** Heading of the guide to phones that says more; null where none does. */
  heading: string | null
}

/** Before anything is known. */
export const noGuideFacts: GuideFacts = {
  phone: null,
  test: null,
  answer: null,
  keyLimits: null,
  way: null,
  address: null,
  reached: null,
  login: null,
  isAwake: false,
  isNumberPassed: false,
  isLimitPassed: false,
  isAnswerPassed: false,
}

interface Found {
  state: 'done' | 'passed' | 'open' | 'failed'
  summary?: string
  remedy?: string | null
  /** The next step is to do as well, although this one is not done. */
  isPassable?: boolean
}

/**
 * Returns the steps towards the first real SMS. They follow from the facts alone: a step that failed is done as soon as
 * its facts say so, and a guide that starts again resumes where the facts are (docs/decisions/0057-the-guided-connect.md).
 */
export function guideSteps(facts: GuideFacts): GuideStep[] {
  let isReached = true
  return guideStepNames.map((name, i) => {
    const { state, summary = '', remedy = null, isPassable = false } = looks[name](facts)
    const isOver = state === 'done' || state === 'passed'
    const shown: GuideState = isOver ? state : !isReached ? 'later' : state === 'open' ? 'now' : 'failed'
    if (!isOver && !isPassable) isReached = false
    return {
      name,
      number: i + 1,
      title: guideTitles[name],
      state: shown,
      todo: todoOf(name, facts.way),
      summary: shown === 'later' ? '' : summary,
      remedy: shown === 'failed' || shown === 'now' ? remedy : null,
      usual: usualOf(name, facts.way),
      heading: headingOf(name, facts.way),
    }
  })
}

/** Returns the step to do: the last one, where a failed one before it does not keep the user from it. Null at the end. */
export const stepToDo = (steps: readonly GuideStep[]): GuideStep | null =>
  steps.findLast(({ state }) => state === 'now' || state === 'failed') ?? null

const looks: Readonly<Record<GuideStepName, (facts: GuideFacts) => Found>> = {
  // The next step is to do along with it: only the user knows when the app is installed.
  app: ({ way }) => ({ state: way === null ? 'open' : 'done', isPassable: true }),
  way: ({ way }) => ({ state: way === null ? 'open' : 'done' }),
  address: lookAtAddress,
  login: lookAtLogin,
  permissions: lookAtPermissions,
  battery: lookAtBattery,
  number: lookAtNumber,
  limit: lookAtLimit,
  test: lookAtTest,
  answer: ({ answer, isAnswerPassed }) =>
    answer !== null
      ? {
          state: 'done',
          summary: `${answer.from ?? 'Unknown number'}: ${answer.text.replaceAll(/\s+/g, ' ')}`,
        }
      : { state: isAnswerPassed ? 'passed' : 'open' },
}

const ofOutcome = (outcome: GuideOutcome | null): Found =>
  outcome === null
    ? { state: 'open' }
    : { state: outcome.isOk ? 'done' : 'failed', summary: outcome.summary, remedy: outcome.remedy }

function lookAtAddress({ way, address, reached, phone }: GuideFacts): Found {
  if (way === null) return { state: 'open' }
  if (way !== 'internet')
    return phone === null ? ofOutcome(address) : { state: 'done', summary: address?.summary ?? '' }
  if (reached !== null)
    return { state: 'done', summary: `A phone reached it from ${reached.from}, by ${reached.way}.` }
  if (phone !== null) return { state: 'done', summary: 'A phone reached it.' }
  // A router that does not lead back to its own address fails here, and not for a phone. What this machine reaches, a
  // phone need not reach: only a phone ends this step, and none has to.
  const tried = ofOutcome(address)
  return { ...tried, state: tried.state === 'done' ? 'open' : tried.state, isPassable: address !== null }
}

function lookAtLogin({ way, login, phone }: GuideFacts): Found {
  if (phone === null)
    return way === 'internet' ? { state: 'open', summary: 'Waiting for the phone.' } : ofOutcome(login)
  const { name, appVersion, deviceId, isConnected, connection } = phone
  const described = `${name.replace('/', ' ') || 'A phone'}, app ${appVersion ?? 'unknown'}, ${deviceId}`
  return isConnected
    ? { state: 'done', summary: described }
    : { state: 'open', summary: `${described}: ${connection}` }
}

function lookAtPermissions({ phone }: GuideFacts): Found {
  if (phone === null) return { state: 'open' }
  if (phone.sims.length === 0) return { state: 'open', summary: 'The app reports no SIM.' }
  const sims = phone.sims.map(({ slot, number, carrier }) => `SIM ${slot}: ${number ?? carrier ?? 'unknown'}`)
  return {
    state: 'done',
    summary: `${sims.join(', ')}. Whether it is allowed to send SMS shows with the test SMS.`,
  }
}

function lookAtBattery({ phone, isAwake }: GuideFacts): Found {
  const battery = phone?.battery ?? null
  const summary =
    battery === null
      ? 'The app has not reported its battery yet.'
      : `${battery.percent}%, ${battery.charging ? 'charging' : 'not charging'}.`
  return { state: isAwake && phone !== null ? 'done' : 'open', summary }
}

function lookAtNumber({ phone, isNumberPassed }: GuideFacts): Found {
  const senders = phone?.senders ?? []
  if (phone?.isNumberAwaited === true) return { state: 'open', summary: 'Waiting for the server.' }
  const empty = (phone?.withoutSim ?? []).map(
    ({ slot, number }) => `There is no SIM ${slot}, for which ${number} is set.`,
  )
  if (senders.length > 0) return { state: 'done', summary: [senders.join(', '), ...empty].join('. ') }
  return { state: isNumberPassed ? 'passed' : 'open', summary: empty.join(' ') }
}

function lookAtLimit({ phone, keyLimits, isLimitPassed }: GuideFacts): Found {
  if (phone === null) return { state: 'open' }
  if (keyLimits === null)
    return { state: 'passed', summary: 'The phone is shared: each account limits its own API keys.' }
  if (keyLimits.length === 0) return { state: 'passed', summary: 'The account has no API key that sends.' }
  const limits = keyLimits.filter((limit) => limit !== null)
  if (limits.length === keyLimits.length)
    return { state: 'done', summary: `Each API key sends at most ${Math.max(...limits)} SMS a day.` }
  const without = keyLimits.length - limits.length
  return {
    state: isLimitPassed ? 'passed' : 'open',
    summary: `${without} API ${without === 1 ? 'key has' : 'keys have'} no daily limit.`,
  }
}

function lookAtTest({ test, phone }: GuideFacts): Found {
  if (test === null) return { state: 'open' }
  const to = `SMS to ${test.to}: `
  const other = test.isByOther ? ' Another device of the account sent it.' : ''
  const troubles = phone?.troubles ?? []
  const said = (...remedies: readonly (string | null)[]): string | null =>
    [...remedies, ...troubles].filter((remedy) => remedy !== null).join(' ') || null
  switch (test.status) {
    case 'sent':
      return { state: 'done', summary: `${to}sent, no delivery report yet.${other}` }
    case 'delivered':
      return { state: 'done', summary: `${to}delivered.${other}` }
    case 'scheduled':
    case 'queued':
    case 'sending':
      return { state: 'open', summary: `${to}${test.status}.`, remedy: said() }
    default:
      return {
        state: 'failed',
        summary: `${to}${test.status}.${other}`,
        remedy: said(test.phoneError, test.error),
      }
  }
}
