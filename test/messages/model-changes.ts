import { expect } from 'vitest'
import { walkHistory } from '../history/stored-messages.ts'
import type { Model } from './model.ts'
import type { NearStore } from '../near-store.ts'

/**
 * The feed of changes, from its beginning, has every message of an account once, in their order, and as the model has it. Of the account that has most of
 * them, at the end of a sequence: after each step it would take longer than all the rest.
 */
export async function expectChangesTold(model: Model, { db }: NearStore): Promise<void> {
  const accounts = Map.groupBy(model.messages.values(), ({ account }) => account)
  const [most] = [...accounts].toSorted(([, a], [, b]) => b.length - a.length)
  if (most === undefined) return
  const [accountId, known] = most
  const owner = { accountId, mode: 'live' } as const
  const { rows } = await walkHistory({ read: db }, { owner, query: { updatedAfterMs: 1 } })
  const times = rows.map(({ updated_at: atMs }) => atMs)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  const told = rows.map(({ id, status }) => `${id} ${status}`)
  expect(told.toSorted()).toEqual(known.map(({ id, status }) => `${id} ${status}`).toSorted())
}
