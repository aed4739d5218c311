import { expect } from 'vitest'
import { testPassword } from '../e2e/signed-in.ts'
import { newSoftPasskey, type Quirks, type SoftPasskey, type UsedPasskey } from './soft-passkey.ts'
import { type ConsolePerson, startConsole, type TestConsole } from './start-console.ts'
import { newVisitor, type Visitor } from './visitor.ts'

/** A browser, and who is signed in with it. */
export type SignedIn = Visitor & { person: ConsolePerson }

export interface Owner {
  visitor: Visitor
  person: ConsolePerson
  passkey: SoftPasskey
  passkeyId: string
}

/** The console, with as many failures as a test likes and at most three passkeys of a person. */
export interface PasskeyHouse extends TestConsole {
  /** Somebody new, signed in with the password, which is hashed at each sign-in: what can takes one person for several proofs. */
  signedIn(): Promise<SignedIn>
  /** Somebody new with a passkey. */
  withPasskey(quirks?: Quirks): Promise<Owner>
  signIn(passkey: SoftPasskey, quirks?: Quirks, visitor?: Visitor): ReturnType<typeof enter>
  /** What the audit log says of a person's passkeys. */
  audited(userId: string): Promise<string[]>
}

export async function openPasskeyHouse(): Promise<PasskeyHouse> {
  const started = await startConsole({
    ONESIXTY_SIGN_IN_FAILURES: '1000',
    ONESIXTY_PASSKEYS_PER_USER: '3',
  })
  let people = 0
  const house: PasskeyHouse = {
    ...started,
    async signedIn() {
      const person = await started.newPerson(`Eve${++people}`)
      const visitor = newVisitor(started.url)
      const [name = '', value = ''] = person.cookie.split('=')
      visitor.cookies.set(name, value)
      return { ...visitor, person }
    },
    async withPasskey(quirks = {}) {
      const visitor = await house.signedIn()
      const passkey = newSoftPasskey(started.url)
      const added = await add(visitor, passkey, quirks)
      expect(added.status).toBe(200)
      return { visitor, passkey, person: visitor.person, ...(added.body as { passkeyId: string }) }
    },
    signIn: async (passkey, quirks = {}, visitor = newVisitor(started.url)) =>
      enter(visitor, passkey.use(await ask(visitor), quirks)),
    async audited(userId) {
      const rows = await started.app.storage.read
        .selectFrom('audit_log')
        .select(['action', 'detail'])
        .orderBy('id')
        .execute()
      return rows
        .filter(({ detail, action }) => detail.includes(userId) && action.startsWith('user.passkey'))
        .map(({ action }) => action)
    },
  }
  return house
}

export const begin = async (visitor: Visitor) => {
  const { body } = await visitor.change('passkeys/begin', { name: 'Phone', password: testPassword })
  return (
    body as { options: { challenge: string; user: { id: string }; excludeCredentials: { id: string }[] } }
  ).options
}

export const add = async (visitor: Visitor, passkey: SoftPasskey, quirks: Quirks = {}) =>
  visitor.change('passkeys/add', { name: 'Phone', made: passkey.make(await begin(visitor), quirks) })

export const ask = async (visitor: Visitor) =>
  ((await visitor.change('session/ask-passkey')).body as { options: { challenge: string; rpId: string } })
    .options

export const enter = (visitor: Visitor, used: UsedPasskey) =>
  visitor.change('session/sign-in-with-passkey', used)

export const whoIs = async (visitor: Visitor) =>
  ((await visitor.read('session/read')).body as { user: { email: string } | null }).user?.email ?? null

interface Profile {
  passkeys: { id: string; name: string; isSynced: boolean; createdAt: number; lastUsedAt: number | null }[]
  passkeyOrigin: string | null
  sessions: unknown[]
}

export const profile = async (visitor: Visitor) => (await visitor.read('profile/read')).body as Profile
