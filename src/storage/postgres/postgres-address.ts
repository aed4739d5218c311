/** What an address says of the way to a server, and what it asks of its sessions. */
export interface PostgresAddress {
  connectionString: string
  /** As the server's command line has them; empty when it asks for nothing. Some hosts need one of their own. */
  options: string
}

/** Set by this program for every session: an address has no say in them. */
const ours: ReadonlySet<string> = new Set([
  'application_name',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'query_timeout',
])

/**
 * Takes out of an address what would stand in the place of our own settings: pg lets every parameter of it go before what it is given beside it.
 * A reader for an account whose `options` were replaced would read as the owner of all tables (P10). All else stays as it was written.
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
