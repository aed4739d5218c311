import { commandStatus } from '../codec/pdu.ts'

const names = new Map<number, string>(Object.entries(commandStatus).map(([name, status]) => [status, name]))

/** The name of a command_status in SMPP 3.4, section 5.1.3, or 5.0, section 4.7.6; undefined where neither has one. */
export const statusName = (status: number): string | undefined => names.get(status)

/** Formats a command_status for lookup: `ESME_RTHROTTLED`, or `0x00000402`. */
export const sayStatus = (status: number): string =>
  statusName(status) ?? `0x${status.toString(16).padStart(8, '0')}`
