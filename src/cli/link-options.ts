/** The settings that every link to an SMSC needs, as options of their own. The rest goes by `--set`. */
export const linkOptions = {
  host: { type: 'text', value: 'HOST', says: 'Of smpp: name or address of the SMSC; no default.' },
  port: {
    type: 'number',
    value: 'PORT',
    says: 'Of smpp: its port; no default.',
  },
  'system-id': { type: 'text', value: 'ID', says: 'Of smpp: the name to bind with; no default.' },
  bind: { type: 'text', value: 'HOW', says: 'Of smpp: transceiver, pair, transmitter or receiver.' },
  window: { type: 'number', value: 'N', says: 'How many submits may wait for their answer at once.' },
  tls: { type: 'flag', says: 'Of smpp: speak TLS.' },
  'password-stdin': {
    type: 'flag',
    says: 'Read the password from standard input: --secret-stdin password.',
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

/** The settings that were given by options of their own. */
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
