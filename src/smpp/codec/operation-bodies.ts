import { type Cursor, readAddress, readCString, readLastCString, readOctet, readOctets, readTlvs, readUint32 } from './cursor.ts' // prettier-ignore
import type { AlertFields, CancelFields, MessageResult, QueryFields, QueryResult, ReplaceFields, SubmitMultiResult } from './pdu.ts' // prettier-ignore
import { type PduWriter, writeAddress, writeCString, writeOctet, writeShortMessage, writeTlvs, writeUint32 } from './pdu-writer.ts' // prettier-ignore

/** Maximum octets of a message ID (section 5.2.23). */
const maxIdOctets = 64

/** The body of submit_sm_resp, deliver_sm_resp and data_sm_resp (sections 4.4.2, 4.6.2 and 4.7.2). */
export const messageResultBody = {
  read(cursor: Cursor): MessageResult {
    return { messageId: readLastCString(cursor), tlvs: readTlvs(cursor) }
  },
  write(sink: PduWriter, body: MessageResult): void {
    writeCString(sink, body.messageId, maxIdOctets, 'messageId')
    writeTlvs(sink, body.tlvs)
  },
}

/** Section 4.5.2. */
export const submitMultiResultBody = {
  read(cursor: Cursor): SubmitMultiResult {
    const messageId = readCString(cursor)
    const count = readOctet(cursor)
    const unsuccessful: SubmitMultiResult['unsuccessful'][number][] = []
    while (unsuccessful.length < count && cursor.fault === null)
      unsuccessful.push({ address: readAddress(cursor), status: readUint32(cursor) })
    return { messageId, unsuccessful, tlvs: readTlvs(cursor) }
  },
  write(sink: PduWriter, body: SubmitMultiResult): void {
    writeCString(sink, body.messageId, maxIdOctets, 'messageId')
    writeOctet(sink, body.unsuccessful.length, 'the number of unsuccessful addresses')
    for (const { address, status } of body.unsuccessful) {
      writeAddress(sink, address, 20, 'an unsuccessful address')
      writeUint32(sink, status, 'the status of an unsuccessful address')
    }
    writeTlvs(sink, body.tlvs)
  },
}

/** Section 4.8.1. */
export const queryBody = {
  read(cursor: Cursor): QueryFields {
    return { messageId: readCString(cursor), source: readAddress(cursor) }
  },
  write(sink: PduWriter, body: QueryFields): void {
    writeCString(sink, body.messageId, maxIdOctets, 'messageId')
    writeAddress(sink, body.source, 20, 'source')
  },
}

/** Section 4.8.2. */
export const queryResultBody = {
  read(cursor: Cursor): QueryResult {
    return {
      messageId: readCString(cursor),
      finalDate: readCString(cursor),
      messageState: readOctet(cursor),
      errorCode: readOctet(cursor),
    }
  },
  write(sink: PduWriter, body: QueryResult): void {
    writeCString(sink, body.messageId, maxIdOctets, 'messageId')
    writeCString(sink, body.finalDate, 16, 'finalDate')
    writeOctet(sink, body.messageState, 'messageState')
    writeOctet(sink, body.errorCode, 'errorCode')
  },
}

/** Section 4.9.1. */
export const cancelBody = {
  read(cursor: Cursor): CancelFields {
    return {
      serviceType: readCString(cursor),
      messageId: readCString(cursor),
      source: readAddress(cursor),
      destination: readAddress(cursor),
    }
  },
  write(sink: PduWriter, body: CancelFields): void {
    writeCString(sink, body.serviceType, 5, 'serviceType')
    writeCString(sink, body.messageId, maxIdOctets, 'messageId')
    writeAddress(sink, body.source, 20, 'source')
    writeAddress(sink, body.destination, 20, 'destination')
  },
}

/** Section 4.10.1. */
export const replaceBody = {
  read(cursor: Cursor): ReplaceFields {
    return {
      messageId: readCString(cursor),
      source: readAddress(cursor),
      scheduleDeliveryTime: readCString(cursor),
      validityPeriod: readCString(cursor),
      registeredDelivery: readOctet(cursor),
      defaultMessageId: readOctet(cursor),
      shortMessage: readOctets(cursor, readOctet(cursor)),
    }
  },
  write(sink: PduWriter, body: ReplaceFields): void {
    writeCString(sink, body.messageId, maxIdOctets, 'messageId')
    writeAddress(sink, body.source, 20, 'source')
    writeCString(sink, body.scheduleDeliveryTime, 16, 'scheduleDeliveryTime')
    writeCString(sink, body.validityPeriod, 16, 'validityPeriod')
    writeOctet(sink, body.registeredDelivery, 'registeredDelivery')
    writeOctet(sink, body.defaultMessageId, 'defaultMessageId')
    writeShortMessage(sink, body.shortMessage)
  },
}

/** Section 4.12.1. */
export const alertBody = {
  read(cursor: Cursor): AlertFields {
    return { source: readAddress(cursor), esme: readAddress(cursor), tlvs: readTlvs(cursor) }
  },
  write(sink: PduWriter, body: AlertFields): void {
    writeAddress(sink, body.source, 64, 'source')
    writeAddress(sink, body.esme, 64, 'esme')
    writeTlvs(sink, body.tlvs)
  },
}
