/** The address of a server, and the options that it sets for sessions. */
export interface PostgresAddress {
  connectionString: string
  /** In the form of the server's command line; empty without options. Some hosting providers require them. */
  options: string
}

/** Set by this program for every session; an address cannot override them. */
const ours: ReadonlySet<string> = new Set([
  'application_name',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'query_timeout',
])

/**
 * Removes the parameters of an address that would override our own settings: pg gives the parameters of the
 * address priority. With other `options`, a reader for an account would read as the owner of all tables
 * (P10). Everything else stays unchanged.
 */
export function readAddress(url: string): PostgresAddress {
  const at = url.indexOf('?')
  if (at < 0) return { connectionString: url, options: '' }
  const parameters = url
    .slice(at + 1)
    .split('&')
    .map((text) => ({ text, ...nameAndValue(text) }))
  const kept = parameters.filter(({ name }) => name !== 'options' && !ours.has(name))
  const options = parameters.filter(({ name }) => name === 'options').map(({ value }) => value)
  const query = kept.map(({ text }) => text).join('&')
  return {
    connectionString: query === '' ? url.slice(0, at) : `${url.slice(0, at)}?${query}`,
    options: options.join(' '),
  }
}

function nameAndValue(parameter: string): { name: string; value: string } {
  const [[name, value] = ['', '']] = [...new URLSearchParams(parameter)]
  return { name, value }
}
