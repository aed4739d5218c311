import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fetchedFolder, hasCommands, hasFetched, pythonEnv } from './foreign-tools.ts'

/** Classes of test/fakemodems.py of python-gsmmodem-new 0.13.0. */
export const fakemodemNames = ['GenericTestModem', 'HuaweiK3715', 'HuaweiE1752', 'WavecomMultiband900E1800', 'QualcommM6280', 'ZteK3565Z', 'NokiaN79'] as const // prettier-ignore
export type FakemodemName = (typeof fakemodemNames)[number]

export interface Fakemodems {
  ports: Record<FakemodemName, number>
  /** Command lines that it understood, oldest first. */
  commands(name: FakemodemName): string[]
  /** PDUs that it took, with the reference that it gave. */
  submits(name: FakemodemName): { pdu: string; reference: number }[]
  stop(): Promise<void>
}

/** Whether Python and the archive are there: fetch-peers.ts. */
export const hasFakemodems = (): boolean => hasCommands('python3') && hasFetched('gsmmodem-source')

/**
 * Starts the fake modems of python-gsmmodem-new's own tests, a port on the loopback interface each. They answer OK to all that they do not know, echo
 * nothing, receive nothing, and take every PDU.
 */
export async function startFakemodems({
  pin = [],
  smsc = '+491710760000',
  simBusy = 0,
}: {
  /** Which ask for a PIN; any is right. */
  pin?: readonly FakemodemName[]
  /** What `AT+CSCA?` says; null for a bare OK. */
  smsc?: string | null
  /** How often the M6280 says CME 14 to `AT+CSCA?`. */
  simBusy?: number
} = {}): Promise<Fakemodems> {
  const folder = mkdtempSync(join(tmpdir(), 'onesixty-fakemodems-'))
  const log = join(folder, 'log.ndjson')
  const source = join(fetchedFolder, 'gsmmodem-source/test/fakemodems.py')
  const bridge = join(import.meta.dirname, 'fakemodems/bridge.py')
  const child = spawn('python3', [bridge, source, log, JSON.stringify({ pin, smsc, simBusy })], { env: pythonEnv('python'), stdio: ['pipe', 'pipe', 'inherit'] }) // prettier-ignore
  const ended = once(child, 'exit')
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(() => Promise.reject(new Error('The bridge ended before it listened.'))),
  ])) as [string]
  const read = (name: FakemodemName, kind: string): { text: string; reference: number }[] =>
    readFileSync(log, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((record) => JSON.parse(record) as { modem: string; kind: string; text: string; reference: number })
      .filter((record) => record.modem === name && record.kind === kind)
  return {
    ports: JSON.parse(line) as Fakemodems['ports'],
    commands: (name) => read(name, 'command').map(({ text }) => text),
    submits: (name) => read(name, 'submit').map(({ text, reference }) => ({ pdu: text, reference })),
    async stop() {
      child.kill()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}
