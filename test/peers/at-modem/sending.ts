import { type AtAnswer, cms, ok, silent } from './at-call.ts'
import type { AtModem } from './at-modem.ts'

/** Opens a prompt for a PDU, as the settings have it. */
export async function ask(
  modem: AtModem,
  length: number,
  use: (pdu: string) => Promise<AtAnswer>,
): Promise<AtAnswer> {
  if (!Number.isInteger(length) || length < 1 || length > 180) return cms(304)
  const { prompt, promptDelayMs } = modem.settings.submit
  await modem.wait(promptDelayMs)
  if (prompt === 'none') return silent
  if (prompt !== 'right') return { ...silent, lines: prompt }
  modem.prompt(use)
  return silent
}

/** Hands a PDU to the SMSC, and gives the answer when it is due. */
export async function submit(modem: AtModem, pdu: string, length: number): Promise<AtAnswer> {
  const judged = modem.submits.judge(pdu, length, refusalOf(modem, pdu))
  judged.reportBefore()
  const answer = judged.answer === 'held' ? await modem.waitForRelease() : judged.answer
  await modem.wait(judged.delayMs)
  if (answer === 'reset') modem.reset()
  if (answer === 'cut') modem.line.hangUp('rst')
  // Behind the answer, as after every command.
  modem.host.clock.schedule(0, judged.reportAfter)
  if (answer === 'reset' || answer === 'cut' || answer === 'silence') return silent
  if (answer !== 'ok')
    return { ...silent, lines: answer.map((line) => line.replace('{mr}', `${judged.reference}`)) }
  const { ackPdu } = modem.settings.submit
  const line = `+CMGS: ${judged.reference}${ackPdu === null ? '' : `,${ackPdu}`}`
  return modem.settings.submit.isResultWithoutOk ? { ...silent, lines: [line] } : ok(line)
}

function refusalOf(modem: AtModem, pdu: string): string | null {
  if (modem.card === null) return '+CMS ERROR: 310'
  if (modem.card.settings.smsc === null && pdu.startsWith('00')) return '+CMS ERROR: 330'
  return modem.isRegistered ? null : '+CMS ERROR: 331'
}
