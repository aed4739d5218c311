/** What the app says over HTTP, in its own words. */

export const sim = {
  slotIndex: 0,
  simNumber: 1,
  phoneNumber: '********1234',
  carrierName: '**elco',
  iccid: '****0001',
}

export const app = { name: 'samsung/a12', simCards: [sim] }

export const reportOf = (state: string, more: object = {}): object => ({
  id: 'att_1',
  state,
  recipients: [{ phoneNumber: '+4915550001234', state }],
  states: { [state]: '2026-11-21T12:30:00.000+03:00' },
  ...more,
})

export const received = {
  messageId: 'abc',
  message: 'STOP',
  sender: '+4915550007777',
  recipient: '+4915550001234',
  simNumber: 1,
  phoneNumber: '+4915550007777',
  receivedAt: '2026-11-21T12:29:58.000+03:00',
}
