import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { submissionOf } from '../contracts/contract-subject.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { hasCommands } from '../peers/foreign-tools.ts'
import { startSer2net } from '../peers/ser2net.ts'
import { openPty } from '../peers/serial-pty.ts'
import { canSend, openLinkTo } from './machine-link.ts'
import { type PooledModem, startPooledModem } from '../at-modem/modem-pool.ts'

const folderOfTest = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'onesixty-port-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** How a modem is reached, and what ends that and opens it again. */
interface Way {
  port: string
  cut(): Promise<unknown>
  mend(): Promise<unknown>
}

async function serial(modem: PooledModem): Promise<Way> {
  const path = join(folderOfTest(), 'tty')
  let pty = await openPty(modem.port, path, { staysOpen: true })
  onTestFinished(() => pty.unplug())
  return {
    port: path,
    cut: () => pty.unplug(),
    mend: async () => void (pty = await openPty(modem.port, path, { staysOpen: true })),
  }
}

async function throughSer2net(modem: PooledModem, protocol: 'tcp' | 'telnet'): Promise<Way> {
  const folder = folderOfTest()
  const path = join(folder, 'tty')
  const pty = await openPty(modem.port, path, { staysOpen: true })
  onTestFinished(() => pty.unplug())
  const port = await freePort()
  const start = () => startSer2net({ tty: path, port, protocol, folder })
  let bridge = await start()
  onTestFinished(() => bridge.stop())
  return {
    port: `${protocol}://127.0.0.1:${port}`,
    cut: () => bridge.stop(),
    mend: async () => void (bridge = await start()),
  }
}

const ways = {
  'a serial port': { needs: ['socat'], open: serial },
  'tcp:// of ser2net': {
    needs: ['socat', 'ser2net'],
    open: (modem: PooledModem) => throughSer2net(modem, 'tcp'),
  },
  'telnet:// of ser2net': {
    needs: ['socat', 'ser2net'],
    open: (modem: PooledModem) => throughSer2net(modem, 'telnet'),
  },
} as const

describe.for(Object.entries(ways))('8.4 over %s', ([, { needs, open }]) => {
  test.skipIf(!hasCommands(...needs))('a cut sends nothing before the Ctrl-Z, leaves one part unknown after it, and heals', async () => {
    const modem = await startPooledModem('machine')
    const way = await open(modem)
    const link = await openLinkTo(way.port)
    expect((await link.submit(submissionOf())).kind).toBe('accepted')

    await modem.set({ submit: { prompt: 'none' } })
    const before = link.submit(submissionOf())
    const prompts = (): number => modem.commands().filter((command) => command.startsWith('AT+CMGS=')).length
    await eventually(async () => prompts(), (seen) => expect(seen).toBe(2), 5_000)
    await way.cut()
    expect((await before).kind).toBe('unavailable')
    expect(modem.submits()).toHaveLength(1)
    await eventually(async () => link.health().status, (status) => expect(status).toBe('offline'), 5_000)

    await modem.set({ submit: { prompt: 'right', rules: [{ isTaken: true, answer: 'silence', times: 1 }] } })
    await way.mend()
    await canSend(link)
    const after = link.submit(submissionOf())
    await eventually(async () => modem.submits().length, (seen) => expect(seen).toBe(2), 5_000)
    await way.cut()
    expect(await after).toMatchObject({ kind: 'unknown', partsTaken: 0, connectionLost: true })
    await way.mend()
    await canSend(link)
    expect((await link.submit(submissionOf())).kind).toBe('accepted')
    expect(modem.taken()).toHaveLength(3)
  }) // prettier-ignore
})
