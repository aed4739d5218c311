/** Responses that the API simulates for a test number; the simulator handles the others. */
export type TestAnswer =
  | 'invalid_number'
  | 'destination_not_allowed'
  | 'recipient_opted_out'
  | 'queue_full'
  | 'insufficient_balance'

/** Returns the simulated response to a send to this number in test mode; null if the send is processed. */
export const testAnswerTo = (e164: string): TestAnswer | null =>
  e164.startsWith('+1500555') ? (answers.get(e164) ?? null) : null

const answers: ReadonlyMap<string, TestAnswer> = new Map([
  ['+15005550001', 'invalid_number'],
  ['+15005550003', 'destination_not_allowed'],
  ['+15005550004', 'recipient_opted_out'],
  ['+15005550008', 'queue_full'],
  ['+15005550010', 'insufficient_balance'],
])
