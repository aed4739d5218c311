import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Link } from '../../src/connectors/connector.ts'
import { modemKind } from '../../src/connectors/modem/modem.ts'
import { longHandOver } from '../contracts/contract-subject.ts'
import { expectHonestHealth } from '../contracts/honest.ts'
import { eventually } from '../eventually.ts'
import {
  type FakemodemName,
  fakemodemNames,
  type Fakemodems,
  hasFakemodems,
  startFakemodems,
} from '../peers/fakemodems.ts'
import { createMarks } from './stub-link.ts'

/** Waits of the link are this much shorter: a fake answers at once, or asks for a second of patience. */
const haste = 20

function launch(port: number, { pin, settings = {} }: { pin?: string; settings?: Record<string, string> } = {}): Link {
  const link = modemKind.createLink(
    {
      id: 'dev_1',
      name: 'Stick',
      settings: { port: `tcp://127.0.0.1:${port}`, pause_ms: '0', command_timeout_ms: '100000', ...settings },
      secrets: pin === undefined ? {} : { pin },
    },
    {
      now: Date.now,
      monotonicMs: () => performance.now() * haste,
      schedule: (delayMs, task) => {
        const timer = setTimeout(task, delayMs / haste)
        return () => clearTimeout(timer)
      },
      random: () => 0.5,
      log: () => undefined,
      marks: createMarks(),
    },
    {
      receipt: async () => undefined,
      inbound: async () => undefined,
      lateOutcome: async () => undefined,
      healthChanged: () => undefined,
    },
  )
  onTestFinished(() => link.stop())
  return link
} // prettier-ignore

const isUp = (link: Link): Promise<unknown> =>
  eventually(async () => link.window, (window) => expect(window).toBe(1), 20_000) // prettier-ignore

/** Modems that nobody here wrote: fakes of the tests of python-gsmmodem-new 0.13.0 (test/fakemodems.py). */
describe.skipIf(!hasFakemodems())('8.2: over a modem of others', () => {
  const behindPin: FakemodemName[] = ['QualcommM6280', 'WavecomMultiband900E1800']
  let plain: Fakemodems
  let locked: Fakemodems
  beforeAll(async () => {
    plain = await startFakemodems()
    locked = await startFakemodems({ pin: behindPin, simBusy: 2 })
  })
  afterAll(async () => void (await Promise.all([plain.stop(), locked.stop()])))

  test.for(fakemodemNames)('%s sends a text of two parts, and each once', async (name) => {
    const link = launch(plain.ports[name])
    await link.start()
    await isUp(link)
    const outcome = await link.submit(longHandOver(2))
    expect(outcome).toMatchObject({ kind: 'accepted' })
    expect(plain.submits(name)).toHaveLength(2)
    expectHonestHealth(link.health())
    // A modem without memory and announcements, such as a Nokia N79, receives nothing, and says so.
    expect(link.health().reasons.includes('receives_nothing')).toBe(name === 'NokiaN79')
    expect(plain.commands(name).filter((command) => /\+CPIN=/.test(command))).toEqual([])
  })

  test.for(behindPin)('%s is unlocked once, and sends', async (name) => {
    const link = launch(locked.ports[name], { pin: '1234' })
    await link.start()
    await isUp(link)
    expect((await link.submit(longHandOver(1))).kind).toBe('accepted')
    expect(locked.commands(name).filter((command) => /\+CPIN=/.test(command))).toEqual(['AT+CPIN="1234"'])
  })
})
