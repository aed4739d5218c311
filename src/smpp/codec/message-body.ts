import { type Cursor, readAddress, readCString, readOctet, readOctets, readTlvsOf } from './cursor.ts'
import type { MessageFields } from './pdu.ts'
import {
  type PduWriter,
  writeAddress,
  writeCString,
  writeOctet,
  writeShortMessage,
  writeTlvs,
} from './pdu-writer.ts'

/** The body of submit_sm and deliver_sm (sections 4.4.1 and 4.6.1). */
export const messageBody = {
  read(cursor: Cursor): MessageFields {
    // Members are listed in the order of the PDU: each is parsed in turn.
    const mandatory = {
      serviceType: readCString(cursor),
      source: readAddress(cursor),
      destination: readAddress(cursor),
      esmClass: readOctet(cursor),
      protocolId: readOctet(cursor),
      priorityFlag: readOctet(cursor),
      scheduleDeliveryTime: readCString(cursor),
      validityPeriod: readCString(cursor),
      registeredDelivery: readOctet(cursor),
      replaceIfPresent: readOctet(cursor),
      dataCoding: readOctet(cursor),
      defaultMessageId: readOctet(cursor),
      shortMessage: readOctets(cursor, readOctet(cursor)),
    }
    return { ...mandatory, tlvs: readTlvsOf(cursor, mandatory.shortMessage) }
  },
  write(sink: PduWriter, body: MessageFields): void {
    writeCString(sink, body.serviceType, 5, 'serviceType')
    writeAddress(sink, body.source, 20, 'source')
    writeAddress(sink, body.destination, 20, 'destination')
    writeOctet(sink, body.esmClass, 'esmClass')
    writeOctet(sink, body.protocolId, 'protocolId')
    writeOctet(sink, body.priorityFlag, 'priorityFlag')
    writeCString(sink, body.scheduleDeliveryTime, 16, 'scheduleDeliveryTime')
    writeCString(sink, body.validityPeriod, 16, 'validityPeriod')
    writeOctet(sink, body.registeredDelivery, 'registeredDelivery')
    writeOctet(sink, body.replaceIfPresent, 'replaceIfPresent')
    writeOctet(sink, body.dataCoding, 'dataCoding')
    writeOctet(sink, body.defaultMessageId, 'defaultMessageId')
    writeShortMessage(sink, body.shortMessage)
    writeTlvs(sink, body.tlvs)
  },
}

const emptyMessage = Buffer.alloc(0)

/** The body of data_sm (section 4.7.1). Refuses to write what it has no field for, instead of losing it. */
export const dataBody = {
  read(cursor: Cursor): MessageFields {
    return {
      serviceType: readCString(cursor),
      source: readAddress(cursor),
      destination: readAddress(cursor),
      esmClass: readOctet(cursor),
      protocolId: 0,
      priorityFlag: 0,
      scheduleDeliveryTime: '',
      validityPeriod: '',
      registeredDelivery: readOctet(cursor),
      replaceIfPresent: 0,
      dataCoding: readOctet(cursor),
      defaultMessageId: 0,
      shortMessage: emptyMessage,
      tlvs: readTlvsOf(cursor, emptyMessage),
    }
  },
  write(sink: PduWriter, body: MessageFields): void {
    const lost =
      (body.protocolId | body.priorityFlag | body.replaceIfPresent | body.defaultMessageId) !== 0 ||
      body.scheduleDeliveryTime + body.validityPeriod !== '' ||
      body.shortMessage.length > 0
    if (lost) sink.fault ??= 'data_sm has no field for what only submit_sm and deliver_sm carry'
    writeCString(sink, body.serviceType, 5, 'serviceType')
    writeAddress(sink, body.source, 64, 'source')
    writeAddress(sink, body.destination, 64, 'destination')
    writeOctet(sink, body.esmClass, 'esmClass')
    writeOctet(sink, body.registeredDelivery, 'registeredDelivery')
    writeOctet(sink, body.dataCoding, 'dataCoding')
    writeTlvs(sink, body.tlvs)
  },
}
