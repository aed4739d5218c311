import { randomBytes } from 'node:crypto'
import { issueLink, type NewOneTimeLink } from '../../src/accounts/people/one-time-links.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { startConsole, type TestConsole } from './start-console.ts'
import { newVisitor, type Visitor } from './visitor.ts'

export const password = 'gelber Igel im Schnee'

/** The console, to which people come by one-time links and by signing up, as many as a test likes. */
export interface IdentityHouse extends TestConsole {
  issue(wanted: Partial<NewOneTimeLink>): ReturnType<typeof issueLink>
  /** Somebody who has signed up. */
  signedUp(email: string): Promise<Visitor & { accountId: string; testKey: string }>
}

export async function openIdentityHouse(): Promise<IdentityHouse> {
  const house = await startConsole({ ONESIXTY_SIGNUPS_PER_HOUR: '0' })
  const ids = createIds({ now: Date.now })
  return {
    ...house,
    issue: (wanted) =>
      house.app.storage.writer.write((tx) =>
        issueLink(tx, { ids, nowMs: Date.now(), randomBytes }, {
          lifeMs: 3_600_000,
          actor: 'test',
          ...wanted,
        } as NewOneTimeLink),
      ),
    async signedUp(email) {
      const visitor = newVisitor(house.url)
      const { body } = await visitor.change('sign-up/open', { name: 'Eve', email, password })
      return { ...visitor, ...(body as { accountId: string; testKey: string }) }
    },
  }
}

/** As after a link that was opened long ago. */
export const proveAddresses = ({ app }: Pick<TestConsole, 'app'>): Promise<unknown> =>
  app.storage.writer.write((tx) => tx.updateTable('users').set({ email_proven_at: 1 }).execute())

export const whoIs = async (visitor: Visitor) =>
  (await visitor.read('session/read')).body as {
    user: { email: string } | null
    accounts: { id: string; role: string }[]
  }
