import { describe, expect, test } from 'vitest'
import type { Inbound, Receipt } from '../../src/connectors/connector.ts'
import { createTaker } from '../../src/connectors/modem/receive/take-tpdu.ts'
import { fetchOne, sweep } from '../../src/connectors/modem/receive/sweep.ts'
import { WaitingReports } from '../../src/connectors/modem/receive/waiting-reports.ts'
import { eventually } from '../eventually.ts'
import type { ModemOptions } from '../at-modem/modem-pool.ts'
import { openEmulated } from './emulated.ts'

async function open(options: ModemOptions = {}) {
  const emulated = await openEmulated(options)
  const { ask, modem } = emulated
  for (const command of ['ATE0', 'AT+CMGF=0', 'AT+CPMS="SM","SM","SM"', 'AT+CNMI=2,1,0,2,0'])
    await ask(command)
  const inbound: Inbound[] = []
  const receipts: Receipt[] = []
  const world = { canStore: true, noneOpen: (): Promise<void> => Promise.resolve() }
  const reports = new WaitingReports({ now: Date.now })
  const store =
    <T>(list: T[]) =>
    async (each: T): Promise<void> => {
      if (!world.canStore) throw new Error('The store takes nothing just now.')
      list.push(each)
    }
  const take = createTaker({
    events: { inbound: store(inbound), receipt: store(receipts) },
    reports,
    noneOpen: () => world.noneOpen(),
  })
  const arrived = (count: number): Promise<unknown> =>
    eventually(async () => (await modem.state()).used.SM, (used) => expect(used).toBe(count)) // prettier-ignore
  return { ...emulated, inbound, receipts, reports, world, take, arrived, deps: { ask, take } }
}
const used = async ({ modem }: Pick<Awaited<ReturnType<typeof open>>, 'modem'>): Promise<number> =>
  (await modem.state()).used.SM

describe('17, 18: a sweep', () => {
  test('passes on what was received, and deletes it by its index afterwards', async () => {
    const opened = await open()
    const { modem, deps, inbound, arrived } = opened
    await modem.receive({ from: '+491711234567', text: 'one' })
    await modem.receive({ from: 'Telekom', text: 'zwei 😀' })
    await arrived(2)
    expect(await sweep(deps, 'SM')).toEqual({ used: 0, places: 20, undecodable: 0 })
    expect(inbound.map(({ from, text }) => [from, text])).toEqual([
      ['+491711234567', 'one'],
      ['Telekom', 'zwei 😀'],
    ])
    expect(await used(opened)).toBe(0)
    expect(modem.commands().filter((command) => /CMGD=\d+,/.test(command))).toEqual([])
  })

  test('leaves what could not be stored, and brings it again', async () => {
    const opened = await open()
    const { modem, deps, inbound, arrived, world } = opened
    await modem.receive({ from: '+491711234567', text: 'one' })
    await arrived(1)
    world.canStore = false
    await sweep(deps, 'SM')
    expect([inbound.length, await used(opened)]).toEqual([0, 1])
    world.canStore = true
    await sweep(deps, 'SM')
    expect([inbound.length, await used(opened)]).toEqual([1, 0])
  })

  test('a delete that fails comes again, under the same fingerprint', async () => {
    const opened = await open({ settings: { storage: { refuseDeletes: 1 } } })
    const { modem, deps, inbound, arrived } = opened
    await modem.receive({ from: '+491711234567', text: 'one' })
    await arrived(1)
    await sweep(deps, 'SM')
    await sweep(deps, 'SM')
    expect(await used(opened)).toBe(0)
    expect(new Set(inbound.map(({ fingerprint }) => fingerprint)).size).toBe(1)
    expect(inbound).toHaveLength(2)
  })

  test('an empty memory may answer CMS 321 (SIM7600), and one that is not there nothing', async () => {
    const { deps } = await open({ settings: { storage: { emptyList: 'cms-321', sizes: { SM: 20, ME: 0 } } } })
    expect(await sweep(deps, 'SM')).toEqual({ used: 0, places: 20, undecodable: 0 })
    expect(await sweep(deps, 'ME')).toBeNull()
  })

  test('what cannot be decoded stays, and makes room from 90 % on, the oldest first', async () => {
    const opened = await open({ settings: { storage: { sizes: { SM: 10 } } } })
    const { modem, deps, inbound, arrived } = opened
    for (let count = 0; count < 8; count++) await modem.receiveTpdu('040B9113')
    await arrived(8)
    expect(await sweep(deps, 'SM')).toEqual({ used: 8, places: 10, undecodable: 8 })
    expect(await used(opened)).toBe(8)
    await modem.receiveTpdu('040B9113')
    await arrived(9)
    expect(await sweep(deps, 'SM')).toEqual({ used: 8, places: 10, undecodable: 9 })
    await modem.receive({ from: '+491711234567', text: 'one' })
    await arrived(9)
    await sweep(deps, 'SM')
    expect([inbound.length, await used(opened)]).toEqual([1, 8])
  })

  test('8: a memory of five places, and fifty SMS for it: all are stored', async () => {
    const { modem, deps, inbound } = await open({ settings: { storage: { sizes: { SM: 5 } } } })
    const texts = Array.from({ length: 50 }, (_, i) => `number ${i}`)
    for (const text of texts) await modem.receive({ from: '+491711234567', text })
    await eventually(
      () => sweep(deps, 'SM').then(() => inbound.map(({ text }) => text)),
      (stored) => expect(stored.toSorted()).toEqual(texts.toSorted()),
    )
  })

  test('one that is announced is fetched by its index, and one that is not there is left to a sweep', async () => {
    const opened = await open()
    const { modem, deps, inbound, unsolicited } = opened
    await modem.receive({ from: '+491711234567', text: 'one' })
    await eventually(async () => unsolicited.at(-1)?.text, (said) => expect(said).toBe('+CMTI: "SM",1')) // prettier-ignore
    expect(await fetchOne(deps, 'SM', 1)).toBe(true)
    expect([inbound.length, await used(opened)]).toEqual([1, 0])
    expect(await fetchOne(deps, 'SM', 1)).toBe(false)
  })

  test('15: a stored report is passed on about its part, and waits while a reference is open', async () => {
    const { modem, deps, receipts, reports, world } = await open()
    const report = '06 07 0B 91 9471214365F7 62117222550000 62117222560000 00'.replaceAll(' ', '')
    await modem.receiveTpdu(report, 'report')
    await eventually(async () => (await modem.state()).used.SR, (stored) => expect(stored).toBe(1)) // prettier-ignore
    let resolve = (): void => undefined
    world.noneOpen = () => new Promise<void>((settle) => (resolve = settle))
    const swept = sweep(deps, 'SR')
    await eventually(async () => modem.commands().at(-1), (command) => expect(command).toBe('AT+CMGL=4')) // prettier-ignore
    expect(receipts).toEqual([])
    const id = reports.sent(7, '+49171234567')
    resolve()
    await swept
    expect(receipts).toMatchObject([{ networkId: id, result: 'delivered', numbers: ['+49171234567'] }])
    expect((await modem.state()).used.SR).toBe(0)
  })
})
