import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** A mail server of a few words (RFC 5321): takes every mail, or refuses all, and keeps what it was given. */
export interface SmtpStub {
  url: string
  mails: { to: string; text: string }[]
  refuses: boolean
  /** Where it hangs up; a mail is kept before that. */
  hangsUp: 'at DATA' | 'after the dot' | null
  stop(): Promise<void>
}

export async function startSmtpStub(): Promise<SmtpStub> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    converse(socket, stub)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stub: SmtpStub = {
    url: `smtp://127.0.0.1:${port}`,
    mails: [],
    refuses: false,
    hangsUp: null,
    stop() {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return stub
}

function converse(socket: Socket, stub: SmtpStub): void {
  let buffer = ''
  let to = ''
  let isData = false
  socket.write('220 stub ESMTP\r\n')
  const take = (end: string): string | null => {
    const at = buffer.indexOf(end)
    if (at === -1) return null
    const taken = buffer.slice(0, at)
    buffer = buffer.slice(at + end.length)
    return taken
  }
  const answer = (line: string): string => {
    if (/^RCPT TO:/i.test(line)) {
      to = /<([^>]*)>/.exec(line)?.[1] ?? ''
      return stub.refuses ? '550 not here' : '250 ok'
    }
    if (/^DATA/i.test(line)) {
      if (stub.hangsUp === 'at DATA') socket.destroy()
      isData = true
      return '354 go on'
    }
    return /^QUIT/i.test(line) ? '221 bye' : '250 ok'
  }
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    buffer += chunk
    for (;;) {
      const taken = take(isData ? '\r\n.\r\n' : '\r\n')
      if (taken === null) return
      if (isData) {
        stub.mails.push({ to, text: taken })
        isData = false
        if (stub.hangsUp === 'after the dot') socket.destroy()
        socket.write('250 kept\r\n')
      } else socket.write(`${answer(taken)}\r\n`)
    }
  })
}
