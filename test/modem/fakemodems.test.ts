import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { longHandOver } from '../contracts/contract-subject.ts'
import { expectHonestHealth } from '../contracts/honest.ts'
import {
  type FakemodemName,
  fakemodemNames,
  type Fakemodems,
  hasFakemodems,
  startFakemodems,
} from '../peers/fakemodems.ts'
import { openLinkTo } from './machine-link.ts'

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
    const link = await openLinkTo(`tcp://127.0.0.1:${plain.ports[name]}`)
    const outcome = await link.submit(longHandOver(2))
    expect(outcome).toMatchObject({ kind: 'accepted' })
    expect(plain.submits(name)).toHaveLength(2)
    expectHonestHealth(link.health())
    // A modem without memory and announcements, such as a Nokia N79, receives nothing, and says so.
    expect(link.health().reasons.includes('receives_nothing')).toBe(name === 'NokiaN79')
    expect(plain.commands(name).filter((command) => /\+CPIN=/.test(command))).toEqual([])
  })

  test.for(behindPin)('%s is unlocked once, and sends', async (name) => {
    const link = await openLinkTo(`tcp://127.0.0.1:${locked.ports[name]}`, { pin: '1234' })
    expect((await link.submit(longHandOver(1))).kind).toBe('accepted')
    expect(locked.commands(name).filter((command) => /\+CPIN=/.test(command))).toEqual(['AT+CPIN="1234"'])
  })
})
