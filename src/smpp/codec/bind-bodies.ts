import { type Cursor, readAddress, readCString, readLastCString, readOctet, readTlvs } from './cursor.ts'
import type { BindFields, BindResult, OutbindFields } from './pdu.ts'
import { type PduWriter, writeAddress, writeCString, writeOctet, writeTlvs } from './pdu-writer.ts'

/**
 * The standard limits a system ID to 15 octets, a password to 8 and a system type to 12; providers issue
 * longer ones, and their SMSCs accept them.
 */
const maxNameOctets = 64

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
  write(sink: PduWriter, body: BindFields): void {
    writeCString(sink, body.systemId, maxNameOctets, 'systemId')
    writeCString(sink, body.password, maxNameOctets, 'password')
    writeCString(sink, body.systemType, maxNameOctets, 'systemType')
    writeOctet(sink, body.interfaceVersion, 'interfaceVersion')
    writeAddress(sink, body.addressRange, 40, 'addressRange')
  },
}

export const bindResultBody = {
  read(cursor: Cursor): BindResult {
    return { systemId: readLastCString(cursor), tlvs: readTlvs(cursor) }
  },
  write(sink: PduWriter, body: BindResult): void {
    writeCString(sink, body.systemId, maxNameOctets, 'systemId')
    writeTlvs(sink, body.tlvs)
  },
}

/** Section 4.1.7. */
export const outbindBody = {
  read(cursor: Cursor): OutbindFields {
    return { systemId: readCString(cursor), password: readCString(cursor) }
  },
  write(sink: PduWriter, body: OutbindFields): void {
    writeCString(sink, body.systemId, maxNameOctets, 'systemId')
    writeCString(sink, body.password, maxNameOctets, 'password')
  },
}
