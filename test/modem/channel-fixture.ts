import { AtChannel } from '../../src/connectors/modem/at/at-channel.ts'
import type { AtLine } from '../../src/connectors/modem/at/at-command.ts'
import { createStubClock, type StubClock } from '../stub-clock.ts'

/** A channel on a line whose other end is the test. */
export interface ChannelFixture {
  channel: AtChannel
  clock: StubClock
  /** All that was written, one entry for each write; CR, ESC and Ctrl-Z are shown as <CR>, <ESC>, <Z>. */
  sent: string[]
  unsolicited: AtLine[]
  /** The modem says something, as it is. */
  say(text: string): void
  /** Answers each write that matches, from now on; the last matching rule counts. */
  answer(pattern: RegExp, ...texts: string[]): void
  /** Lets time pass, with turns of the event loop in between for what is written and answered at once. */
  pass(ms: number): Promise<void>
  /** Lets the channel agree with a modem that answers `AT`. */
  agree(): Promise<void>
}

const shown = (octets: Buffer): string =>
  octets.toString('latin1').replaceAll('\r', '<CR>').replaceAll('\x1b', '<ESC>').replaceAll('\x1a', '<Z>')

const stepMs = 100

export function openChannel({ pauseMs = 0, commandTimeoutMs = 5_000 } = {}): ChannelFixture {
  const clock = createStubClock()
  const sent: string[] = []
  const unsolicited: AtLine[] = []
  const rules: { pattern: RegExp; texts: string[] }[] = []
  const say = (text: string): void => channel.received(Buffer.from(text, 'latin1'))
  const channel: AtChannel = new AtChannel({
    tools: clock,
    write: async (octets) => {
      const text = shown(octets)
      sent.push(text)
      const rule = rules.findLast(({ pattern }) => pattern.test(text))
      for (const each of rule?.texts ?? []) setImmediate(() => say(each))
    },
    unsolicited: (line) => unsolicited.push(line),
    pauseMs,
    commandTimeoutMs,
  })
  const pass = async (ms: number): Promise<void> => {
    for (let turns = 0; turns < 5; turns++) await clock.advance(0)
    for (let left = ms; left > 0; left -= stepMs) {
      await clock.advance(Math.min(stepMs, left))
      for (let turns = 0; turns < 3; turns++) await clock.advance(0)
    }
  }
  const answer = (pattern: RegExp, ...texts: string[]): void => void rules.push({ pattern, texts })
  return {
    channel,
    clock,
    sent,
    unsolicited,
    say,
    answer,
    pass,
    agree: async () => {
      answer(/^AT<CR>$/, '\r\nOK\r\n')
      const agreed = channel.ask({ text: 'AT', timeoutMs: 1_000 })
      await pass(400)
      await agreed
      sent.length = 0
    },
  }
}
