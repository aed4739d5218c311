import { type AtAnswer, type AtHandler, cms, ok, refused } from './at-call.ts'
import type { AtModem } from './at-modem.ts'
import type { Memory, StoredSms } from './memories.ts'
import type { MemoryName } from './modem-settings.ts'
import { ask, submit } from './sending.ts'

/** Commands about the memories: choosing, listing, reading, deleting, and writing for later (3GPP TS 27.005 sections 3.2.3, 3.4 and 3.5). */
export function memoryCommands(modem: AtModem): Record<string, AtHandler> {
  return {
    '+CPMS': choice(modem),
    '+CMGL': ({ form, values: [stat] }) => {
      if (form === 'test') return ok('+CMGL: (0-4)')
      return form === 'set' || form === 'run' ? list(modem, Number(stat ?? 0)) : null
    },
    '+CMGR': ({ form, values: [index] }) => {
      if (form === 'test') return ok()
      return form === 'set' ? read(modem, Number(index)) : null
    },
    '+CMGD': ({ form, values: [index, flag] }) => {
      if (form === 'test') return ok(`+CMGD: (${listed(modem).map(([place]) => place).join(',')}),(0-4)`) // prettier-ignore
      return form === 'set' ? remove(modem, Number(index), Number(flag ?? 0)) : null
    },
    '+CMGW': ({ form, values: [length, stat] }) => {
      if (form === 'test') return ok()
      if (form !== 'set') return null
      return ask(modem, Number(length), (pdu) =>
        Promise.resolve(write(modem, pdu, Number(length), Number(stat ?? 2))),
      )
    },
    '+CMSS': ({ form, values: [index] }) =>
      form === 'set' ? send(modem, Number(index)) : form === 'test' ? ok() : null,
  }
}

const names: readonly MemoryName[] = ['SM', 'ME', 'SR']

function available(modem: AtModem, isForReceiving: boolean): MemoryName[] {
  const { sizes, receivesInto } = modem.settings.storage
  return names.filter(
    (name) => (sizes[name] ?? 0) > 0 && (!isForReceiving || (receivesInto ?? names).includes(name)),
  )
}

const chosen = (modem: AtModem, place: 0 | 1 | 2): Memory | null => modem.memory(modem.state.memories[place])
const listed = (modem: AtModem): [number, StoredSms][] => chosen(modem, 0)?.list() ?? []

const choice =
  (modem: AtModem): AtHandler =>
  ({ form, values }) => {
    const { groups } = modem.settings.storage
    if (groups === 'refused') return refused
    if (form === 'test') return ok(`+CPMS: ${groupsOf(modem)}`)
    const counts = (name: MemoryName): string =>
      `${modem.memory(name)?.used ?? 0},${modem.memory(name)?.size ?? 0}`
    if (form === 'read') {
      if (groups === 'empty') return ok('+CPMS: ,,,,,,,,')
      return ok(`+CPMS: ${modem.state.memories.map((name) => `"${name}",${counts(name)}`).join(',')}`)
    }
    const most = groups === 'three' ? 3 : 2
    const isKnown = values.every((name, place) => available(modem, place === 2).includes(name as MemoryName))
    if (form !== 'set' || groups === 'empty' || values.length > most || !isKnown) return cms(302)
    const [first, second, third] = values as MemoryName[]
    const [, before, received] = modem.state.memories
    modem.state.memories = [
      first as MemoryName,
      second ?? before,
      third ?? (most === 2 ? (second ?? received) : received),
    ]
    return ok(`+CPMS: ${modem.state.memories.slice(0, most).map(counts).join(',')}`)
  }

function groupsOf(modem: AtModem): string {
  const groupOf = (isForReceiving: boolean): string =>
    `(${available(modem, isForReceiving).map((name) => `"${name}"`).join(',')})` // prettier-ignore
  const { groups } = modem.settings.storage
  const group = groupOf(false)
  if (groups === 'empty') return '(),(),()'
  if (groups === 'nested') return `(${group},("SM"))`
  return groups === 'two' ? `${group},${group}` : `${group},${group},${groupOf(true)}`
}

function list(modem: AtModem, stat: number): AtAnswer {
  const found = listed(modem).filter(([, sms]) => stat === 4 || sms.status === stat)
  if (found.length === 0 && modem.settings.storage.emptyList === 'cms-321') return cms(321)
  return ok(
    ...found.flatMap(([index, sms]) => [
      `+CMGL: ${index},${sms.status},${modem.settings.storage.alpha},${sms.length}`,
      ...take(modem, sms),
    ]),
  )
}

function read(modem: AtModem, index: number): AtAnswer {
  const memory = chosen(modem, 0)
  if (memory === null || !memory.has(index)) return cms(321)
  const sms = memory.get(index)
  if (sms !== null)
    return ok(`+CMGR: ${sms.status},${modem.settings.storage.alpha},${sms.length}`, ...take(modem, sms))
  const { emptyPlace } = modem.settings.storage
  if (emptyPlace === 'cms-321') return cms(321)
  return emptyPlace === 'bare-ok' ? ok() : ok('+CMGR: 0,,0', '')
}

/** Reading makes it read. */
function take(modem: AtModem, sms: StoredSms): [string] {
  if (sms.status === 0) {
    sms.status = 1
    note(modem, sms, 'listed')
  }
  return [sms.pdu]
}

function remove(modem: AtModem, index: number, flag: number): AtAnswer {
  const { storage } = modem.settings
  if (storage.refuseDeletes > 0) {
    modem.settings = { ...modem.settings, storage: { ...storage, refuseDeletes: storage.refuseDeletes - 1 } }
    return cms(500)
  }
  const memory = chosen(modem, 0)
  if (memory === null || (flag === 0 && !memory.has(index))) return cms(321)
  // 1: read; 2: and sent; 3: and unsent; 4: all.
  const isGone = ([place, { status }]: [number, StoredSms]): boolean =>
    flag === 0
      ? place === index
      : flag === 4 || status === 1 || (flag > 1 && status === 3) || (flag > 2 && status === 2)
  for (const [place, sms] of memory.list().filter(isGone)) {
    memory.delete(place)
    note(modem, sms, 'deleted')
  }
  modem.host.clock.schedule(0, () => modem.arrivals.pump(true))
  return ok()
}

function write(modem: AtModem, pdu: string, length: number, status: number): AtAnswer {
  const index = chosen(modem, 1)?.store({
    n: null,
    of: 'sms',
    reference: null,
    status,
    pdu: pdu.toUpperCase(),
    length,
  })
  return index === null || index === undefined ? cms(322) : ok(`+CMGW: ${index}`)
}

async function send(modem: AtModem, index: number): Promise<AtAnswer> {
  const sms = chosen(modem, 1)?.get(index) ?? null
  if (sms === null) return cms(321)
  const { lines, ...answer } = await submit(modem, sms.pdu, sms.length)
  if (answer.error === undefined) sms.status = 3
  return { ...answer, lines: lines.map((line) => line.replace('+CMGS', '+CMSS')) }
}

function note(modem: AtModem, { n, of, reference }: StoredSms, what: 'listed' | 'deleted'): void {
  if (n === null) return
  modem.host.log.write({ kind: 'arrival', modem: modem.host.modem, n, of, what, reference, detail: '' })
}
