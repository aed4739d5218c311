import type { GuideStep } from '../../../devices/phones/connect-guide.ts'
import { type GuideStepName, guideWays } from '../../../devices/phones/guide-words.ts'
import { phoneAddress } from '../../../devices/phones/phone-address.ts'
import { recommendWay } from '../../../reach/recommend-way.ts'
import { reachPhoneAddress } from '../../core/phone-address-check.ts'
import { waitForStep } from '../wait-for-step.ts'
import { askStep } from './go-back.ts'
import type { GuideSession } from './guide-session.ts'
import { register, showOwnAddress } from './internet-acts.ts'
import { logIn, tryLocalAddress } from './local-acts.ts'
import { setLimit, setNumber } from './sim-acts.ts'
import { sendOrWait, waitForAnswer } from './test-acts.ts'

type Act = (session: GuideSession, step: GuideStep) => Promise<void>

/** What a user is asked at each step. An act ends when something has changed: then the steps are looked at again. */
export const guideActs: Readonly<Record<GuideStepName, Act>> = {
  app: async () => undefined,
  way: chooseWay,
  address: async (session, step) =>
    session.facts.way === 'internet' ? showOwnAddress(session) : tryLocalAddress(session, step),
  login: async (session) =>
    session.facts.way === 'internet' || session.facts.phone !== null ? register(session) : logIn(session),
  permissions: async (session) => void (await waitForStep(session, ['permissions'])),
  async battery(session, step) {
    await askStep(session, step, 'Press Enter when the app is allowed to run in the background: ')
    session.facts = { ...session.facts, isAwake: true }
  },
  number: setNumber,
  limit: setLimit,
  test: sendOrWait,
  answer: waitForAnswer,
}

async function chooseWay(session: GuideSession, step: GuideStep): Promise<void> {
  const { terminal, tools } = session
  const recommended = await recommendWay(phoneAddress(tools.config), () => reachPhoneAddress(tools))
  const first = guideWays.findIndex(({ way }) => way === recommended) + 1
  for (const [i, { label, summary }] of guideWays.entries())
    terminal.print(`  ${i + 1}) ${label}${i + 1 === first ? ' (recommended)' : ''}. ${summary}`)
  terminal.print(`  ${useOf(session)} s: shared with all accounts or not. t: test mode or not.`)
  for (;;) {
    const typed = await askStep(session, step, `Connection [${first}]: `)
    const chosen = guideWays[typed === '' ? first - 1 : Number(typed) - 1]
    if (chosen !== undefined) {
      session.facts = { ...session.facts, way: chosen.way }
      return
    }
    if (typed === 's') session.isShared = !session.isShared
    else if (typed === 't') session.owner.mode = session.owner.mode === 'live' ? 'test' : 'live'
    terminal.print(
      typed === 's' || typed === 't'
        ? `  ${useOf(session)}`
        : `Enter a number from 1 to ${guideWays.length}.`,
    )
  }
}

/** Says for whom the phone will send. */
const useOf = ({ owner, isShared }: GuideSession): string =>
  `The phone sends ${owner.mode} messages of ${isShared ? 'all accounts' : owner.accountId}.`
