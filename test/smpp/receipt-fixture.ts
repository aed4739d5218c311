import type { MessageFields } from '../../src/smpp/codec/pdu.ts'

/** A deliver_sm that carries `text`, as the receipt for a message to +15005550006 unless told otherwise. */
export const deliveryOf = (text: string, changed: Partial<MessageFields> = {}): MessageFields => ({
  serviceType: '',
  source: { ton: 1, npi: 1, address: '15005550006' },
  destination: { ton: 5, npi: 0, address: 'ACME' },
  esmClass: 0x04,
  protocolId: 0,
  priorityFlag: 0,
  scheduleDeliveryTime: '',
  validityPeriod: '',
  registeredDelivery: 0,
  replaceIfPresent: 0,
  dataCoding: 0,
  defaultMessageId: 0,
  shortMessage: Buffer.from(text, 'latin1'),
  tlvs: [],
  ...changed,
})
