import { Type } from 'typebox'
import { eraseNumber } from '../../messages/erase-number.ts'
import { defineCall, type UserContext } from './call.ts'

/** What was erased, and what was left because it was being handed over. */
export interface ErasedNumber {
  erased: number
  canceled: number
  handedOver: number
}

const closed = { additionalProperties: false }
/** E.164. */
const number = Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$' })
const accountId = Type.String({ pattern: '^acc_[0-9a-z]{26}$' })

export const eraseCalls = {
  /** Erases a number of one account, or of all when none is named. */
  'operator/erase-number': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object({ number, accountId: Type.Optional(accountId) }, closed),
    handle: (context, asked): Promise<ErasedNumber> =>
      erase(context, { number: asked.number, accountId: asked.accountId ?? null, code: 'canceled_by_operator' }), // prettier-ignore
  }),
  /** Erases a number of one's own account, in both modes. */
  'history/erase-number': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ number }, closed),
    handle: (context, asked): Promise<ErasedNumber> =>
      erase(context, { number: asked.number, accountId: context.account.id, code: 'canceled_by_user' }),
  }),
}

async function erase(
  { read, writer, clock, ids, actor, ports, live }: UserContext,
  asked: {
    number: string
    accountId: string | null
    code: 'canceled_by_operator' | 'canceled_by_user'
  },
): Promise<ErasedNumber> {
  const { holdHorizon, wakeDevice, numbers } = ports.history
  const deps = { read, writer, clock, ids, numbers, hold: holdHorizon }
  const { deviceIds, ...counts } = await eraseNumber(deps, { ...asked, actor })
  for (const deviceId of deviceIds) wakeDevice(deviceId)
  live.changed(asked.accountId)
  return counts
}
