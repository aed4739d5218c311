import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** The least that speaks to a modem: it writes what it is given, and waits for a pattern in what comes. It ends with its test. */
export interface AtDriver {
  write(text: string): void
  /** Waits until what came since the last match fits, and gives the match; fails with what did come. */
  until(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>
  /** Writes a command and gives its lines, the final one too, without echo and empty lines. */
  ask(command: string): Promise<string[]>
  /** Hands a PDU in: the prompt, Ctrl-Z and the answer. */
  submit(pdu: string): Promise<string[]>
  /** What came and was not matched yet. */
  readonly unread: string
  /** Settles with the end of the connection, and how it ended. */
  ended: Promise<'fin' | 'rst'>
  close(): Promise<void>
}

const final = /(?:^|\r|\n)(OK|ERROR|\+CM[ES] ERROR: [^\r\n]*|COMMAND NOT SUPPORT)\r+\n/

export async function openDriver(port: number): Promise<AtDriver> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await once(socket, 'connect')
  const driver = driverOver(socket)
  onTestFinished(() => driver.close())
  return driver
}

function driverOver(socket: Socket): AtDriver {
  let unread = ''
  let look = (): void => undefined
  const ended = new Promise<'fin' | 'rst'>((resolve) => {
    socket.on('error', () => resolve('rst'))
    socket.on('close', () => resolve('fin'))
  })
  socket.on('data', (bytes: Buffer) => {
    unread += bytes.toString('latin1')
    look()
  })
  const until: AtDriver['until'] = (pattern, withinMs = 5_000) =>
    new Promise((resolve, reject) => {
      const end = setTimeout(() => reject(new Error(`No ${pattern} in ${JSON.stringify(unread)}`)), withinMs)
      look = () => {
        const match = pattern.exec(unread)
        if (match === null) return
        clearTimeout(end)
        look = () => undefined
        unread = unread.slice(match.index + match[0].length)
        resolve(match)
      }
      look()
    })
  const answer = async (echo: string): Promise<string[]> => {
    const match = await until(new RegExp(`^([^]*?)${final.source}`))
    const lines = `${match[1]}\r\n${match[2]}`.split(/[\r\n]+/)
    return lines.filter((line) => line !== '' && line !== echo)
  }
  return {
    write: (text) => void socket.write(Buffer.from(text, 'latin1')),
    until,
    ask(command) {
      socket.write(`${command}\r`)
      return answer(command)
    },
    async submit(pdu) {
      socket.write(`AT+CMGS=${lengthOf(pdu)}\r`)
      await until(/(?:^|\n)> ?(?:\r\n)?/)
      socket.write(`${pdu}\x1a`, 'latin1')
      return answer(pdu)
    },
    get unread() {
      return unread
    },
    ended,
    async close() {
      if (socket.destroyed) return
      socket.destroy()
      await once(socket, 'close')
    },
  }
}

/** Octets without the SMSC in front. */
const lengthOf = (pdu: string): number => pdu.length / 2 - 1 - Number.parseInt(pdu.slice(0, 2), 16)
