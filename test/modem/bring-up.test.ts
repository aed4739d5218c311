import { describe, expect, test } from 'vitest'
import { type BroughtUp, bringUp, type BringUpSettings } from '../../src/connectors/modem/setup/bring-up.ts'
import { hasIndications } from '../../src/connectors/modem/setup/indications.ts'
import { readOperator, readRegistration, readSignal } from '../../src/connectors/modem/setup/registration.ts'
import type { ModemOptions } from '../at-modem/modem-pool.ts'
import { connectTo, type Emulated, openEmulated } from './emulated.ts'

const settings: BringUpSettings = {
  profile: 'auto',
  imei: null,
  simMark: null,
  serviceCentre: null,
  storage: 'auto',
  reportRoute: 'auto',
  init: [],
}

/** Marks as the database keeps them: for all nodes and starts. */
function createMarks() {
  const marked = new Set<string>()
  return {
    marked,
    marks: {
      mark: async (name: string) => !marked.has(name) && marked.add(name).has(name),
      unmark: async (name: string) => void marked.delete(name),
    },
  }
}

interface Given {
  pin?: string | null
  settings?: Partial<BringUpSettings>
  marks?: ReturnType<typeof createMarks>
}

const up = (
  { ask, tools }: Pick<Emulated, 'ask' | 'tools'>,
  { pin = null, settings: changed = {}, marks = createMarks() }: Given = {},
): Promise<BroughtUp> =>
  bringUp({ ask, tools, marks: marks.marks, pin, settings: { ...settings, ...changed } })

async function bringUpNew(
  options: ModemOptions,
  given: Given = {},
): Promise<Emulated & { result: BroughtUp }> {
  const emulated = await openEmulated(options)
  return { ...emulated, result: await up(emulated, given) }
}

const faultOf = (result: BroughtUp): string => (result.kind === 'fault' ? result.fault : 'up')

describe('9: bringing a modem up', () => {
  test.for([
    ['generic', 'generic', 'ME'],
    ['huawei', 'huawei', 'ME'],
    ['huawei-lte', 'huawei', 'SM'],
    ['simcom', 'simcom', 'SM'],
    ['simcom-lte', 'simcom-lte', 'ME'],
    ['quectel', 'quectel', 'ME'],
    ['zte', 'zte', 'ME'],
    ['sierra', 'sierra', 'SM'],
    ['wavecom', 'wavecom', 'SM'],
  ] as const)('%s is up, with profile %s and received messages in %s', async ([profile, known, memory]) => {
    const { modem, result, tools, ask } = await bringUpNew({ profile })
    expect(result).toMatchObject({
      kind: 'up',
      profile: { name: known },
      imei: '490154203237518',
      storage: { memory },
      indications: { reports: 'direct', values: '2,1,0,1,0', acknowledges: true },
      hasServiceCentre: true,
    })
    expect((await modem.state()).cnmi).toEqual([2, 1, 0, 1, 0])
    expect(await readRegistration(ask)).toEqual({ registered: true, roaming: false })
    expect([await readSignal(ask), await readOperator(ask)]).toEqual([-73, 'Testnetz'])
    expect(tools.monotonicMs()).toBeGreaterThan(0)
    expect(modem.commands().filter((command) => /^AT(?:Z|&[FW])/.test(command))).toEqual([])
  })

  test('what a modem does not say is unknown, never bad (test/fakemodems.py, Nokia N79: OK to all)', async () => {
    const rules = [{ command: '^AT(?!\\+CM[EG]|E0|$).', lines: ['OK'] }]
    const { result, ask } = await bringUpNew({ settings: { answers: { rules } } })
    expect(result).toMatchObject({
      kind: 'up',
      maker: null,
      imei: null,
      simMark: null,
      hasServiceCentre: true,
    })
    expect(await readRegistration(ask)).toEqual({ registered: null, roaming: null })
    expect([await readSignal(ask), await readOperator(ask)]).toEqual([null, null])
  })

  test('PDU mode is asked for again while a modem that has just started refuses it (GPRS_SIM900 39)', async () => {
    const rules = [{ command: 'CMGF=0', lines: ['ERROR'], times: 3 }]
    expect(faultOf((await bringUpNew({ settings: { answers: { rules } } })).result)).toBe('up')
    const never = [{ command: 'CMGF=0', lines: ['ERROR'] }]
    expect(faultOf((await bringUpNew({ settings: { answers: { rules: never } } })).result)).toBe(
      'no_pdu_mode',
    )
  })

  test('another modem or another SIM under the path is not used', async () => {
    const { result, ask, tools } = await bringUpNew({})
    const { simMark } = result as Extract<BroughtUp, { kind: 'up' }>
    expect(simMark).toMatch(/^[0-9a-f]{16}$/)
    const again = { ask, tools }
    expect(faultOf(await up(again, { settings: { imei: '490154203237518', simMark } }))).toBe('up')
    expect(faultOf(await up(again, { settings: { imei: '490154203237519' } }))).toBe('other_modem')
    expect(faultOf(await up(again, { settings: { simMark: '0123456789abcdef' } }))).toBe('sim_changed')
  })

  test('the mark of a SIM is the same by each command that reads it', async () => {
    const marks = await Promise.all(
      (['+CCID', '+CRSM', '^ICCID', '+QCCID'] as const).map(async (name) => {
        const profile = name === '^ICCID' ? 'huawei' : name === '+QCCID' ? 'quectel' : 'generic'
        const { result } = await bringUpNew({ profile, settings: { identity: { iccidBy: [name] } } })
        return result.kind === 'up' ? result.simMark : null
      }),
    )
    expect(new Set(marks).size).toBe(1)
    expect(marks[0]).not.toBeNull()
  })
})

describe('10: a SIM that cannot be used', () => {
  test.for([
    ['none', { sim: null }, 'no_sim'],
    ['locked by its PUK', { sim: { triesLeft: 0, pin: '1234' } }, 'sim_puk'],
    ['destroyed', { sim: { pukTriesLeft: 0 } }, 'sim_failed'],
    ['locked to a network', { settings: { answers: { rules: [{ command: 'CPIN\\?', lines: ['+CPIN: PH-NET PIN', 'OK'] }] } } }, 'sim_puk'],
    ['out of its holder', { settings: { answers: { rules: [{ command: 'CPIN\\?', lines: ['+CPIN: NOT INSERTED', 'OK'] }] } } }, 'no_sim'],
    ['not ready yet', { settings: { answers: { rules: [{ command: 'CPIN\\?', lines: ['+CPIN: NOT READY', 'OK'] }] } } }, 'sim_busy'],
    ['busy for longer than half a minute', { settings: { answers: { rules: [{ command: 'CPIN\\?', lines: ['+CME ERROR: 14'] }] } } }, 'sim_busy'],
  ] as const)('%s', async ([, options, fault]) => {
    const { modem, result } = await bringUpNew(options, { pin: '1234' })
    expect(faultOf(result)).toBe(fault)
    expect(modem.commands().filter((command) => /CPIN=|CMGS/.test(command))).toEqual([])
  }) // prettier-ignore

  test('one that is busy at first is asked again', async () => {
    const rules = [{ command: 'CPIN\\?', lines: ['+CME ERROR: 14'], times: 3 }]
    expect(faultOf((await bringUpNew({ settings: { answers: { rules } } })).result)).toBe('up')
  })
})

describe('11: a PIN is tried at most once, ever', () => {
  const sim = { pin: '4711' }
  const pinsTried = ({ modem }: Emulated): string[] => modem.recordsOf('pin').map(({ what }) => what)

  test.for(['generic', 'huawei', 'simcom', 'quectel', 'zte', 'wavecom'] as const)(
    'the right one unlocks %s, and leaves no mark',
    async (profile) => {
      const marks = createMarks()
      const emulated = await bringUpNew({ profile, sim }, { pin: '4711', marks })
      expect([faultOf(emulated.result), pinsTried(emulated), [...marks.marked]]).toEqual([
        'up',
        ['right'],
        [],
      ])
    },
  )

  test('a wrong one costs one try, over any number of starts and nodes', async () => {
    const marks = createMarks()
    const emulated = await bringUpNew({ sim }, { pin: '0000', marks })
    expect(faultOf(emulated.result)).toBe('pin_refused')
    for (let starts = 0; starts < 5; starts++)
      expect(faultOf(await up(emulated, { pin: '0000', marks }))).toBe('pin_refused')
    expect(pinsTried(emulated)).toEqual(['wrong'])
    expect((await emulated.modem.state()).sim?.triesLeft).toBe(2)
    // A person sets the secret again, which removes the mark.
    marks.marked.clear()
    expect(faultOf(await up(emulated, { pin: '4711', marks }))).toBe('up')
  })

  test.for([
    ['generic', '+CPINR'],
    ['huawei', '^CPIN'],
    ['quectel', '+QPINC'],
    ['simcom', '+SPIC'],
  ] as const)('the last try is left to a person (%s, %s)', async ([profile]) => {
    const marks = createMarks()
    const emulated = await bringUpNew({ profile, sim: { pin: '4711', triesLeft: 1 } }, { pin: '4711', marks })
    expect([faultOf(emulated.result), pinsTried(emulated), [...marks.marked]]).toEqual([
      'pin_last_try',
      [],
      [],
    ])
  })

  test('the mark is stored before the PIN is written, and stays when the line ends then', async () => {
    const marks = createMarks()
    const rules = [{ command: 'CPIN="', lines: [] }]
    const { modem, ...emulated } = await openEmulated({ sim, settings: { answers: { rules } } })
    const began = up(emulated, { pin: '4711', marks })
    await expect.poll(() => modem.commands().some((command) => command.startsWith('AT+CPIN="'))).toBe(true)
    expect([...marks.marked]).toEqual(['pin'])
    await modem.hangUp()
    expect(faultOf(await began)).toBe('pin_refused')
    await modem.set({ answers: { rules: [] } })
    expect(faultOf(await up(await connectTo(modem), { pin: '4711', marks }))).toBe('pin_refused')
    expect(modem.recordsOf('pin')).toEqual([])
  })

  test('another SIM than the known one gets no PIN', async () => {
    const emulated = await bringUpNew({ sim }, { pin: '4711', settings: { simMark: '0123456789abcdef' } })
    expect([faultOf(emulated.result), pinsTried(emulated)]).toEqual(['sim_changed', []])
  })

  test.for([null, '', '12', '123456789', '1234",1', 'abcd'])(
    '%j is no PIN, and is not written',
    async (pin) => {
      const emulated = await bringUpNew({ sim }, { pin })
      expect([faultOf(emulated.result), pinsTried(emulated)]).toEqual(['sim_pin', []])
      expect(emulated.modem.commands().filter((command) => command.startsWith('AT+CPIN='))).toEqual([])
    },
  )
})

describe('12 to 16: what else is set', () => {
  test('a radio that is off is switched on', async () => {
    const { modem, result } = await bringUpNew({ settings: { identity: { cfun: 4, busyAfterCfun: 2 } } })
    expect([faultOf(result), (await modem.state()).cfun]).toEqual(['up', 1])
  })

  test('a SIM without a service centre can receive, but not send', async () => {
    expect((await bringUpNew({ sim: { smsc: null } })).result).toMatchObject({
      kind: 'up',
      hasServiceCentre: false,
    })
    const own = await bringUpNew({ sim: { smsc: null } }, { settings: { serviceCentre: '+491710760000' } })
    expect(own.result).toMatchObject({ kind: 'up', hasServiceCentre: true })
    expect((await own.modem.state()).sim?.smsc).toBeNull()
  })

  test.for([
    ['all of them', undefined, 'auto', 'direct', [2, 1, 0, 1, 0]],
    ['stored reports are wanted', undefined, 'stored', 'stored', [2, 1, 0, 2, 0]],
    ['no mode 2', [[0, 1], [0, 1], [0], [0, 1], [0, 1]], 'auto', 'direct', [1, 1, 0, 1, 0]],
    ['reports are only stored', [[0, 1, 2], [0, 1], [0], [0, 2], [0]], 'auto', 'stored', [2, 1, 0, 2, 0]],
    ['no reports', [[0, 1, 2], [0, 1], [0], [0], [0]], 'auto', 'none', [2, 1, 0, 0, 0]],
  ] as const)('CNMI: %s', async ([, cnmi, reportRoute, reports, values]) => {
    const given = cnmi === undefined ? {} : { indications: { cnmi } }
    const { modem, result } = await bringUpNew({ settings: given }, { settings: { reportRoute } })
    expect(result).toMatchObject({ indications: { reports } })
    expect((await modem.state()).cnmi).toEqual(values)
  })

  test('14: that CNMI was forgotten is noticed', async () => {
    const { modem, result, ask } = await bringUpNew({})
    const { indications } = result as Extract<BroughtUp, { kind: 'up' }>
    expect(await hasIndications(ask, indications)).toBe(true)
    await modem.forgetIndications()
    expect(await hasIndications(ask, indications)).toBe(false)
  })

  test.for(['three', 'two', 'nested', 'empty', 'refused'] as const)(
    '16: memories in %s groups',
    async (groups) => {
      const { result } = await bringUpNew({ settings: { storage: { groups } } })
      const named = groups === 'empty' || groups === 'refused' ? null : 'ME'
      expect(result).toMatchObject({ kind: 'up', storage: { memory: named, swept: ['SM', 'ME'] } })
    },
  )
})
