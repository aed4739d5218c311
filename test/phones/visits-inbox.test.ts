import { expect, test } from 'vitest'
import { openVisitWorld } from './visit-world.ts'

/** Rows of the inbox are those of InboxRoutes.kt and IncomingMessagesService.kt of the app (1.68, 0cdc5d8), as test/peers/fake-phone/local-inbox.ts has them. */
const hourMs = 3_600_000

test('200 SMS of one visit are stored once, the oldest first', async () => {
  const world = await openVisitWorld()
  const now = world.house.clock.now()
  for (let n = 0; n < 200; n++)
    await world.phones.all.receiveSms({ from: '+491', text: `${n}`, receivedAtMs: now - (200 - n) * 1_000 })
  await world.visit()
  expect(world.inbound.map(({ text }) => text)).toEqual(Array.from({ length: 200 }, (_, n) => `${n}`))
  await world.visit()
  expect(world.inbound).toHaveLength(200)
})

test('long texts that are too many for one answer are read in smaller pages, and hold up nothing', async () => {
  const world = await openVisitWorld()
  const now = world.house.clock.now()
  const texts = Array.from({ length: 60 }, (_, n) => `${n}`.padEnd(39_000, 'x'))
  for (const [n, text] of texts.entries())
    await world.phones.all.receiveSms({ from: '+491', text, receivedAtMs: now - (60 - n) * 1_000 })
  await world.house.send({ to: ['+4915112345678'] })
  await world.visit()
  expect(world.inbound.map(({ text }) => text.length)).toEqual(texts.map(({ length }) => length))
  expect(new Set(world.inbound.map(({ text }) => text)).size).toBe(60)
  expect(world.phones.all.radioLog()).toHaveLength(1)
})

test('after an SMS that is larger than an answer may be, pages are as large again as before', async () => {
  const world = await openVisitWorld()
  const now = world.house.clock.now()
  const huge = 'x'.repeat(2_100_000)
  for (let n = 0; n < 300; n++)
    await world.phones.all.receiveSms({
      from: '+491',
      text: n === 290 ? huge : `${n}`,
      receivedAtMs: now - (300 - n) * 1_000,
    })
  const before = world.phones.all.requests('GET', '/inbox').length
  await world.visit()
  expect(world.inbound).toHaveLength(299)
  const pages = world.phones.all.requests('GET', '/inbox').slice(before)
  // Each of 9 halvings is undone by a doubling; row by row it would be 290 more.
  expect(pages.length).toBeLessThan(40)
})

test('an SMS that the network delivers late is found below the others', async () => {
  const world = await openVisitWorld()
  const now = world.house.clock.now()
  await world.phones.all.receiveSms({ from: '+491', text: 'first', receivedAtMs: now })
  await world.visit()
  await world.phones.all.receiveSms({ from: '+491', text: 'late', receivedAtMs: now - 6 * hourMs })
  await world.visit()
  expect(world.inbound.map(({ text }) => text)).toEqual(['first', 'late'])
})

test('a text is stored whole, with the number that it was sent to', async () => {
  const world = await openVisitWorld()
  const text = 'x'.repeat(1_500)
  await world.phones.all.receiveSms({ from: '+491', text, receivedAtMs: world.house.clock.now() })
  await world.visit()
  expect(world.inbound).toMatchObject([{ from: '+491', text, to: '+4915550001234' }])
})

test('nothing but the count is asked for while nothing comes', async () => {
  const world = await openVisitWorld()
  await world.phones.all.receiveSms({ from: '+491', text: 'Hi', receivedAtMs: world.house.clock.now() })
  await world.visit()
  const before = world.phones.all.requests('GET', '/inbox').length
  await world.visit()
  await world.visit()
  const since = world.phones.all.requests('GET', '/inbox').slice(before)
  expect(since).toHaveLength(4)
  expect(since.every(({ path }) => path.includes('limit=1&'))).toBe(true)
})

test('an SMS keeps its name over a restart, also without a date', async () => {
  const world = await openVisitWorld({}, { inbox_days: '30' })
  const now = world.house.clock.now()
  await world.phones.all.receiveSms({ from: '+491', text: 'Hi', receivedAtMs: now })
  await world.phones.all.receiveSms({ from: '+491', text: 'Hi', receivedAtMs: 0 })
  await world.visit()
  await world.restart()
  await world.visit()
  expect(world.inbound).toHaveLength(4)
  expect(world.inbound.filter(({ networkAt }) => networkAt === null)).toHaveLength(2)
  expect(new Set(world.inbound.map(({ fingerprint }) => fingerprint)).size).toBe(2)
})

test('after a long silence the app is asked to read what Android has', async () => {
  const world = await openVisitWorld()
  await world.visit()
  const { clock } = world.house
  await world.phones.all.receiveSms({ from: '+491', text: 'missed', isMissed: true, receivedAtMs: clock.now() }) // prettier-ignore
  await world.visit()
  expect(world.inbound).toEqual([])
  await world.phones.set({ localFault: 'error' })
  for (let passedMs = 0; passedMs < 1_000_000;) passedMs += await world.visit()
  await world.phones.set({ localFault: 'none' })
  await world.visit()
  expect(world.inbound).toMatchObject([{ text: 'missed' }])
})

test('an app before 1.59 is said to be too old, and gets nothing', async () => {
  const world = await openVisitWorld({ appVersion: '1.58.0' })
  await world.house.send({ to: ['+4915112345678'] })
  await world.visit()
  expect(world.phone.health()).toMatchObject({ status: 'offline', reasons: ['too_old_to_visit'] })
  expect(world.phones.all.requests('POST')).toEqual([])
})

test('a clock that is an hour off changes neither validity nor the inbox', async () => {
  const world = await openVisitWorld({ clockOffsetMs: hourMs })
  const expiresAt = world.house.clock.now() + hourMs / 2
  await world.house.send({ to: ['+4915112345678'], expiresAt })
  await world.phones.all.receiveSms({ from: '+491', text: 'Hi', receivedAtMs: world.house.clock.now() })
  for (let n = 0; n < 5; n++) await world.visit()
  expect(await world.house.statuses()).toEqual(['delivered'])
  expect(world.inbound).toHaveLength(1)
  expect(world.phone.health().reasons).toContain('clock_skew')
})

test('settings of the app are changed once, and its user sees one notice', async () => {
  const world = await openVisitWorld()
  for (let n = 0; n < 3; n++) await world.visit()
  await world.restart()
  await world.visit()
  expect(world.phones.all.notes('settings-notice').map(({ detail }) => detail)).toEqual([
    { messages: { processing_order: 'FIFO', log_lifetime_days: 30 } },
  ])
})
