import type { FastifyReply, FastifyRequest } from 'fastify'
import { eventFrame, type StreamSink } from './event-streams.ts'
import type { Phone } from './phone.ts'
import { documentsFor } from './documents.ts'
import type { DocumentName } from './read-documents.ts'
import { CallRefused, type PhoneCall, type PhoneRouteDeps, type ServerTools } from './route.ts'

const updated: Readonly<Record<DocumentName, string>> = {
  settings: 'SettingsUpdated',
  webhooks: 'WebhooksUpdated',
}

/** The event streams of all phones, as responses without an end (WHATWG HTML, server-sent events). */
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
   * GET /events: the comment is sent immediately, since the app fetches when the stream is open. Then the app
   * is notified of documents to read again: it received nothing while it was away, and has read nothing after
   * its first registration.
   */
  open(request: FastifyRequest, reply: FastifyReply, call: PhoneCall): void {
    const { phone } = call
    // The app retries in 5 s.
    if (phone === null || this.#isClosing) throw new CallRefused(503, 'The device does not run.')
    const raw = this.#tools.openStream(request, reply, {
      contentType: 'text/event-stream',
      // This header keeps nginx from buffering.
      headers: { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
    })
    // The client disconnected during the lookup: no further event would report the close.
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
    // The connection was lost; its close follows.
    raw.on('error', () => undefined)
    this.#notifyStale(sink, phone, call)
  }

  /** Ends all streams, so that the server can close. */
  close(): void {
    this.#isClosing = true
    for (const sink of this.#open) sink.end()
  }

  #notifyStale(sink: StreamSink, phone: Phone, call: PhoneCall): void {
    const documents = documentsFor(this.#deps, call)
    for (const name of ['settings', 'webhooks'] as const) {
      if (phone.documents.isStale(call.registration.phoneId, name, documents[name]))
        sink.write(eventFrame(updated[name], null))
    }
  }
}
