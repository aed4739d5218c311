/** A page of an account. */
export interface Page {
  label: string
  /** Below `/a/<account>/<mode>`. */
  path: string
  /** Purpose of the page, shown in the palette. */
  description: string
}

/** In the order of the navigation. The palette uses the same labels. */
export const pages: readonly Page[] = [
  { label: 'Overview', path: '', description: 'Traffic, delivery times, queue, balance, devices' },
  { label: 'First steps', path: '/start', description: 'From a curl command to the first real SMS' },
  { label: 'Send', path: '/send', description: 'One message, or a table of numbers and texts' },
  { label: 'History', path: '/history', description: 'All messages, their status and its reason' },
  { label: 'Conversations', path: '/conversations', description: 'Received messages and replies, by number' },
  {
    label: 'Opt-outs',
    path: '/opt-outs',
    description: 'Search, add, import and remove numbers that opted out; keywords, quiet hours',
  },
  { label: 'Devices', path: '/devices', description: 'Phones, modems, SMPP connections and simulators' },
  {
    label: 'Balance',
    path: '/balance',
    description: 'Available SMS, how long they last, and the statement',
  },
  { label: 'Developers', path: '/developers', description: 'API keys, API reference, code samples' },
  { label: 'Webhooks', path: '/webhooks', description: 'Endpoints that receive events' },
  { label: 'Members', path: '/members', description: 'Users of this account, and invitations' },
]
