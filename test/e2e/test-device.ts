import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import type { TestApp } from '../harness.ts'

/** Sets the simulator of the test mode, whose receipts come after three seconds otherwise. The server follows within half a second. */
export async function setTestDevice(
  { app }: TestApp,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  await app.storage.writer.write(async (tx) => {
    await tx
      .updateTable('devices')
      .set((is) => ({ settings: JSON.stringify(settings), updated_at: is('updated_at', '+', 1) }))
      .where('mode', '=', 'test')
      .where('account_id', 'is', null)
      .execute()
    await touchDirectory(tx)
  })
}

/** Lets the phones that the server visits be visited often: by default a received message waits up to ten seconds for a visit. */
export async function hurryVisits({ app }: TestApp): Promise<void> {
  const settings = { visit_ms: '200', visit_idle_s: '1' }
  await app.storage.writer.write(async (tx) => {
    const phones = tx.selectFrom('devices').select(['id', 'settings']).where('kind', '=', 'android')
    for (const phone of await phones.execute())
      await tx
        .updateTable('devices')
        .set((is) => ({
          settings: JSON.stringify({ ...(JSON.parse(phone.settings) as object), ...settings }),
          updated_at: is('updated_at', '+', 1),
        }))
        .where('id', '=', phone.id)
        .execute()
    await touchDirectory(tx)
  })
}

/** What the simulator asks before it says that it took a message (its `peer_url`). */
export interface Gate {
  url: string
  /** How many messages have come so far. */
  asked: number
  /** Nothing goes from now on; it may for ten seconds. */
  hold(): void
  /** What was held goes, and whatever comes, at once. */
  letGo(): void
  stop(): Promise<void>
}

/** Holds messages between a device and its network while a test looks at them, open at first. */
export async function startGate(): Promise<Gate> {
  let held: ServerResponse[] | null = null
  const server = createServer((request, response) => {
    own.asked += 1
    request.resume()
    if (held === null) response.end()
    else held.push(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const own: Gate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked: 0,
    hold: () => void (held ??= []),
    letGo() {
      for (const response of held ?? []) response.end()
      held = null
    },
    async stop() {
      own.letGo()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return own
}
