/** As much of the npm package `smtp-server` as the tests use; it brings no types. */
declare module 'smtp-server' {
  import type { Server } from 'node:net'
  import type { Readable } from 'node:stream'

  export interface SmtpSession {
    user?: string
    envelope: { mailFrom: { address: string } | false; rcptTo: { address: string }[] }
  }
  interface SmtpServerOptions {
    secure?: boolean
    authOptional?: boolean
    disabledCommands?: string[]
    onAuth?(
      auth: { username?: string; password?: string },
      session: SmtpSession,
      done: (error: Error | null, response?: { user: string }) => void,
    ): void
    onData?(stream: Readable, session: SmtpSession, done: (error?: Error | null) => void): void
  }
  export class SMTPServer {
    constructor(options: SmtpServerOptions)
    readonly server: Server
    listen(port: number, host: string, listening: () => void): Server
    close(closed: () => void): void
    on(event: 'error', listener: (error: Error) => void): this
  }
}
