import { expect, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { type FakePhones, type FakePhonesOptions, startFakePhones } from '../peers/fake-phone-control.ts'

export interface LocalPhone {
  phones: FakePhones
  /** `host:port` of its Local Server. */
  address: string
  password: string
  /** A request to it with the right password, or with another header. */
  ask(method: string, path: string, body?: unknown, authorization?: string | null): Promise<LocalReply>
}

export interface LocalReply {
  status: number
  json: unknown
  total: string | null
  headers: Headers
}

/** A phone whose app has no server configured, with its Local Server on. */
export async function startLocalPhone(
  knobs: Omit<Partial<FakePhonesOptions>, 'baseUrl'> = {},
): Promise<LocalPhone> {
  const phones = await startFakePhones({
    timeScale: 20,
    isCloudOn: false,
    localPort: 0,
    ...knobs,
    baseUrl: 'http://127.0.0.1:9',
  })
  onTestFinished(() => phones.stop())
  const { localPort, localPassword: password } = await eventually(
    () => phones.phone(0).view(),
    (view) => expect(view.localPort).not.toBeNull(),
  )
  const address = `127.0.0.1:${localPort}`
  const right = `Basic ${Buffer.from(`sms:${password}`).toString('base64')}`
  return {
    phones,
    address,
    password,
    async ask(method, path, body, authorization = right) {
      const response = await fetch(`http://${address}${path}`, {
        method,
        headers: {
          ...(authorization === null ? {} : { authorization }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const json: unknown = text === '' ? null : JSON.parse(text)
      const { status, headers } = response
      return { status, json, total: headers.get('x-total-count'), headers }
    },
  }
}
