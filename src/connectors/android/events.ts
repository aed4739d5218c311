import type { FastifyReply, FastifyRequest } from 'fastify'
import { settingsFor } from './app-settings.ts'
import { eventFrame, type StreamSink } from './event-streams.ts'
import type { Phone } from './phone.ts'
import type { DocumentName } from './read-documents.ts'
import { CallRefused, type PhoneCall, type PhoneRouteDeps, type ServerTools } from './route.ts'
import { webhooksFor } from './webhooks.ts'

/** What a phone reads of itself, as it would be now. */
export function documentsFor(
  { publicUrl }: Pick<PhoneRouteDeps, 'publicUrl'>,
  { registration, appVersion, phone }: PhoneCall,
): Record<DocumentName, string> {
  const url = publicUrl()
  return {
    settings: JSON.stringify(settingsFor(registration, phone?.pingIntervalS ?? 0)),
    webhooks: JSON.stringify(webhooksFor(registration, { appVersion, publicUrl: url })),
  }
}

const updated: Readonly<Record<DocumentName, string>> = {
  settings: 'SettingsUpdated',
  webhooks: 'WebhooksUpdated',
}

/** The event streams of all phones, as answers that have no end of their own (WHATWG HTML, server-sent events). */
export class StreamRoute {
  readonly #deps: PhoneRouteDeps
  readonly #tools: Pick<ServerTools, 'openStream'>
  readonly #open = new Set<StreamSink>()
  #isClosing = false

  constructor(deps: PhoneRouteDeps, tools: Pick<ServerTools, 'openStream'>) {
    this.#deps = deps
    this.#tools = tools
  }

  /**
   * GET /events: the comment goes at once, since the app fetches when the stream is open. What it should read anew is told to it: while it
   * was away it heard nothing, and after its first registration it has read nothing.
   */
  open(request: FastifyRequest, reply: FastifyReply, call: PhoneCall): void {
    const { phone } = call
    // The app asks again in 5 s.
    if (phone === null || this.#isClosing) throw new CallRefused(503, 'The device does not run.')
    const raw = this.#tools.openStream(request, reply, {
      contentType: 'text/event-stream',
      // The name by which nginx is told not to keep back what it is given.
      headers: { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
    })
    // It has gone while it was looked at: nobody would tell of its end again.
    if (request.raw.socket.destroyed) return
    raw.write(': open\n\n')
    const sink: StreamSink = {
      write: (frame) => void raw.write(frame),
      get pendingBytes() {
        return raw.writableLength
      },
      end: () => void raw.end(),
      cut: () => void raw.destroy(),
    }
    this.#open.add(sink)
    const left = phone.openStream(sink)
    raw.once('close', () => {
      this.#open.delete(sink)
      left()
    })
    // A connection that broke is over; its close follows.
    raw.on('error', () => undefined)
    this.#tellStale(sink, phone, call)
  }

  /** Ends all of them, so that the server can close. */
  close(): void {
    this.#isClosing = true
    for (const sink of this.#open) sink.end()
  }

  #tellStale(sink: StreamSink, phone: Phone, call: PhoneCall): void {
    const documents = documentsFor(this.#deps, call)
    for (const name of ['settings', 'webhooks'] as const) {
      if (phone.documents.isStale(call.registration.phoneId, name, documents[name]))
        sink.write(eventFrame(updated[name], null))
    }
  }
}
