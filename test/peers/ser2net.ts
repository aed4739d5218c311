import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { foreignEnv } from './foreign-tools.ts'

export interface Ser2net {
  stop(): Promise<void>
}

/** Starts ser2net in front of a serial port, raw or telnet; settles when it listens. */
export async function startSer2net(options: {
  tty: string
  port: number
  protocol: 'tcp' | 'telnet'
  folder: string
}): Promise<Ser2net> {
  const { tty, port, protocol, folder } = options
  const file = join(folder, `ser2net-${port}.yaml`)
  const accepter = protocol === 'tcp' ? `tcp,127.0.0.1,${port}` : `telnet,tcp,127.0.0.1,${port}`
  writeFileSync(file, `%YAML 1.1\n---\nconnection: &modem\n  accepter: ${accepter}\n  connector: serialdev,${tty},115200n81,local\n`) // prettier-ignore
  const child = spawn('ser2net', ['-n', '-u', '-c', file], { env: foreignEnv(), stdio: 'ignore' })
  const ended = once(child, 'exit')
  while (!listens(port)) {
    if (child.exitCode !== null) throw new Error('ser2net ended before it listened.')
    await wait(20)
  }
  return {
    async stop() {
      child.kill()
      await ended
    },
  }
}

/** By the kernel's list, since a connection would be the one client. */
function listens(port: number): boolean {
  const at = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`
  return readFileSync('/proc/net/tcp', 'utf8').includes(at)
}
