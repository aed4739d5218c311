import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type MessagesEvent, messagesSource } from '../../src/api/console/live/live-messages.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { recordChanges } from '../../src/messages/core/message-changes.ts'
import { insertRows, updateRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { ada, deliveredAt, store, storedMessage } from '../history/stored-messages.ts'
import { type ConsolePerson, startConsole, type TestConsole } from './start-console.ts'

describe('what the stream tells of messages', () => {
  let base: TestStorage
  let since: unknown
  beforeEach(async () => {
    base = await openTestStorage()
    since = undefined
    return () => base.close()
  })

  const read = async (): Promise<MessagesEvent | null> => {
    const source = messagesSource({ readOf: base.storage.readOf })
    const told = await source.read({ accountId: ada.accountId, mode: ada.mode }, since)
    if (told !== null) since = told.next
    return told === null ? null : (told.event as MessagesEvent)
  }
  const textsOf = (event: MessagesEvent | null): (string | null)[] =>
    event?.kind === 'changed' ? event.rows.map(({ text }) => text) : []
  const message = (text: string, more: object = {}) =>
    storedMessage({ id: base.ids('msg'), created_at: base.clock.now(), text, ...more })
  /** Final ones: they change once. */
  const storeFinal = (text: string, account_id = ada.accountId) =>
    store(base.storage, [message(text, { ...deliveredAt(base.clock.now()), account_id })])

  test('begins now, and tells each change once, in order, of this account alone', async () => {
    await storeFinal('before')
    await base.clock.advance(10)
    expect(await read()).toEqual({ kind: 'begins' })
    await storeFinal('one')
    await storeFinal('strange', 'acc_bob')
    await base.clock.advance(10)
    await storeFinal('two')
    await base.clock.advance(10)
    expect(textsOf(await read())).toEqual(['one', 'two'])
    expect(await read()).toBeNull()
    const row = await base.storage.read
      .selectFrom('messages')
      .selectAll()
      .where('text', '=', 'one')
      .executeTakeFirstOrThrow()
    await base.storage.writer.write(async (tx) => {
      const unit = await takeChange(tx, base.clock.now())
      const changed = { ...row, settled_at: unit.atMs, updated_at: unit.atMs, sequence: 2, text: 'one again' }
      await updateRows(tx, 'messages', ['account_id', 'mode', 'id'], [changed])
      await recordChanges(tx, unit, [changed])
    })
    await base.clock.advance(10)
    expect(textsOf(await read())).toEqual(['one again'])
  })

  test('waits for writes that are under way: none is passed by', async () => {
    expect(await read()).toEqual({ kind: 'begins' })
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const late = message('late', deliveredAt(base.clock.now()))
    const writing = base.storage.writer.write(async (tx) => {
      const unit = await takeChange(tx, base.clock.now())
      await insertRows(tx, 'messages', [late])
      await recordChanges(tx, unit, [late])
      begun.resolve()
      await goOn.promise
    })
    await begun.promise
    await base.clock.advance(10)
    expect(await read()).toBeNull()
    goOn.resolve()
    await writing
    expect(textsOf(await read())).toEqual(['late'])
    expect(await read()).toBeNull()
  })

  test('tells a page to read anew when more than 100 have changed, and goes on from there', async () => {
    expect(await read()).toEqual({ kind: 'begins' })
    const end = deliveredAt(base.clock.now())
    await store(
      base.storage,
      Array.from({ length: 101 }, (_, i) => message(`many ${i}`, end)),
    )
    await base.clock.advance(10)
    expect(await read()).toEqual({ kind: 'reload' })
    expect(await read()).toBeNull()
    await storeFinal('after')
    await base.clock.advance(10)
    expect(textsOf(await read())).toEqual(['after'])
  })
})

describe('over HTTP', () => {
  let house: TestConsole
  beforeAll(async () => {
    house = await startConsole({ ONESIXTY_CONSOLE_STREAMS: '2' })
  })
  afterAll(() => house.stop())

  const open = (person: ConsolePerson, signal: AbortSignal) =>
    fetch(`${house.url}/console/api/live?account=${person.accountId}&mode=test`, {
      headers: { cookie: person.cookie },
      signal,
    })

  /** Collects the events of a topic until it is stopped. */
  async function listen(person: ConsolePerson, signal: AbortSignal): Promise<{ statuses: string[] }> {
    const answer = await open(person, signal)
    expect(answer.status).toBe(200)
    const heard = { statuses: [] as string[] }
    void follow(answer, heard).catch(() => undefined)
    return heard
  }

  async function follow(answer: Response, heard: { statuses: string[] }): Promise<void> {
    let text = ''
    const decoder = new TextDecoder()
    for await (const piece of answer.body ?? []) {
      text += decoder.decode(piece as Uint8Array, { stream: true })
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const data = /^event: messages\ndata: (.*)$/.exec(event)?.[1]
        const told = data === undefined ? null : (JSON.parse(data) as MessagesEvent)
        if (told?.kind === 'changed') heard.statuses.push(...told.rows.map(({ status }) => status))
      }
    }
  }

  test('a message is told as it goes, to its own account alone, well before the poll', async () => {
    const stop = new AbortController()
    const [ada_, bob] = await Promise.all([listen(house.ada, stop.signal), listen(house.bob, stop.signal)])
    const { body } = await house.ada.change(
      'send/one',
      { body: { to: '+15005550006', text: 'Hi' }, key: crypto.randomUUID() },
      { mode: 'test' },
    )
    expect((body as { messages: object[] }).messages).toHaveLength(1)
    await expect.poll(() => ada_.statuses.at(-1), { timeout: 2_000, interval: 20 }).toBe('sent')
    await expect.poll(() => ada_.statuses.at(-1), { timeout: 8_000, interval: 20 }).toBe('delivered')
    expect(bob.statuses).toEqual([])
    stop.abort()
  })

  test('one account has so many streams and no more; a client that goes while it is looked at keeps none', async () => {
    const eve = await house.newPerson('Eve')
    const statusOf = async (signal: AbortSignal): Promise<number> => {
      const answer = await open(eve, signal)
      if (answer.status !== 200) await answer.arrayBuffer()
      return answer.status
    }
    for (let i = 0; i < 20; i++) {
      const gone = new AbortController()
      const asked = statusOf(gone.signal).catch(() => undefined)
      for (let turn = 0; turn < i; turn++) await new Promise((next) => setImmediate(next))
      gone.abort()
      await asked
    }
    const stop = new AbortController()
    await expect.poll(() => statusOf(stop.signal), { timeout: 3_000 }).toBe(200)
    expect([await statusOf(stop.signal), await statusOf(stop.signal)]).toEqual([200, 429])
    stop.abort()
  })

  test('a server that stops waits neither for open streams nor for those that are just asked for', async () => {
    const other = await startConsole()
    const address = `${other.url}/console/api/live?account=${other.ada.accountId}&mode=test`
    const stop = new AbortController()
    const ask = () => fetch(address, { headers: { cookie: other.ada.cookie }, signal: stop.signal })
    // Read by nobody, as by a tab that sleeps.
    expect((await ask()).status).toBe(200)
    const late = []
    for (let i = 0; i < 12; i++) {
      late.push(ask().catch(() => null))
      await new Promise((next) => setImmediate(next))
    }
    const startedMs = performance.now()
    await other.stop()
    expect(performance.now() - startedMs).toBeLessThan(2_000)
    stop.abort()
    await Promise.all(late)
  })
})
