import type { Config } from '../../config.ts'
import { phoneApiUrl } from '../../process/own-address.ts'

type Addressed = Pick<Config, 'publicUrl' | 'host' | 'port' | 'tlsCert' | 'phoneListen'>

/** Returns the API URL that is entered in the app, by the settings alone: a command knows no port that the server chose. */
export const phoneAddress = (config: Addressed): string =>
  phoneApiUrl(config, config.publicUrl ?? listenOrigin(config))

const listenOrigin = ({ host, port, tlsCert }: Addressed): string =>
  `${tlsCert === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`
