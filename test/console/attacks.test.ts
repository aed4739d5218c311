import { request } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { makeOperator, testPassword } from '../e2e/signed-in.ts'
import { cookieOf, startConsole, type TestConsole } from './start-console.ts'
import { newVisitor, totp, type Visitor } from './visitor.ts'
import { watchHashes } from './watched-hashes.ts'

const password = 'gelber Igel im Schnee'
const sessionCookie = '__Host-onesixty-session'
const userOf = async (visitor: Visitor) =>
  ((await visitor.read('session/read')).body as { user: { email: string } | null }).user

describe('a session', () => {
  let house: TestConsole
  beforeAll(async () => {
    house = await startConsole()
  })
  afterAll(() => house.stop())

  const signedIn = async (): Promise<Visitor> => {
    const visitor = newVisitor(house.url)
    await visitor.change('session/sign-in', { email: house.ada.email, password: testPassword })
    return visitor
  }

  test('is a new one at each sign-in, whatever cookie came with it', async () => {
    const attacker = await signedIn()
    const planted = attacker.cookies.get(sessionCookie) ?? ''
    const victim = newVisitor(house.url)
    victim.cookies.set(sessionCookie, planted)
    await victim.change('session/sign-in', { email: house.bob.email, password: testPassword })
    expect(victim.cookies.get(sessionCookie)).not.toBe(planted)
    expect(await userOf(attacker)).toMatchObject({ email: house.ada.email })
    const made = newVisitor(house.url)
    made.cookies.set(sessionCookie, 'chosen-by-an-attacker')
    await made.change('session/sign-in', { email: house.bob.email, password: testPassword })
    expect(made.cookies.get(sessionCookie)).not.toContain('chosen')
  })

  test('is kept in a cookie of this host alone that no script reads and no other site sends', async () => {
    const { headers } = await newVisitor(house.url).change('session/sign-in', {
      email: house.ada.email,
      password: testPassword,
    })
    const cookies = headers.getSetCookie()
    expect(cookies.length).toBeGreaterThan(0)
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^__Host-onesixty-/)
      expect(cookie.split('; ')).toEqual(
        expect.arrayContaining(['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict']),
      )
      expect(cookie).not.toMatch(/Domain=/i)
    }
  })

  test('ends with the sign-out on the server too, and a changed cookie opens nothing', async () => {
    const visitor = await signedIn()
    const kept = visitor.cookies.get(sessionCookie) ?? ''
    const forged = newVisitor(house.url)
    forged.cookies.set(
      sessionCookie,
      `${kept.slice(0, 8)}${kept.charAt(8) === 'a' ? 'b' : 'a'}${kept.slice(9)}`,
    )
    expect(await userOf(forged)).toBeNull()
    await visitor.change('session/sign-out')
    const thief = newVisitor(house.url)
    thief.cookies.set(sessionCookie, kept)
    expect(await userOf(thief)).toBeNull()
  })

  test('opens nothing below /api/v1, where keys are asked for', async () => {
    const visitor = await signedIn()
    const answer = await fetch(`${house.url}/api/v1/balance`, {
      headers: { cookie: `${sessionCookie}=${visitor.cookies.get(sessionCookie)}`, origin: house.url },
    })
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      401,
      'unauthenticated',
    ])
  })

  test('is given to nobody who came over plain HTTP from elsewhere, with the remedy', async () => {
    const { hostname, port } = new URL(house.url)
    const status = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const body = JSON.stringify({ email: house.ada.email, password: testPassword })
      const outgoing = request(
        {
          hostname,
          port,
          path: '/console/api/session/sign-in',
          method: 'POST',
          headers: {
            host: `sms.example.org:${port}`,
            origin: `http://sms.example.org:${port}`,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        },
        (answer) => {
          let text = ''
          answer.setEncoding('utf8')
          answer.on('data', (chunk: string) => (text += chunk))
          answer.on('end', () => resolve({ status: answer.statusCode, text }))
        },
      )
      outgoing.on('error', reject)
      outgoing.end(body)
    })
    expect(status.status).toBe(403)
    expect(JSON.parse(status.text)).toMatchObject({ code: 'https_required' })
  })

  test('of a user who was taken out of an account reads it no more', async () => {
    const link = (await house.ada.change('members/invite', { email: 'gus@example.org', role: 'member' }))
      .body as {
      link: string
    }
    const gus = newVisitor(house.url)
    await gus.change('link/join', { token: link.link.split('#')[1], name: 'Gus', password })
    const query = { account: house.ada.accountId, mode: 'live' }
    expect((await gus.read('members/list', query)).status).toBe(200)
    const { members } = (await house.ada.read('members/list')).body as {
      members: { userId: string; email: string }[]
    }
    const userId = members.find(({ email }) => email === 'gus@example.org')?.userId
    await house.ada.change('members/remove', { userId })
    expect((await gus.read('members/list', query)).status).toBe(404)
  })
})

describe('guessing', () => {
  let house: TestConsole
  beforeEach(async () => {
    house = await startConsole({ ONESIXTY_SIGN_IN_FAILURES: '4', ONESIXTY_SIGNUPS_PER_HOUR: '2' })
  })
  afterEach(() => house.stop())

  const attempt = async (email: string, given: string) =>
    newVisitor(house.url).change('session/sign-in', { email, password: given })

  test('of a password ends after so many failures, all at once or one by one, for the right one too', async () => {
    const { email } = house.ada
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => attempt(email, `wrong-${i}-password`)),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      401, 401, 401, 401, 429, 429, 429, 429,
    ])
    const right = await attempt(email.toUpperCase(), testPassword)
    expect(right).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0)
    // Somebody else is not kept out.
    expect((await attempt(house.bob.email, testPassword)).status).toBe(200)
  })

  test('over many addresses from one network ends as well', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 13; i++)
      statuses.push((await attempt(`user-${i}@example.org`, 'wrong password')).status)
    expect(statuses).toEqual([...Array<number>(12).fill(401), 429])
  })

  test('counts failures in a row: who gets it right begins anew', async () => {
    const { email } = house.ada
    for (const round of [1, 2, 3]) {
      for (const wrong of [1, 2, 3])
        expect((await attempt(email, `wrong ${round} ${wrong} password`)).status).toBe(401)
      expect((await attempt(email, testPassword)).status).toBe(200)
    }
  })

  test('locks nobody out of a browser that has signed in before; a new password makes a stranger of it', async () => {
    const { email } = house.ada
    const known = newVisitor(house.url)
    const enter = async (visitor: Visitor, given: string, as = email) =>
      (await visitor.change('session/sign-in', { email: as, password: given })).status
    const former = newVisitor(house.url)
    expect([await enter(known, testPassword), await enter(former, testPassword)]).toEqual([200, 200])
    for (let i = 0; i < 4; i++) await attempt(email, 'wrong password')
    expect([await enter(newVisitor(house.url), testPassword), await enter(known, testPassword)]).toEqual([
      429, 200,
    ])
    // Known to Ada alone, and not by a signature that somebody else has made.
    for (let i = 0; i < 4; i++) await attempt(house.bob.email, 'wrong password')
    expect(await enter(known, testPassword, house.bob.email)).toBe(429)
    const forged = newVisitor(house.url)
    const cookie = known.cookies.get('__Host-onesixty-browser') ?? ''
    forged.cookies.set('__Host-onesixty-browser', `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`)
    expect(await enter(forged, testPassword)).toBe(429)
    // Its own failures count, too.
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push(await enter(known, 'wrong password'))
    expect(statuses).toEqual([401, 401, 401, 401, 429])
    const next = 'gelber Igel im Regen'
    const changed = await house.ada.change('profile/change-password', { password: testPassword, next })
    expect(changed.status).toBe(200)
    const own = newVisitor(house.url)
    own.cookies.set('__Host-onesixty-browser', /browser=([^;]+)/.exec(cookieOf(changed))?.[1] ?? '')
    expect(await enter(own, next)).toBe(200)
    expect(await enter(former, next)).toBe(429)
  })

  test('of accounts: more sign-ups from one network than an hour allows are refused', async () => {
    const signUp = async (i: number) =>
      (
        await newVisitor(house.url).change('sign-up/open', {
          name: 'Eve',
          email: `eve-${i}@example.org`,
          password,
        })
      ).status
    expect([await signUp(1), await signUp(2), await signUp(3)]).toEqual([200, 200, 429])
  })
})

describe('whether an address is known', () => {
  let house: TestConsole
  beforeAll(async () => {
    house = await startConsole({ ONESIXTY_SIGN_IN_FAILURES: '1000' })
  })
  afterAll(() => house.stop())

  test('is told neither by the words of a refused sign-in nor by how often it hashes, which is what takes time', async () => {
    await house.openAccount('Nopassword')
    const hashes = watchHashes()
    onTestFinished(() => hashes.end())
    const refusal = async (email: string) => {
      const wrong = { email, password: 'a wrong password' }
      const { body, status } = await newVisitor(house.url).change('session/sign-in', wrong)
      const { request_id: _, ...words } = body as { request_id: string }
      return { status, words, hashes: hashes.take() }
    }
    const known = await refusal(house.ada.email)
    expect(known.hashes).toHaveLength(1)
    for (const email of ['nobody@example.org', 'nopassword@example.org'])
      expect(await refusal(email)).toEqual(known)
  })

  test('is not told by asking for a new password', async () => {
    const ask = async (email: string) => (await newVisitor(house.url).change('reset/ask', { email })).body
    expect(await ask('nobody@example.org')).toEqual(await ask(house.ada.email))
  })
})

describe('the second factor', () => {
  let house: TestConsole
  let secret: string
  const email = 'eve@example.org'
  beforeAll(async () => {
    house = await startConsole({ ONESIXTY_SIGN_IN_FAILURES: '1000' })
    const eve = newVisitor(house.url)
    await eve.change('sign-up/open', { name: 'Eve', email, password })
    ;({ secret } = (await eve.change('second-factor/begin', { password })).body as { secret: string })
    await eve.change('second-factor/confirm', { code: totp(secret) })
  })
  afterAll(() => house.stop())

  test('cannot be guessed: five codes end the attempt, ten lock it for a while, whatever the password', async () => {
    const wrong = totp(secret, Date.now() + 3_600_000)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 3; attempt++) {
      const visitor = newVisitor(house.url)
      await visitor.change('session/sign-in', { email, password })
      for (let i = 0; i < 6; i++)
        statuses.push((await visitor.change('session/give-code', { code: wrong })).status)
      expect(await userOf(visitor)).toBeNull()
    }
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(10)
    expect(statuses).not.toContain(200)
    const visitor = newVisitor(house.url)
    await visitor.change('session/sign-in', { email, password })
    expect((await visitor.change('session/give-code', { code: totp(secret) })).status).toBe(429)
    expect(await userOf(visitor)).toBeNull()
  })
})

describe('a closed service', () => {
  let house: TestConsole
  beforeAll(async () => {
    house = await startConsole({ ONESIXTY_SIGNUP: 'invite' })
  })
  afterAll(() => house.stop())

  test('opens no account without an invitation, and one with it', async () => {
    const stranger = newVisitor(house.url)
    const refused = await stranger.change('sign-up/open', { name: 'Eve', email: 'eve@example.org', password })
    expect(refused).toMatchObject({ status: 403, body: { code: 'sign_up_closed' } })
    const olga = await house.newPerson('Olga')
    await makeOperator(house, olga.userId)
    const made = await olga.change('operator/invite', { email: 'eve@example.org' })
    const token = (made.body as { link: string }).link.split('#')[1]
    expect((await stranger.change('link/join', { token, name: 'Eve', password })).status).toBe(200)
  })
})
