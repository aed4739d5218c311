import type { ConnectorTools } from '../../connector-tools.ts'
import { type Ask, askWhileBusy } from '../at/ask.ts'
import { valueOf, valuesOf } from '../at/at-command.ts'

/** `+CMS ERROR` (3GPP TS 27.005, section 3.2.5). */
const smscUnknown = 330

/** Returns whether the SIM has the number of a service centre, which may vanish; null where the modem does not say. */
export async function readServiceCentre({
  ask,
  tools,
}: {
  ask: Ask
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
}): Promise<'known' | 'missing' | null> {
  const answer = await askWhileBusy(() => ask('AT+CSCA?', { prefix: '+CSCA:' }), tools)
  if (answer.kind === 'error') return answer.error.code === smscUnknown ? 'missing' : null
  const value = valueOf(answer, '+CSCA:')
  return value === null ? null : valuesOf(value)[0] === '' ? 'missing' : 'known'
}
