import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, openSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** A serial port that is a pseudo-terminal, with what comes over TCP on its other side. */
export interface SerialPty {
  /** What a driver opens. */
  path: string
  /** Pulls the cable: the port vanishes, and with it the connection to the modem. */
  unplug(): Promise<void>
}

/**
 * Connects a pseudo-terminal at this path to a port on the loopback interface. A driver that closes it ends it, as the last one that had it open;
 * with `staysOpen` it is open here too, and lasts from driver to driver as a real port does.
 */
export async function openPty(port: number, path: string, { staysOpen = false } = {}): Promise<SerialPty> {
  const args = ['-d', `PTY,link=${path},raw,echo=0`, `TCP:127.0.0.1:${port}`]
  const child: ChildProcess = spawn('socat', args, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  for (let tries = 0; !existsSync(path); tries += 1) {
    if (child.exitCode !== null || tries > 200) throw new Error(`socat made no ${path}.`)
    await wait(10)
  }
  let held = staysOpen ? openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK) : null
  return {
    path,
    async unplug() {
      if (held !== null) closeSync(held)
      held = null
      child.kill()
      await ended
    },
  }
}
