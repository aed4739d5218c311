import type { ConnectorTools } from '../../connector-tools.ts'
import type { AtAnswer } from './at-command.ts'
import type { AtChannel } from './at-channel.ts'
import type { Expected } from './exchange.ts'

/** Asks a command, with the time that such a command may take. */
export type Ask = (text: string, expected?: Omit<Expected, 'timeoutMs'>) => Promise<AtAnswer>

/** What takes longer than other commands, by how it begins. */
const slow: readonly [beginning: RegExp, timeoutMs: number][] = [
  [/^AT\+CPIN\b/, 20_000],
  [/^AT\+CFUN\b/, 15_000],
  [/^AT\+CMGL\b/, 60_000],
  [/^AT\+CMGD\b/, 25_000],
  [/^AT\+CUSD\b/, 60_000],
  [/^AT\+COPS=/, 180_000],
]

/** Returns how commands are asked on a channel: most get `commandTimeoutMs`, some more. */
export const askerOf =
  (channel: Pick<AtChannel, 'ask'>, commandTimeoutMs: number): Ask =>
  (text, expected = {}) => {
    const timeoutMs = slow.find(([beginning]) => beginning.test(text))?.[1] ?? 0
    return channel.ask({ ...expected, text, timeoutMs: Math.max(timeoutMs, commandTimeoutMs) })
  }

/** The SIM is busy (CME 14, CMS 314), or the modem itself has just been switched on (CME 515 of Wavecom). */
const busyCodes: ReadonlySet<number> = new Set([14, 314, 515])
/** A SIM that has just been powered, or a radio, is busy for some seconds. */
const busyMs = 30_000
const askAgainMs = 1_000

/** Asks again each second while modem or SIM is busy, up to half a minute; returns the last answer. */
export async function askWhileBusy(
  asked: () => Promise<AtAnswer>,
  { monotonicMs, schedule }: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>,
): Promise<AtAnswer> {
  const untilMs = monotonicMs() + busyMs
  for (;;) {
    const answer = await asked()
    const isBusy = answer.kind === 'error' && answer.error.code !== null && busyCodes.has(answer.error.code)
    if (!isBusy || monotonicMs() >= untilMs) return answer
    await new Promise<void>((resolve) => void schedule(askAgainMs, resolve))
  }
}
