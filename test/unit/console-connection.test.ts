import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Connection, connection } from '../../console/src/connection/connection.ts'
import { SessionEnd } from '../../console/src/connection/session-end.ts'

interface Stream {
  isBroken: boolean
  close(): void
}

// They are of the console's own TypeScript project, which knows a browser: a path in a variable is not followed.
const of = <T>(path: string): Promise<T> => import(path) as Promise<T>
const { LiveStream } = await of<{ LiveStream: new (address: string, refused: () => void) => Stream }>(
  '../../console/src/api/live-stream.ts',
)
const { isMissingPart, loadPart } = await of<{
  isMissingPart(error: unknown): boolean
  loadPart<T>(load: () => Promise<T>): Promise<T>
}>('../../console/src/connection/load-part.ts')

/** What the console does when the server is away, or the session has ended. */

let answer: () => Promise<Response>
const json = { headers: { 'content-type': 'application/json; charset=utf-8' } }
const isAway = (): Promise<Response> => Promise.reject(new TypeError('Failed to fetch'))
const isReady = async (): Promise<Response> => new Response('{"status":"ready","reasons":[]}', json)
beforeEach(() => {
  vi.useFakeTimers()
  answer = isReady
  vi.stubGlobal(
    'fetch',
    vi.fn(() => answer()),
  )
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a stream that is back within five seconds is not said to be lost', async () => {
  const state = new Connection()
  state.report(state, true)
  await vi.advanceTimersByTimeAsync(4_999)
  state.report(state, false)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state.state).toEqual({ kind: 'up' })
})

test('one that is broken for longer is lost since it broke, and when it is back, that is shown for two seconds and lists are read again', async () => {
  const state = new Connection()
  const refresh = vi.fn<() => void>()
  state.onRestored(refresh)
  const brokenAtMs = Date.now()
  state.report(state, true)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(state.state).toEqual({ kind: 'lost', sinceMs: brokenAtMs })
  state.report(state, false)
  expect(state.state).toEqual({ kind: 'back' })
  expect(refresh).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(state.state).toEqual({ kind: 'up' })
})

test('what breaks again while it is back is lost at once, and what heals before it is said leaves nothing on the page', async () => {
  const state = new Connection()
  const other = {}
  state.report(state, true)
  await vi.advanceTimersByTimeAsync(5_000)
  state.report(state, false)
  state.report(other, true)
  expect(state.state).toMatchObject({ kind: 'lost' })
  state.report(other, false)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(state.state).toEqual({ kind: 'up' })
  state.report(other, true)
  state.report(other, false)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(state.state).toEqual({ kind: 'up' })
})

test('a page that is left takes its broken stream along, and the connection is lost until the server answers', async () => {
  answer = isAway
  const state = new Connection()
  const refresh = vi.fn<() => void>()
  state.onRestored(refresh)
  state.report(state, true)
  await vi.advanceTimersByTimeAsync(5_000)
  state.forget(state)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(state.state).toMatchObject({ kind: 'lost' })
  expect(refresh).not.toHaveBeenCalled()
  answer = isReady
  await vi.advanceTimersByTimeAsync(5_000)
  expect(state.state).toEqual({ kind: 'back' })
})

test('a call that reached nobody shows the connection as lost, unless the server answers', async () => {
  const state = new Connection()
  await state.check()
  expect(state.state).toEqual({ kind: 'up' })
  answer = isAway
  void state.check()
  await vi.advanceTimersByTimeAsync(0)
  expect(state.state).toMatchObject({ kind: 'lost' })
})

test.each([
  ['nothing', isAway],
  ['a proxy with nothing behind it', async () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['a captive portal', async () => new Response('<h1>Welcome to this hotel</h1>')],
  ['a gateway in JSON', async () => new Response('{"message":"no upstream"}', { ...json, status: 503 })],
])('a part of a page waits while %s answers, and is loaded when the server does', async (_, away) => {
  answer = away
  const load = vi.fn<() => Promise<string>>(() =>
    Promise.reject(new TypeError('Failed to fetch dynamically imported module: /a.js')),
  )
  const loaded = loadPart(load)
  await vi.advanceTimersByTimeAsync(12_000)
  expect(connection.state).toMatchObject({ kind: 'lost' })
  expect(load).toHaveBeenCalledTimes(1)
  answer = isReady
  load.mockImplementation(() => Promise.resolve('part'))
  await vi.advanceTimersByTimeAsync(3_000)
  await expect(loaded).resolves.toBe('part')
  expect(connection.state).toEqual({ kind: 'back' })
  await vi.advanceTimersByTimeAsync(2_000)
})

test('it is not waited for where the server answers, ready or not: an upgrade has replaced it', async () => {
  answer = async () => new Response('{"status":"not_ready","reasons":["x"]}', { ...json, status: 503 })
  const missing = new TypeError('Failed to fetch dynamically imported module: /a.js')
  await expect(loadPart(() => Promise.reject(missing))).rejects.toThrow(
    'Failed to fetch dynamically imported module',
  )
  expect(isMissingPart(missing)).toBe(true)
  expect(isMissingPart(new TypeError('x is not a function'))).toBe(false)
})

/** An event source that a test opens, breaks and lets say something. */
class FakeSource extends EventTarget {
  static readonly OPEN = 1
  static readonly CLOSED = 2
  static last: FakeSource
  readyState = 0
  constructor() {
    super()
    FakeSource.last = this
  }
  open(): void {
    this.readyState = 1
    this.dispatchEvent(new Event('open'))
  }
  close(): void {
    this.readyState = FakeSource.CLOSED
  }
}

test('a stream that says nothing for twenty seconds is broken unless the server answers', async () => {
  vi.stubGlobal('EventSource', FakeSource)
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
  const stream = new LiveStream('/console/api/live', () => undefined)
  const first = FakeSource.last
  first.open()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(stream.isBroken).toBe(false)
  expect(FakeSource.last).toBe(first)
  answer = isAway
  await vi.advanceTimersByTimeAsync(20_000)
  expect(stream.isBroken).toBe(true)
  expect(FakeSource.last).not.toBe(first)
  FakeSource.last.open()
  expect(stream.isBroken).toBe(false)
  stream.close()
})

test('one that the server refuses is off, and the connection is not lost', async () => {
  vi.stubGlobal('EventSource', FakeSource)
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
  const refused = vi.fn<() => void>()
  const stream = new LiveStream('/console/api/live', refused)
  FakeSource.last.close()
  FakeSource.last.dispatchEvent(new Event('error'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(refused).toHaveBeenCalledTimes(1)
  expect(stream.isBroken).toBe(true)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(connection.state).toEqual({ kind: 'up' })
  stream.close()
})

test('calls of an ended session wait for one sign-in, and a user who declines is asked again by what he does alone', async () => {
  const end = new SessionEnd()
  expect(await end.signInAgain({ isOwnAct: true })).toBe(false)
  end.askOnlyWhile(() => true)
  const calls = [end.signInAgain({ isOwnAct: false }), end.signInAgain({ isOwnAct: true })]
  expect(end.state).toBe('asking')
  end.end(false)
  expect(await Promise.all(calls)).toEqual([false, false])
  expect(await end.signInAgain({ isOwnAct: false })).toBe(false)
  const again = end.signInAgain({ isOwnAct: true })
  end.end(true)
  expect(await again).toBe(true)
  expect(end.state).toBe('none')
})

test('no call that waits for a sign-in is repeated for another user', async () => {
  const end = new SessionEnd()
  end.askOnlyWhile(() => true)
  const waiting = end.signInAgain({ isOwnAct: true })
  end.reset()
  expect(await waiting).toBe(false)
  const next = end.signInAgain({ isOwnAct: true })
  end.end(true)
  expect(await next).toBe(true)
})
