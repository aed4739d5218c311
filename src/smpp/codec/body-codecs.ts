import { bindBody, bindResultBody, outbindBody } from './bind-bodies.ts'
import type { Cursor } from './cursor.ts'
import { dataBody, messageBody } from './message-body.ts'
import { alertBody, cancelBody, messageResultBody, queryBody, queryResultBody, replaceBody, submitMultiResultBody } from './operation-bodies.ts' // prettier-ignore
import { type Bodies, type Command, commandIds } from './pdu.ts'
import type { PduWriter } from './pdu-writer.ts'

/** How one kind of body is parsed and written. */
interface BodyCodec<B> {
  read(cursor: Cursor): B
  write(sink: PduWriter, body: B): void
}

/** Null for commands without a body. */
type Codecs = { readonly [C in Command]: BodyCodec<NonNullable<Bodies[C]>> | null }

const codecs: Codecs = {
  bind_receiver: bindBody,
  bind_receiver_resp: bindResultBody,
  bind_transmitter: bindBody,
  bind_transmitter_resp: bindResultBody,
  bind_transceiver: bindBody,
  bind_transceiver_resp: bindResultBody,
  outbind: outbindBody,
  unbind: null,
  unbind_resp: null,
  submit_sm: messageBody,
  submit_sm_resp: messageResultBody,
  submit_multi_resp: submitMultiResultBody,
  deliver_sm: messageBody,
  deliver_sm_resp: messageResultBody,
  data_sm: dataBody,
  data_sm_resp: messageResultBody,
  query_sm: queryBody,
  query_sm_resp: queryResultBody,
  cancel_sm: cancelBody,
  cancel_sm_resp: null,
  replace_sm: replaceBody,
  replace_sm_resp: null,
  enquire_link: null,
  enquire_link_resp: null,
  alert_notification: alertBody,
  generic_nack: null,
}

/** The codec of one command. */
export interface CommandCodec {
  readonly command: Command
  readonly id: number
  readonly isResponse: boolean
  readonly body: BodyCodec<unknown> | null
}

const all: readonly CommandCodec[] = Object.entries(commandIds).map(([name, id]) => {
  const command = name as Command
  return { command, id, isResponse: id >= 0x8000_0000, body: codecs[command] }
})

export const codecOf = Object.fromEntries(all.map((codec) => [codec.command, codec])) as Readonly<
  Record<Command, CommandCodec>
>

// Requests are below 0x200, and so are responses except for their highest bit: an array of both halves is
// faster than a map, whose keys above 2^31 would be numbers on the heap.
const byId: (CommandCodec | undefined)[] = Array.from({ length: 0x400 })
for (const codec of all) byId[(codec.id & 0x1ff) | (codec.isResponse ? 0x200 : 0)] = codec

/** Returns the codec of a command ID; undefined for unknown ones. */
export const codecById = (id: number): CommandCodec | undefined =>
  (id & 0x7fff_fe00) === 0 ? byId[(id & 0x1ff) | (id >= 0x8000_0000 ? 0x200 : 0)] : undefined
