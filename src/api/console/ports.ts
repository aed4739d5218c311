import type { HistoryDeps } from '../../messages/history.ts'
import type { SendOperationDeps } from '../v1/send.ts'
import type { ExportSlots } from './export-slots.ts'
import type { SystemHealth } from './system-health.ts'

/** What calls of the console need of the parts that dispatch and send; one member a noun, filled in `console.ts`. */
export interface ConsolePorts {
  history: HistoryPorts
  /** The sending operation, with what it remembers between requests: people and programs share it. */
  send: SendOperationDeps
  /** Measures the instance, for the operator. */
  health: () => Promise<SystemHealth>
}

export interface HistoryPorts extends Pick<HistoryDeps, 'safeHorizonMs'> {
  /** Seals the cursors of pages; at least 32 random bytes. */
  cursorKey: Uint8Array
  /** Runs a write whose rows carry times from `atMs` on, which is now, so that no page passes by them. */
  holdHorizon<T>(atMs: number, write: () => Promise<T>): Promise<T>
  exports: ExportSlots
  /** Tells a phone that it is asked for something. */
  wakeDevice(deviceId: string): void
}
