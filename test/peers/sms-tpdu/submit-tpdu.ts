import { readAddress, readSmsc, type TpduAddress } from './tpdu-address.ts'
import { bytesOfHex, Octets, TpduError } from './tpdu-octets.ts'
import { readUserData, type UserData } from './tpdu-text.ts'

/** An SMS-SUBMIT (3GPP TS 23.040 section 9.2.2.2) with the SMSC in front of it. */
export interface SubmitTpdu extends UserData {
  smsc: TpduAddress | null
  firstOctet: number
  /** TP-SRR. */
  wantsReport: boolean
  /** TP-RD. */
  rejectsDuplicates: boolean
  /** TP-MR as it was written; modems write their own. */
  writtenReference: number
  to: TpduAddress
  pid: number
  dcs: number
  validity: { format: 'none' | 'relative' | 'absolute' | 'enhanced'; octets: string }
}

/**
 * Reads what a modem is given after `AT+CMGS=<length>`. Written from the standard for the emulator alone, which shares nothing with the program;
 * refuses by `TpduError` what an SMSC could not read.
 */
export function readSubmit(hex: string, length: number): SubmitTpdu {
  const octets = new Octets(bytesOfHex(hex))
  const smsc = readSmsc(octets)
  if (octets.left !== length)
    throw new TpduError(`Its length was said to be ${length}, and it has ${octets.left} octets.`)
  const firstOctet = octets.next('the first octet')
  if ((firstOctet & 3) !== 1) throw new TpduError('It is no SMS-SUBMIT.')
  const writtenReference = octets.next('TP-MR')
  const to = readAddress(octets, 'TP-DA')
  if (to.number === '') throw new TpduError('TP-DA is empty.')
  const pid = octets.next('TP-PID')
  const dcs = octets.next('TP-DCS')
  const format = (['none', 'enhanced', 'relative', 'absolute'] as const)[(firstOctet >> 3) & 3] ?? 'none'
  const validity = octets
    .take({ none: 0, relative: 1, absolute: 7, enhanced: 7 }[format], 'TP-VP')
    .toString('hex')
  return {
    smsc,
    firstOctet,
    wantsReport: (firstOctet & 0x20) !== 0,
    rejectsDuplicates: (firstOctet & 0x04) !== 0,
    writtenReference,
    to,
    pid,
    dcs,
    validity: { format, octets: validity },
    ...readUserData(octets, dcs, (firstOctet & 0x40) !== 0),
  }
}
