import type { Candidate, Route } from '../../src/dispatch/routes/candidate.ts'

/** Routes and devices of which one is to be chosen. */

export const route = (accountId: string, sender: string | null = null): Route => ({
  accountId,
  mode: 'live',
  routeKey: `live:${sender ?? ''}`,
  sender,
  encodingForced: false,
  avoids: null,
})
export const device = (id: string, facts: Partial<Candidate> = {}): Candidate => ({
  id,
  accountId: null,
  mode: 'live',
  fetches: false,
  alphanumericSender: true,
  choosesEncoding: true,
  maxParts: 10,
  health: 'online',
  senders: new Set(),
  free: 10,
  load: 0,
  ...facts,
})
