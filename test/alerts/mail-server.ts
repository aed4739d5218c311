import type { AddressInfo, Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SmtpSession } from 'smtp-server'

export interface ReceivedMail {
  to: string
  from: string
  user: string | undefined
  subject: string
  /** The whole mail, with its headers. */
  raw: string
}

/** A mail server of npm that speaks SMTP as others do, with a user, and keeps what it takes. */
export interface MailServer {
  url: string
  mails: ReceivedMail[]
  /** What it answers to a mail in the place of taking it; null takes it. */
  refusal: Error | null
  /** It keeps a mail and hangs up in the place of saying so. */
  hangsUp: boolean
  stop(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === 'alerts' && password === 'secret'
        ? done(null, { user: username })
        : done(new Error('wrong password')),
    onData: (stream, session, done) => void answer(take(stream, session), done),
  })
  async function take(stream: Readable, session: SmtpSession): Promise<void> {
    const raw = await text(stream)
    if (kept.refusal !== null) throw kept.refusal
    mails.push({
      to: session.envelope.rcptTo.map(({ address }) => address).join(','),
      from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
      user: session.user,
      subject: /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(raw)?.[1]?.replace(/\r\n[ \t]+/g, ' ') ?? '',
      raw,
    })
    if (kept.hangsUp) for (const socket of sockets) socket.destroy()
  }
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const kept: MailServer = {
    url: `smtp://alerts:secret@127.0.0.1:${port}`,
    mails,
    refusal: null,
    hangsUp: false,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
  return kept
}

async function answer(taking: Promise<void>, done: (error?: Error | null) => void): Promise<void> {
  try {
    await taking
  } catch (error) {
    return done(error as Error)
  }
  return done()
}
