import { expect } from 'vitest'
import type { ApiMessage } from './api-client.ts'
import { eventually } from './eventually.ts'
import { startApp, type TestApp } from './harness.ts'

/** The whole program over real HTTP, with the clock of the machine. */
export interface LifeHouse extends TestApp {
  /** The one message of an accepted send. */
  sendOne(key: string, to?: string, more?: object): Promise<ApiMessage>
  /** Waits until the message has the status, and gives it with its timeline. */
  reached(key: string, id: string, status: string, withinMs?: number): Promise<ApiMessage>
  refusal(key: string, body: object): Promise<{ status: number; code: string; first?: string }>
}

export const number = '+4915112345678'

export async function openLifeHouse(): Promise<LifeHouse> {
  const app = await startApp()
  return {
    ...app,
    async sendOne(key, to = number, more = {}) {
      const { status, body } = await app.client.send(key, { to, text: 'Hello', ...more })
      expect(status, JSON.stringify(body)).toBe(202)
      return body.messages[0]!
    },
    reached: (key, id, status, withinMs = 8_000) =>
      eventually(
        () => app.client.message(key, id),
        (message) => expect(message.status).toBe(status),
        withinMs,
      ),
    async refusal(key, body) {
      const answer = await app.client.send(key, { text: 'Hello', ...body })
      const first = answer.body.errors?.[0]?.code
      return { status: answer.status, code: answer.body.code, ...(first === undefined ? {} : { first }) }
    },
  }
}
