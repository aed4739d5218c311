/** Options for the settings that every link needs. Other settings use `--set`. */
export const linkOptions = {
  host: { type: 'text', value: 'HOST', summary: 'smpp: host name or IP address of the SMSC. No default.' },
  port: {
    type: 'number',
    value: 'PORT',
    summary: 'smpp: port of the SMSC. No default.',
  },
  'system-id': { type: 'text', value: 'ID', summary: 'smpp: system_id of the bind. No default.' },
  bind: { type: 'text', value: 'HOW', summary: 'smpp: transceiver, pair, transmitter or receiver.' },
  window: { type: 'number', value: 'N', summary: 'smpp: maximum number of submissions without a response.' },
  tls: { type: 'flag', summary: 'smpp: use TLS.' },
  'password-stdin': {
    type: 'flag',
    summary: 'Read the password from standard input, like --secret-stdin password.',
  },
} as const

interface Given {
  host?: string | undefined
  port?: number | undefined
  'system-id'?: string | undefined
  bind?: string | undefined
  window?: number | undefined
  tls: boolean
}

/** Returns the settings of these options. */
export function linkSettings(given: Given): Record<string, string> {
  const settings = {
    host: given.host,
    port: given.port,
    system_id: given['system-id'],
    bind: given.bind,
    window: given.window,
    tls: given.tls ? 'on' : undefined,
  }
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}
