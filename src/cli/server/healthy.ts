import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config.ts'
import { loopbackAddress } from '../../process/own-address.ts'
import { command } from '../core/command.ts'

/** Below the interval of a health check (10 s in the image), above the time that a server takes to notice that its database is gone. */
const timeoutMs = 3_000

export const healthyCommand = command({
  summary: 'Checks whether the server on this machine accepts requests. Exit code 0 or 1.',
  details: 'For health checks of containers. It asks /readyz on the loopback interface.',
  arguments: [],
  options: {},
  async run({ config }) {
    const { isReady, reason } = await askReady(config)
    return { json: { ready: isReady, reason }, text: reason, exitCode: isReady ? 0 : 1 }
  },
})

/** Asks for `/readyz`. Never rejects: a server that cannot be reached is not ready. */
async function askReady(config: Config): Promise<{ isReady: boolean; reason: string }> {
  const scheme = config.tlsCert === null ? 'http' : 'https'
  // The public address leads to a proxy, or to another node.
  const origin = loopbackAddress({ ...config, publicUrl: null, tlsCert: null }).replace(/^http/, scheme)
  // The certificate names the public host. Nothing is sent but the question, and only the status is read.
  const options = { rejectUnauthorized: false, signal: AbortSignal.timeout(timeoutMs) }
  const request = (scheme === 'http' ? getHttp : getHttps)(`${origin}/readyz`, options)
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    const isReady = response.statusCode === 200
    return {
      isReady,
      reason: isReady ? 'The server is ready.' : `The server is not ready: ${response.statusCode}.`,
    }
  } catch (error) {
    return { isReady: false, reason: `The server does not answer at ${origin}: ${(error as Error).message}.` }
  }
}
