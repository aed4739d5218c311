import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

/** A POST whose body comes in two pieces. */
export interface SlowBody {
  /** Sends the rest, and gives the status of the answer. */
  end(): Promise<number | undefined>
}

/** Sends the head of a request and the first byte of its JSON. */
export function beginSlowBody(url: string, headers: Record<string, string>, body: string): SlowBody {
  const length = String(Buffer.byteLength(body))
  const outgoing = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': length, ...headers },
  })
  outgoing.write(body.slice(0, 1))
  return {
    async end() {
      const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
      outgoing.end(body.slice(1))
      const [answer] = await answered
      answer.resume()
      await once(answer, 'end')
      return answer.statusCode
    },
  }
}
