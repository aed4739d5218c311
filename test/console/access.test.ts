import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMember } from '../../src/accounts/people/members.ts'
import type { AnyCall } from '../../src/api/console/core/call.ts'
import { operations } from '../../src/api/v1/operations.ts'
import { operatorOperations } from '../../src/api/operator/operations.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { makeOperator, testPassword } from '../e2e/signed-in.ts'
import {
  allCalls,
  guarded,
  idsIn,
  isGuarded,
  naming,
  ofAccounts,
  ofOperators,
  ofOwners,
} from './guarded-calls.ts'
import { absentId, type AccessHouse, type IdOf, type ObjectKind, objectsOf } from './objects-of.ts'
import { type GuardedCall, rightInputs } from './right-inputs.ts'
import { type ConsolePerson, startConsole } from './start-console.ts'
import { openReceiver, type Receiver } from '../webhooks/receiver.ts'
import { standingOf } from './standing-of.ts'
import { newVisitor } from './visitor.ts'

/** Every call of the console, tried with every kind of person and session that must not make it, and with one that may. */

let house: AccessHouse
let receiver: Receiver
/** A member of Ada's account. */
let mia: ConsolePerson
/** Was one. */
let max: ConsolePerson
/** Has an account of her own, of which nothing is looked at twice. */
let ona: ConsolePerson
/** Runs the instance. */
let olga: ConsolePerson
let people = 0
/** Cookies that once were, or never were, of a session. */
let ended: Record<string, string>
/** What Ada has, and what Bob has. */
let ofAda: IdOf
let ofBob: IdOf
beforeAll(async () => {
  receiver = await openReceiver()
  const started = await startConsole({
    ONESIXTY_WEBHOOK_ALLOW: '127.0.0.1',
    ONESIXTY_SIGN_IN_FAILURES: '1000',
    ONESIXTY_SIGNUP: 'invite',
    ONESIXTY_INVITATIONS_PER_HOUR: '0',
    ONESIXTY_SEND_PER_MINUTE: '0',
  })
  house = { ...started, receiverUrl: receiver.url }
  mia = await memberOfAda('Mia')
  max = await memberOfAda('Max')
  await house.ada.change('members/remove', { userId: max.userId })
  ona = await house.newPerson('Ona')
  olga = await house.newPerson('Olga')
  await makeOperator(house, olga.userId)
  ended = await endedSessions()
  ofAda = objectsOf(house, house.ada)
  ofBob = objectsOf(house, house.bob)
  const named = new Set((await Promise.all(naming.map(([name]) => kindsOf(name)))).flat())
  // Whatever stands before something of Bob's stands before something absent too: all that Ada has is older.
  for (const idOf of [ofAda, ofBob]) for (const kind of named) await idOf(kind)
})
afterAll(async () => {
  await house.stop()
  await receiver.close()
})

async function memberOfAda(name: string): Promise<ConsolePerson> {
  const person = await house.newPerson(name)
  const deps = { ids: createIds({ now: systemClock.now }), nowMs: systemClock.now() }
  const member = {
    accountId: house.ada.accountId,
    userId: person.userId,
    role: 'member',
    actor: 'test',
  } as const
  await house.app.storage.writer.write((tx) => addMember(tx, deps, member))
  return { ...person, accountId: house.ada.accountId }
}

async function endedSessions(): Promise<Record<string, string>> {
  const [left, endedElsewhere, expired] = await Promise.all(
    ['Lea', 'Tom', 'Eve'].map((name) => house.newPerson(name)),
  )
  if (left === undefined || endedElsewhere === undefined || expired === undefined)
    throw new Error('Nobody came.')
  await left.change('session/sign-out')
  const elsewhere = newVisitor(house.url)
  await elsewhere.change('session/sign-in', { email: endedElsewhere.email, password: testPassword })
  await elsewhere.change('profile/end-other-sessions')
  await house.app.storage.writer.write((tx) =>
    tx
      .updateTable('auth_sessions')
      .set({ expiresAt: new Date(systemClock.now() - 1).toISOString() })
      .where('userId', '=', expired.userId)
      .execute(),
  )
  return {
    left: left.cookie,
    'ended from elsewhere': endedElsewhere.cookie,
    expired: expired.cookie,
    forged: house.ada.cookie.replace(
      /(session=[^;]*)([^;])/,
      (_, start: string, last: string) => start + (last === 'A' ? 'B' : 'A'),
    ),
  }
}

interface Answer {
  status: number
  text: string
}

/** Makes a call and reads its answer; of a stream that began only how it began. */
async function ask(
  name: string,
  { kind }: AnyCall,
  headers: Record<string, string>,
  { accountId = house.ada.accountId, input = {} }: { accountId?: string; input?: object } = {},
): Promise<Answer> {
  const query = new URLSearchParams({ account: accountId, mode: 'test' })
  if (kind !== 'change') query.set('input', JSON.stringify(input))
  const answer = await fetch(`${house.url}/console/api/${name}?${query.toString()}`, {
    method: kind === 'change' ? 'POST' : 'GET',
    headers: { ...(kind === 'change' && { 'content-type': 'application/json' }), ...headers },
    ...(kind === 'change' && { body: JSON.stringify(input) }),
  })
  if (kind === 'stream' && answer.ok) {
    await answer.body?.cancel()
    return { status: answer.status, text: '' }
  }
  return { status: answer.status, text: await answer.text() }
}

const codeOf = ({ status, text }: Answer): [number, string] => [
  status,
  (JSON.parse(text) as { code: string }).code,
]
const by = ({ cookie }: { cookie: string }) => ({ origin: house.url, cookie })
/** An input that is right for whoever has the objects. */
const inputOf = async (name: GuardedCall, who: ConsolePerson, id: IdOf): Promise<object> =>
  rightInputs[name]({ id, who, house })

test('these calls ask nobody who calls, and there are many that do', () => {
  expect(allCalls.filter((row) => !isGuarded(row)).map(([name]) => name)).toEqual([
    'session/read', 'session/sign-in', 'session/give-code', 'session/sign-out', 'session/ask-passkey',
    'session/sign-in-with-passkey', 'sign-up/open', 'link/look', 'link/choose-password', 'link/join', 'reset/ask',
  ]) // prettier-ignore
  expect(guarded.length).toBeGreaterThan(70)
  expect(naming.length).toBeGreaterThan(25)
  expect(ofOwners.length).toBeGreaterThan(15)
})

test.each(guarded)('%s answers nobody without a session', async (name, call) => {
  expect(codeOf(await ask(name, call, { origin: house.url }))).toEqual([401, 'not_signed_in'])
})

test.each(guarded)('%s answers nobody whose session has ended', async (name, call) => {
  for (const [how, cookie] of Object.entries(ended))
    expect(codeOf(await ask(name, call, by({ cookie }))), how).toEqual([401, 'not_signed_in'])
})

test.each(allCalls)('%s refuses an API key', async (name, call) => {
  const { testKey } = house.ada
  for (const headers of [{}, { cookie: house.ada.cookie }])
    expect(
      (await ask(name, call, { origin: house.url, authorization: `Bearer ${testKey}`, ...headers })).status,
    ).toBe(401)
})

test.each(ofAccounts)('%s opens no account of somebody else', async (name, call) => {
  const { accountId } = house.bob
  for (const id of [accountId, await absentId('account'), ''])
    expect(codeOf(await ask(name, call, by(house.ada), { accountId: id }))).toEqual([404, 'not_found'])
  expect(codeOf(await ask(name, call, by(max)))).toEqual([404, 'not_found'])
})

test.each(ofOwners)('%s is refused to a member who is no owner', async (name, call) => {
  const answer = await ask(name, call, by(mia), { input: await inputOf(name, mia, ofAda) })
  expect(codeOf(answer)).toEqual([403, 'not_permitted'])
})

test.each(ofOperators)('%s is hidden from whoever is no operator', async (name, call) => {
  expect((await ask(name, call, by(house.ada))).status).toBe(404)
})

test.each(guarded)('%s is tried with every id that it takes', async (name, call) => {
  const who = call.access === 'operator' ? olga : house.ada
  expect(keysOf(await inputOf(name, who, absentId))).toEqual(expect.arrayContaining(idsIn(call.input)))
})

/** The names of all members, whatever they stand in. */
const keysOf = (value: object): string[] =>
  Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' && inner !== null ? [key, ...keysOf(inner as object)] : [key],
  )

test.each(naming)(
  '%s tells and does nothing of what is somebody else’s: it is absent',
  async (name, call) => {
    const kinds = await kindsOf(name)
    for (const foreign of [...kinds.map((kind) => [kind]), kinds]) {
      const before = await standingOf(house, house.bob)
      const toldOfBobs = await askNaming(name, call, foreign, ofBob)
      expect(toldOfBobs, foreign.join(' and ')).toEqual(await askNaming(name, call, foreign, absentId))
      expect(await standingOf(house, house.bob)).toEqual(before)
    }
  },
)

/** The kinds of objects that a call names. */
async function kindsOf(name: GuardedCall): Promise<ObjectKind[]> {
  const kinds = new Set<ObjectKind>()
  await inputOf(name, house.ada, (kind) => {
    kinds.add(kind)
    return absentId(kind)
  })
  return [...kinds]
}

/** What Ada is told when the objects of some kinds are those that `others` gives: without the ids, so that it can be compared. */
async function askNaming(
  name: GuardedCall,
  call: AnyCall,
  foreign: readonly ObjectKind[],
  others: IdOf,
): Promise<Answer> {
  const given = new Set<string>()
  const input = await inputOf(name, house.ada, async (kind) => {
    const id = await (foreign.includes(kind) ? others : ofAda)(kind)
    given.add(id)
    return id
  })
  const { status, text } = await ask(name, call, by(house.ada), { input })
  const bare = [...given].reduce((rest, id) => rest.replaceAll(id, '…'), text)
  return { status, text: bare.replaceAll(/"(request_id|isLogEmpty)":[^,}]*/g, '') }
}

test.each(guarded)('%s answers whom it is for, about what is their own', async (name, call) => {
  const who = call.access === 'operator' ? olga : isTheLast(name, call) ? await newPerson() : ona
  const input = await inputOf(name, who, objectsOf(house, who))
  const answer = await ask(name, call, by(who), { accountId: who.accountId, input })
  expect(answer).toMatchObject({ status: refusedHere[name] ?? 200 })
})

/** The only owner has to stay, and this server has no mail. */
const refusedHere: Partial<Record<GuardedCall, number>> = { 'members/leave': 422, 'email/send-link': 403 }

/** Whether it may end a session or an account's membership: the next call needs somebody else. */
const isTheLast = (name: GuardedCall, { access }: AnyCall): boolean =>
  access === 'user' || name === 'members/leave'
const newPerson = (): Promise<ConsolePerson> => house.newPerson(`User${++people}`)

test.each(ofAccounts.filter(([, { access }]) => access === 'member'))(
  '%s answers a member, too',
  async (name, call) => {
    const who = name === 'members/leave' ? await memberOfAda('Lou') : mia
    const answer = await ask(name, call, by(who), {
      input: await inputOf(name, who, objectsOf(house, house.ada)),
    })
    expect(answer).toMatchObject({ status: 200 })
  },
)

test.each(allCalls.filter(([, { kind }]) => kind === 'change'))(
  '%s takes nothing from a foreign page',
  async (name, call) => {
    const foreign: Record<string, string>[] = [
      {},
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: house.url, 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of foreign)
      expect(codeOf(await ask(name, call, { ...headers, cookie: house.ada.cookie }))).toEqual([
        403,
        'foreign_origin',
      ])
  },
)

test.each([...Object.values(operations), ...operatorOperations].map(({ method, path }) => [method, path]))(
  'a session opens nothing at %s %s, not even that of the operator',
  async (method, path) => {
    for (const who of [house.ada, olga]) {
      const answer = await fetch(house.url + path.replace(':account', who.accountId), {
        method,
        headers: { ...by(who), 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{}' }),
      })
      expect(codeOf({ status: answer.status, text: await answer.text() })).toEqual([401, 'unauthenticated'])
    }
  },
)
