import { calls } from '../../src/api/console/calls.ts'
import type { AnyCall } from '../../src/api/console/core/call.ts'
import type { GuardedCall } from './right-inputs.ts'

/** Every call of the console, by its name. */
export const allCalls: [string, AnyCall][] = Object.entries(calls)
/** Whether a call asks who calls. */
export const isGuarded = (row: [string, AnyCall]): row is [GuardedCall, AnyCall] => row[1].access !== 'anyone'
export const guarded = allCalls.filter(isGuarded)
export const ofAccounts = guarded.filter(([, { access }]) => access === 'member' || access === 'owner')
export const ofOwners = guarded.filter(([, { access }]) => access === 'owner')
export const ofOperators = guarded.filter(([, { access }]) => access === 'operator')
/** Those whose input names an object; to an operator nothing is foreign. */
export const naming = guarded.filter(
  ([, { access, input }]) => access !== 'operator' && idsIn(input).length > 0,
)

/** The paths of what an input names: whatever is called an id, a cursor or a place before which to look. */
export function idsIn(schema: object): string[] {
  const {
    properties = {},
    anyOf = [],
    items = {},
  } = schema as {
    properties?: Record<string, object>
    anyOf?: object[]
    items?: object
  }
  return [
    ...Object.entries(properties).flatMap(([name, member]) =>
      /^(ids?|before|cursor|sentBy)$|Ids?$/.test(name) ? [name] : idsIn(member),
    ),
    ...[...anyOf, items].flatMap((part) => (Object.keys(part).length === 0 ? [] : idsIn(part))),
  ]
}
