/** The pages of an account, in the order of the navigation; the palette finds them by the same names. */
export interface Page {
  label: string
  /** Below `/a/<account>/<mode>`. */
  path: string
  /** What it is for, in the palette. */
  says: string
}

export const pages: readonly Page[] = [
  { label: 'Overview', path: '', says: 'Whether it works: traffic, times, queue, balance, devices' },
  { label: 'First steps', path: '/start', says: 'From the first line of curl to the first real SMS' },
  { label: 'Send', path: '/send', says: 'One text, or a table of numbers and texts' },
  { label: 'History', path: '/history', says: 'Every message, what became of it, and why' },
  { label: 'Conversations', path: '/conversations', says: 'What people answered, number by number' },
  {
    label: 'Opt-outs',
    path: '/opt-outs',
    says: 'Numbers that answered STOP: look, add, import, remove; keywords, quiet hours',
  },
  { label: 'Devices', path: '/devices', says: 'What carries messages: phones, links, simulators' },
  {
    label: 'Balance',
    path: '/balance',
    says: 'What there is to spend, how long it lasts, and the statement',
  },
  { label: 'Developers', path: '/developers', says: 'API keys, the reference, code to begin with' },
  { label: 'Webhooks', path: '/webhooks', says: 'Where your programs are told what happens' },
  { label: 'Members', path: '/members', says: 'Who may work with this account, and invitations' },
]
