import type { MemoryName, ModemSettings } from './modem-settings.ts'

/** What commands set, and a reset takes back. */
export interface ModemState {
  cmee: number
  cmgf: number
  cfun: number
  charset: string
  /** CSMS. */
  service: number
  cnmi: number[]
  /** The unsolicited mode of CREG, CGREG and CEREG. */
  registrationMode: Record<string, number>
  operatorFormat: number
  /** What is listed and deleted, written and sent, and received into. */
  memories: [MemoryName, MemoryName, MemoryName]
  moreToSend: number
  /** SMS commands work. */
  isReady: boolean
  /** The network is there again after CFUN=1. */
  isOnAir: boolean
  busyCommands: number
  /** Unsolicited lines come to this port. */
  isOnThisPort: boolean
  /** Switched off by itself: nothing works until a reset. */
  isOff: boolean
  /** What waits while the mode of CNMI is 0. */
  buffered: (readonly string[])[]
  /** CSDH, CSMP and others that are taken, given back, and mean nothing in PDU mode. */
  others: Map<string, string>
}

export function startState({ identity, indications, storage }: ModemSettings): ModemState {
  const first: MemoryName = (storage.sizes.SM ?? 0) > 0 ? 'SM' : 'ME'
  return {
    cmee: 0,
    cmgf: 0,
    cfun: identity.cfun,
    charset: 'GSM',
    service: 0,
    cnmi: [...indications.cnmiAtStart],
    registrationMode: {},
    operatorFormat: 0,
    memories: [first, first, first],
    moreToSend: 0,
    isReady: identity.readyAfterMs === 0,
    isOnAir: identity.cfun === 1,
    busyCommands: 0,
    isOnThisPort: indications.otherPortUntil === null,
    isOff: false,
    buffered: [],
    others: new Map(),
  }
}
