import { type GuideFacts, guideSteps, stepToDo } from './connect-guide.ts'
import type { GuideStepName } from './guide-words.ts'

/** A return to an earlier step of a guided connect. */
export interface GuideReturn {
  /** The step that is to do then. */
  to: GuideStepName
  /** What is no longer chosen, tried or known. */
  facts: Partial<GuideFacts>
  /** What the guide is no longer about. A phone that was connected stays a device, and a test SMS stays sent. */
  forgets: 'phone' | 'test' | null
}

type Undoing = Pick<GuideReturn, 'facts' | 'forgets'>

/**
 * Returns the way back from the step that is to do: it undoes the last choice of the user, and what follows from it. Null
 * where nothing was chosen. Each return undoes an earlier choice, down to the choice of the connection.
 */
export function stepBack(facts: GuideFacts): GuideReturn | null {
  const undoing = undoLast(facts)
  if (undoing === null) return null
  const to = stepToDo(guideSteps({ ...facts, ...undoing.facts }))?.name ?? 'way'
  return { to, ...undoing }
}

function undoLast(facts: GuideFacts): Undoing | null {
  if (facts.isAnswerPassed && facts.answer === null)
    return { facts: { isAnswerPassed: false }, forgets: null }
  // After a failure its form is open already.
  if (facts.test !== null && stateOfTest(facts) !== 'failed')
    return { facts: { test: null, answer: null, isAnswerPassed: false }, forgets: 'test' }
  if (facts.isLimitPassed) return { facts: { isLimitPassed: false }, forgets: null }
  if (facts.isNumberPassed) return { facts: { isNumberPassed: false }, forgets: null }
  if (facts.isAwake) return { facts: { isAwake: false }, forgets: null }
  if (facts.phone !== null)
    return {
      facts: { phone: null, keyLimits: null, test: null, answer: null, isAnswerPassed: false, login: null },
      forgets: 'phone',
    }
  if (facts.way === null) return null
  // This server's own address is not typed.
  if (facts.way !== 'internet' && facts.address?.isOk === true)
    return { facts: { address: null, login: null }, forgets: null }
  return { facts: { way: null, address: null, reached: null, login: null }, forgets: null }
}

const stateOfTest = (facts: GuideFacts) => guideSteps(facts).find(({ name }) => name === 'test')?.state
