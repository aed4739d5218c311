import { randomBytes } from 'node:crypto'
import { createOperatorToken, type OperatorScope } from '../../src/accounts/keys/operator-tokens.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { startApp, type TestApp } from '../harness.ts'

export interface OperatorAnswer {
  status: number
  headers: Headers
  // What it is, each test says.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface OperatorHouse extends TestApp {
  /** Tokens of both scopes, with their ids. */
  tokens: Record<OperatorScope, { id: string; token: string }>
  ask(method: string, path: string, options?: AskOptions): Promise<OperatorAnswer>
  /** Asks as a program that may write does. */
  post(path: string, body: object, key?: string): Promise<OperatorAnswer>
  get(path: string): Promise<OperatorAnswer>
}

interface AskOptions {
  token?: string | null
  headers?: Record<string, string>
  body?: string
}

/** The whole program, and a billing system that knows its tokens. */
export async function startOperatorHouse(env: Record<string, string> = {}): Promise<OperatorHouse> {
  const house = await startApp(env)
  const tokens = {
    read: await tokenForOperator(house, 'read'),
    write: await tokenForOperator(house, 'write'),
  }
  const ask: OperatorHouse['ask'] = async (method, path, options = {}) => {
    const { token = tokens.write.token, headers = {}, body } = options
    const answer = await fetch(`${house.url}/operator/v1${path}`, {
      method,
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) }
  }
  return {
    ...house,
    tokens,
    ask,
    get: (path) => ask('GET', path),
    post: (path, body, key) =>
      ask('POST', path, {
        body: JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
      }),
  }
}

/** A token of the operator for a program. */
export async function tokenForOperator(
  { app }: TestApp,
  scope: OperatorScope,
): Promise<{ id: string; token: string }> {
  const ids = createIds({ now: systemClock.now })
  const { tokenId, token } = await app.storage.writer.write((tx) =>
    createOperatorToken(
      tx,
      { ids, nowMs: systemClock.now(), randomBytes },
      { name: `Billing (${scope})`, scope, expiresAt: null, actor: 'test' },
    ),
  )
  return { id: tokenId, token }
}
