import { type Config, ConfigError } from '../../config.ts'
import { CommandError } from '../core/command-errors.ts'

/**
 * Turns an error of `listen` into the reason and the fix; returns any other error unchanged. A missing permission lasts
 * until the settings change (exit code 78); a port, an address or a name can become available without a change.
 */
export function listenFault(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): unknown {
  const { code = '' } = error as { code?: string }
  if (code === 'EACCES')
    return new ConfigError(
      `Permission denied: cannot listen on port ${port}. Set ONESIXTY_PORT to a port above 1023.`,
      {
        cause: error,
      },
    )
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is in use. Stop the program that uses it, or set ONESIXTY_PORT to another port.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Set ONESIXTY_HOST to one: 127.0.0.1 for this machine only, 0.0.0.0 for all.`,
    ENOTFOUND: `Unknown host ${host}. Set ONESIXTY_HOST to an address of this machine.`,
  }
  const sentence = sentences[code]
  return sentence === undefined ? error : new CommandError('cannot_listen', sentence)
}
