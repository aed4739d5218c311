import { randomUUID } from 'node:crypto'
import type { GuideStep } from '../../../devices/phones/connect-guide.ts'
import { ownCommand } from '../../../process/own-command.ts'
import { sendTest, type TestSms } from '../send-test.ts'
import { waitForStep } from '../wait-for-step.ts'
import { unlessBack } from './go-back.ts'
import type { GuideSession } from './guide-session.ts'
import { refusalOf } from './refusal-of.ts'

/** Sends the test SMS, or waits for the one that was sent. */
export async function sendOrWait(session: GuideSession, step: GuideStep): Promise<void> {
  const { screen, subject, typed } = session
  if (subject.messageId !== null && step.state === 'now') {
    await waitForStep(session, ['test'])
    return
  }
  if (step.state === 'failed') {
    screen.failed(step)
    subject.messageId = null
  }
  const test = await askForTest(session)
  if (test === null) return
  typed.test = test
  try {
    const { messageId, leftKeyId } = await sendTest(session.tools, session.storage, session.owner, test)
    subject.messageId = messageId
    // The next one is another SMS.
    typed.test = { ...test, key: randomUUID() }
    if (leftKeyId !== null)
      session.terminal.print(
        `The API key ${leftKeyId} of this request could not be revoked. It ends in 5 minutes; ${ownCommand()} key revoke ${leftKeyId} ends it now.`,
      )
  } catch (error) {
    screen.failed(refusalOf(error))
  }
}

/** Asks for the number. The same one after a lost answer is the same test, so that it is sent once. */
async function askForTest({ facts, typed, terminal }: GuideSession): Promise<TestSms | null> {
  const [from = null] = facts.phone?.senders ?? []
  const usual = typed.test?.to ?? from ?? ''
  const to = unlessBack(await terminal.ask(`Send to${usual === '' ? '' : ` [${usual}]`}: `)) || usual
  if (to === '') return null
  return typed.test?.to === to && typed.test.from === from ? typed.test : { to, from, key: randomUUID() }
}

/** Waits for the answer to the test SMS. */
export async function waitForAnswer(session: GuideSession): Promise<void> {
  session.terminal.print('Enter ends without an answer.')
  if ((await waitForStep(session, ['test', 'answer'])) === 'typed')
    session.facts = { ...session.facts, isAnswerPassed: true }
}
