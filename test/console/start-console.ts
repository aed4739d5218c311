import type { OpenedAccount } from '../../src/app/open-account.ts'
import { givePassword, testPassword } from '../e2e/signed-in.ts'
import { startApp, type TestApp } from '../harness.ts'

export interface ConsoleAnswer {
  status: number
  body: unknown
  headers: Headers
}

/** Somebody with a browser: calls with the cookie of a session, as the console's pages make them. */
export interface ConsolePerson extends OpenedAccount {
  email: string
  cookie: string
  read(name: string, input?: object, options?: CallOptions): Promise<ConsoleAnswer>
  change(name: string, input?: object, options?: CallOptions): Promise<ConsoleAnswer>
}

export interface CallOptions {
  accountId?: string
  mode?: 'live' | 'test'
  headers?: Record<string, string>
}

export interface TestConsole extends TestApp {
  ada: ConsolePerson
  /** Of another account. */
  bob: ConsolePerson
  /** Another person, with an account of their own. */
  newPerson(name: string): Promise<ConsolePerson>
  balanceWith(key: string): Promise<{ status: number }>
}

/** The whole program with two people who are signed in to the console. */
export async function startConsole(...how: Parameters<typeof startApp>): Promise<TestConsole> {
  const app = await startApp(...how)
  const newPerson = async (name: string): Promise<ConsolePerson> => {
    const account = await app.openAccount(name)
    const { email } = await givePassword(app, account.userId)
    return signedIn(app, { ...account, email })
  }
  return {
    ...app,
    ada: await newPerson('Ada'),
    bob: await newPerson('Bob'),
    newPerson,
    async balanceWith(key) {
      const answer = await fetch(`${app.url}/api/v1/balance`, { headers: { authorization: `Bearer ${key}` } })
      await answer.arrayBuffer()
      return { status: answer.status }
    },
  }
}

async function signedIn({ url }: TestApp, person: OpenedAccount & { email: string }): Promise<ConsolePerson> {
  const { accountId, email } = person
  const call = async (
    method: 'GET' | 'POST',
    name: string,
    input: object,
    options: CallOptions & { cookie?: string } = {},
  ): Promise<ConsoleAnswer> => {
    const query = new URLSearchParams({
      account: options.accountId ?? accountId,
      mode: options.mode ?? 'live',
    })
    if (method === 'GET') query.set('input', JSON.stringify(input))
    const answer = await fetch(`${url}/console/api/${name}?${query.toString()}`, {
      method,
      headers: {
        origin: url,
        cookie: options.cookie ?? cookie,
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
        ...options.headers,
      },
      ...(method === 'POST' ? { body: JSON.stringify(input) } : {}),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      body: text.startsWith('{') ? JSON.parse(text) : text,
      headers: answer.headers,
    }
  }
  let cookie = ''
  const answer = await call('POST', 'session/sign-in', { email, password: testPassword })
  if (answer.status !== 200) throw new Error(`${email} could not sign in: ${JSON.stringify(answer.body)}`)
  cookie = cookieOf(answer)
  return {
    ...person,
    cookie,
    read: (name, input = {}, options) => call('GET', name, input, options),
    change: (name, input = {}, options) => call('POST', name, input, options),
  }
}

/** The cookies that an answer sets, as the next request sends them. */
export const cookieOf = ({ headers }: Pick<ConsoleAnswer, 'headers'>): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
