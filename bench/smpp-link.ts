import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchAccount, BenchFolder } from './server-process.ts'
import { startBenchSmsc } from './smpp-smsc.ts'

/** Gives a server's account its link to the SMSC. */
export type AddLink = (served: { folder: BenchFolder; account: BenchAccount }) => Promise<void>

export interface LinkShape {
  sessions: number
  window: number
  answerAfterMs: number
}

/** What whole lives are measured with. */
export const wideLink: LinkShape = { sessions: 4, window: 100, answerAfterMs: 0 }

/** Runs with an SMSC of our own codec in another process. */
export async function withBenchSmsc<T>(shape: LinkShape, use: (addLink: AddLink) => Promise<T>): Promise<T> {
  const smsc = await startBenchSmsc(shape.answerAfterMs)
  try {
    return await use(({ folder, account }) => addLink(folder, account, { ...shape, port: smsc.port }))
  } finally {
    smsc.stop()
  }
}

async function addLink(
  folder: BenchFolder,
  { accountId }: BenchAccount,
  { port, sessions, window }: LinkShape & { port: number },
): Promise<void> {
  const secret = join(folder.path, 'smsc-password')
  await writeFile(secret, 'bench', { mode: 0o600 })
  const settings = [`sessions=${sessions}`, `window=${window}`].flatMap((pair) => ['--set', pair])
  await folder.cli(
    'device', 'add', 'smpp', '--account', accountId, '--name', 'SMSC', '--host', '127.0.0.1', '--port', String(port), '--system-id', 'bench',
    '--secret-file', `password=${secret}`, ...settings,
  ) // prettier-ignore
}
