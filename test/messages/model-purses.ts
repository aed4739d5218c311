import type { ModelMessage } from './model-message.ts'

/** Devices that submit: of the operator, the account's own, and a simulator of its own, whose messages are always paid. */
export const modelDevices = ['shared', 'own', 'play'] as const
export type ModelDevice = (typeof modelDevices)[number]

export const deviceId = (device: ModelDevice, account: string): string =>
  device === 'shared' ? 'dev_s' : `dev_${device}_${account}`

/** The one purse that a message is charged to, whose parts attempt `number` submitted. */
export function payerOf(
  { purse, devices }: Pick<ModelMessage, 'purse' | 'devices'>,
  number: number,
): 'balance' | 'own_device' {
  const isOwn = purse === 'own' || (purse === 'fallback' && devices.get(number) === 'own')
  return isOwn ? 'own_device' : 'balance'
}

/** Who took the parts that are known to be taken: the attempt that took the most, of equal ones the first; 0 without one. */
export const takenBy = ({ tries, partsTaken, parts }: ModelMessage): number =>
  [...tries]
    .toSorted(([a], [b]) => a - b)
    .find(([, one]) => Math.min(parts, one.partsTaken) >= partsTaken)?.[0] ?? 0

/** The parts that messages hold, in the wallet or beside it. */
export const heldIn = (messages: readonly ModelMessage[], payer: ModelMessage['paidBy']): number =>
  messages.reduce(
    (sum, { cost, parts, purse }) =>
      sum + (cost === 'held' && (purse === 'own') === (payer === 'own_device') ? parts : 0),
    0,
  )
