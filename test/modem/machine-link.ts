import { expect, onTestFinished } from 'vitest'
import type { Link } from '../../src/connectors/connector.ts'
import type { ConnectorTools } from '../../src/connectors/connector-tools.ts'
import { modemKind } from '../../src/connectors/modem/modem.ts'
import { eventually } from '../eventually.ts'
import { createMarks } from './stub-link.ts'

/** Waits of such a link are this much shorter: what is emulated answers at once, or asks for a second of patience. */
const haste = 20

/** Returns the tools of a link on the clock of the machine. */
export const createHastyTools = (): ConnectorTools => ({
  now: Date.now,
  monotonicMs: () => performance.now() * haste,
  schedule: (delayMs, task) => {
    const timer = setTimeout(task, delayMs / haste)
    return () => clearTimeout(timer)
  },
  random: () => 0.5,
  log: () => undefined,
})

/** Starts a link on the clock of the machine for the running test, to any port, and waits until it can send. */
export async function openLinkTo(
  port: string,
  { pin, settings = {} }: { pin?: string; settings?: Record<string, string> } = {},
): Promise<Link> {
  const link = modemKind.createLink(
    {
      id: 'dev_1',
      name: 'Stick',
      settings: { port, pause_ms: '0', command_timeout_ms: '100000', ...settings },
      secrets: pin === undefined ? {} : { pin },
    },
    { ...createHastyTools(), marks: createMarks() },
    {
      receipt: async () => undefined,
      inbound: async () => undefined,
      lateOutcome: async () => undefined,
      healthChanged: () => undefined,
    },
  )
  onTestFinished(() => link.stop())
  await link.start()
  await canSend(link)
  return link
}

/** Settles once the link has room for a message. */
export const canSend = (link: Link): Promise<unknown> =>
  eventually(async () => link.window, (window) => expect(window).toBe(1), 20_000) // prettier-ignore
