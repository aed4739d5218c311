import type { IncomingMessage } from 'node:http'
import { StringDecoder } from 'node:string_decoder'

export interface StreamEvent {
  /** Null when the frame names none. */
  event: string | null
  data: string
}

export interface FrameListener {
  event(event: StreamEvent): void
  comment(text: string): void
}

/** Cuts an event stream into events (WHATWG HTML, server-sent events). A frame without a `data` line is none. */
function createFrameReader({ event, comment }: FrameListener): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let name: string | null = null
  let data: string[] = []
  const line = (text: string): void => {
    if (text === '') {
      if (data.length > 0) event({ event: name, data: data.join('\n') })
      name = null
      data = []
      return
    }
    const colon = text.indexOf(':')
    if (colon === 0) return comment(text.slice(1))
    const field = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') name = value
    if (field === 'data') data.push(value)
  }
  return (chunk) => {
    const lines = (rest + decoder.write(chunk)).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() as string
    for (const text of lines) line(text)
  }
}

/** Reads a stream to its end; stops reading while it is half open. */
export interface OpenStream {
  pause(isPaused: boolean): void
  cancel(): void
}

/** Follows the body of an event stream; `ended` comes once, whatever ended it. */
export function followStream(
  response: IncomingMessage,
  listener: FrameListener,
  ended: () => void,
): OpenStream {
  const read = createFrameReader(listener)
  response.on('data', read)
  response.once('error', () => {})
  response.once('close', ended)
  return {
    pause: (isPaused) => void (isPaused ? response.pause() : response.resume()),
    cancel: () => response.destroy(),
  }
}
