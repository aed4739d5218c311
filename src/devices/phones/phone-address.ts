import type { Config } from '../../config.ts'

type Addressed = Pick<Config, 'publicUrl' | 'host' | 'port' | 'tlsCert'>

/** Returns the API URL that is entered in the app. */
export const phoneAddress = (config: Addressed): string => `${originOf(config)}/mobile/v1`

function originOf({ publicUrl, host, port, tlsCert }: Addressed): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '')
  return `${tlsCert === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
