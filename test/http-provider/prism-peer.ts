import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { httpKind } from '../../src/connectors/http/http.ts'
import type { Link } from '../../src/connectors/connector.ts'
import { createOutgoing } from '../../src/outgoing/create-outgoing.ts'
import { createWorld } from '../contracts/contract-subject.ts'
import { freePort } from '../free-port.ts'
import { startForeignServer } from '../peers/foreign-server.ts'
import { fetchedFolder } from '../peers/foreign-tools.ts'

/** prism 5.16.0, which plays an OpenAPI document: it refuses what the document does not allow with 422 or 401. */
export interface Prism {
  url: string
  stop(): Promise<void>
}

/** Starts prism with a document; with `-d` each answer has words of its own, otherwise the examples of the document. */
export async function startPrism(document: object, ...flags: '-d'[]): Promise<Prism> {
  const folder = mkdtempSync(join(tmpdir(), 'onesixty-prism-'))
  const file = join(folder, 'document.json')
  writeFileSync(file, JSON.stringify(document))
  const main = join(fetchedFolder, 'prism/node_modules/@stoplight/prism-cli/dist/index.js')
  const port = await freePort()
  const server = await startForeignServer(
    [process.execPath, main, 'mock', ...flags, '-h', '127.0.0.1', '-p', String(port), file],
    { port, withinMs: 120_000 },
  )
  return {
    url: server.url,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a link to a provider that prism plays. `statuses` are those of its answers. */
export async function openPrismLink(
  settings: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>,
): Promise<{ link: Link; statuses: string[]; world: ReturnType<typeof createWorld> }> {
  const world = createWorld(Date.now())
  const statuses: string[] = []
  const counters = {
    answered: (status: string) => void statuses.push(status),
    sessionLost: () => undefined,
    unparsed: () => undefined,
  }
  const urls = { status: 'https://sms.example.com/s', inbound: 'https://sms.example.com/i' }
  const link = httpKind.createLink(
    { id: 'dev_1', name: 'Provider', settings, secrets },
    {
      ...world.tools,
      counters,
      callbackUrls: () => urls,
      outgoing: createOutgoing(['127.0.0.1'], 'ONESIXTY_PROVIDER_ALLOW'),
    },
    world.events,
  )
  await link.start()
  onTestFinished(() => link.stop())
  return { link, statuses, world }
}
