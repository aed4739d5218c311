import { createHmac } from 'node:crypto'
import type { ConsoleAnswer } from './start-console.ts'

/** A browser without a session at first: keeps the cookies that it is given. */
export interface Visitor {
  cookies: Map<string, string>
  change(name: string, input?: object, headers?: Record<string, string>): Promise<ConsoleAnswer>
  read(name: string, query?: Record<string, string>): Promise<ConsoleAnswer>
}

export function newVisitor(url: string): Visitor {
  const cookies = new Map<string, string>()
  const call = async (address: string, init: RequestInit & { headers: Record<string, string> }) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(address, { ...init, headers: { origin: url, cookie, ...init.headers } })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ')
      const [name = '', value = ''] = pair.split('=')
      if (attributes.includes('Max-Age=0')) cookies.delete(name)
      else cookies.set(name, value)
    }
    const text = await answer.text()
    const body: unknown = text.startsWith('{') ? JSON.parse(text) : text
    return { status: answer.status, body, headers: answer.headers }
  }
  return {
    cookies,
    change: (name, input = {}, headers = {}) =>
      call(`${url}/console/api/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(input),
      }),
    read: (name, query = {}) =>
      call(`${url}/console/api/${name}?${new URLSearchParams(query).toString()}`, { headers: {} }),
  }
}

/** The code of an authenticator app (RFC 6238 with its defaults) for a secret in base32. */
export function totp(secret: string, atMs = Date.now()): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / 30_000)))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

function fromBase32(text: string): Buffer {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...text.replaceAll('=', '')]
    .map((digit) => digits.indexOf(digit).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
