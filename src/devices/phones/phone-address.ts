import type { Config } from '../../config.ts'
import { phoneOrigin } from '../../process/own-address.ts'

type Addressed = Pick<Config, 'publicUrl' | 'host' | 'port' | 'tlsCert' | 'phoneListen'>

/** Returns the API URL that is entered in the app. */
export const phoneAddress = (config: Addressed): string =>
  `${phoneOrigin(config, config.publicUrl ?? listenOrigin(config))}/mobile/v1`

const listenOrigin = ({ host, port, tlsCert }: Addressed): string =>
  `${tlsCert === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`
