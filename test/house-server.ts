import { onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../src/runtime/clock.ts'
import { type ServerProcess, startApp, startServerProcess, temporaryFolder } from './harness.ts'

/** The server of a house: in the process of the test, or in one of its own, where it can be killed and its log be read. */
export interface HouseServer {
  readonly url: string
  readonly dataFolder: string
  /** Throws where the server has no process of its own. */
  readonly process: ServerProcess
  /** Starts it anew on the same port, once its process has ended. */
  restart(): Promise<void>
}

export interface HouseServerOptions {
  env?: Record<string, string> | undefined
  /** A process of its own takes about a second to start. */
  ownProcess?: boolean | undefined
  /** What Node.js is started with there. */
  flags?: readonly string[] | undefined
  /** Of a server in the process of the test. */
  clock?: Clock | undefined
}

/** Starts one for the running test. */
export const openHouseServer = ({
  env = {},
  ownProcess = false,
  flags,
  clock,
}: HouseServerOptions): Promise<HouseServer> =>
  ownProcess ? inOwnProcess(env, flags) : inThisProcess(env, clock)

async function inThisProcess(env: Record<string, string>, clock = systemClock): Promise<HouseServer> {
  const app = await startApp(env, { clock })
  onTestFinished(() => app.stop())
  return {
    url: app.url,
    dataFolder: app.dataFolder,
    get process(): never {
      throw new Error('This server has no process of its own: open its house with ownProcess.')
    },
    restart: () => Promise.reject(new Error('Only a server in a process of its own is restarted.')),
  }
}

async function inOwnProcess(
  env: Record<string, string>,
  flags: HouseServerOptions['flags'],
): Promise<HouseServer> {
  const dataFolder = await temporaryFolder()
  let server = await startServerProcess({ dataFolder, env, flags })
  onTestFinished(async () => void (await server.kill('SIGKILL')))
  return {
    url: server.url,
    dataFolder,
    get process() {
      return server
    },
    async restart() {
      server = await startServerProcess({ dataFolder, port: server.port, env, flags })
    },
  }
}
