import { type Config, ConfigError } from '../config.ts'
import { CommandError } from './command-errors.ts'

/**
 * Why a server may not listen where it was told to, and what to do; any other error as it is. A right that is missing lasts until the settings are
 * others; another program may end, and an address or a name may come, without anybody's doing.
 */
export function listenFault(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): unknown {
  const { code = '' } = error as { code?: string }
  if (code === 'EACCES')
    return new ConfigError(`This user may not listen on port ${port}. Set ONESIXTY_PORT to one above 1023.`, {
      cause: error,
    })
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is in use. Stop what listens there, or set ONESIXTY_PORT to another port.`,
    EADDRNOTAVAIL: `${host} is no address of this machine. Set ONESIXTY_HOST to one: 127.0.0.1 for this machine alone, 0.0.0.0 for all.`,
    ENOTFOUND: `There is no host ${host}. Set ONESIXTY_HOST to an address of this machine.`,
  }
  const sentence = sentences[code]
  return sentence === undefined ? error : new CommandError('cannot_listen', sentence)
}
