import { type Cursor, readAddress, readCString, readLastCString, readOctet, readTlvs } from './cursor.ts'
import type { BindFields, BindResult, OutbindFields } from './pdu.ts'
import { type Sink, writeAddress, writeCString, writeOctet, writeTlvs } from './sink.ts'

/**
 * The standard allows a system id of 15 octets, a password of 8 and a system type of 12; providers hand out longer ones, and their
 * SMSCs take them.
 */
const mostNameOctets = 64

/** The body of bind_receiver, bind_transmitter and bind_transceiver (section 4.1). */
export const bindBody = {
  read(cursor: Cursor): BindFields {
    return {
      systemId: readCString(cursor),
      password: readCString(cursor),
      systemType: readCString(cursor),
      interfaceVersion: readOctet(cursor),
      addressRange: readAddress(cursor),
    }
  },
  write(sink: Sink, body: BindFields): void {
    writeCString(sink, body.systemId, mostNameOctets, 'systemId')
    writeCString(sink, body.password, mostNameOctets, 'password')
    writeCString(sink, body.systemType, mostNameOctets, 'systemType')
    writeOctet(sink, body.interfaceVersion, 'interfaceVersion')
    writeAddress(sink, body.addressRange, 40, 'addressRange')
  },
}

export const bindResultBody = {
  read(cursor: Cursor): BindResult {
    return { systemId: readLastCString(cursor), tlvs: readTlvs(cursor) }
  },
  write(sink: Sink, body: BindResult): void {
    writeCString(sink, body.systemId, mostNameOctets, 'systemId')
    writeTlvs(sink, body.tlvs)
  },
}

/** Section 4.1.7. */
export const outbindBody = {
  read(cursor: Cursor): OutbindFields {
    return { systemId: readCString(cursor), password: readCString(cursor) }
  },
  write(sink: Sink, body: OutbindFields): void {
    writeCString(sink, body.systemId, mostNameOctets, 'systemId')
    writeCString(sink, body.password, mostNameOctets, 'password')
  },
}
