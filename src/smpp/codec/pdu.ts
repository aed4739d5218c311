/**
 * The parts of SMPP 3.4 (SMPP v3.4 Issue 1.2, smpp.org) that an ESME needs: commands, bodies, status codes
 * and TLV tags, with those of 5.0 that a 5.0 peer may send. Names are from the standard. Text of C-octet
 * strings is kept as Latin-1, one character per octet, because the meaning of the octets depends on the link.
 */

/** An optional parameter (section 3.2.4), including ones with an unknown tag. */
export interface Tlv {
  readonly tag: number
  readonly value: Uint8Array
}

/** A number or name with its type and its numbering plan; `address` in Latin-1 octets. */
export interface Address {
  readonly ton: number
  readonly npi: number
  readonly address: string
}

/** Shared by submit_sm, deliver_sm and data_sm; what data_sm has no field for is zero or empty. */
export interface MessageFields {
  serviceType: string
  source: Address
  destination: Address
  esmClass: number
  protocolId: number
  priorityFlag: number
  scheduleDeliveryTime: string
  validityPeriod: string
  registeredDelivery: number
  replaceIfPresent: number
  dataCoding: number
  defaultMessageId: number
  shortMessage: Buffer
  tlvs: readonly Tlv[]
}

export interface BindFields {
  systemId: string
  password: string
  systemType: string
  interfaceVersion: number
  /** Which addresses the ESME serves; `address` is a pattern in the SMSC's own syntax. */
  addressRange: Address
}

export interface OutbindFields {
  systemId: string
  password: string
}

export interface BindResult {
  systemId: string
  tlvs: readonly Tlv[]
}

/** The response to a message: submit_sm_resp, deliver_sm_resp and data_sm_resp. */
export interface MessageResult {
  messageId: string
  tlvs: readonly Tlv[]
}

export interface SubmitMultiResult extends MessageResult {
  unsuccessful: readonly { address: Address; status: number }[]
}

export interface QueryFields {
  messageId: string
  source: Address
}

export interface QueryResult {
  messageId: string
  finalDate: string
  messageState: number
  errorCode: number
}

export interface CancelFields {
  serviceType: string
  messageId: string
  source: Address
  destination: Address
}

export interface ReplaceFields {
  messageId: string
  source: Address
  scheduleDeliveryTime: string
  validityPeriod: string
  registeredDelivery: number
  defaultMessageId: number
  shortMessage: Buffer
}

export interface AlertFields {
  source: Address
  esme: Address
  tlvs: readonly Tlv[]
}

/** The body of each command. That of a response may be missing: an error response has none (section 3.2). */
export interface Bodies {
  bind_receiver: BindFields
  bind_receiver_resp: BindResult | null
  bind_transmitter: BindFields
  bind_transmitter_resp: BindResult | null
  bind_transceiver: BindFields
  bind_transceiver_resp: BindResult | null
  outbind: OutbindFields
  unbind: null
  unbind_resp: null
  submit_sm: MessageFields
  submit_sm_resp: MessageResult | null
  submit_multi_resp: SubmitMultiResult | null
  deliver_sm: MessageFields
  deliver_sm_resp: MessageResult | null
  data_sm: MessageFields
  data_sm_resp: MessageResult | null
  query_sm: QueryFields
  query_sm_resp: QueryResult | null
  cancel_sm: CancelFields
  cancel_sm_resp: null
  replace_sm: ReplaceFields
  replace_sm_resp: null
  enquire_link: null
  enquire_link_resp: null
  alert_notification: AlertFields
  generic_nack: null
}

export type Command = keyof Bodies

/** A PDU of one of the given commands. */
export type PduOf<C extends Command> = {
  [K in C]: {
    command: K
    status: number
    sequence: number
    body: Bodies[K]
    /** What of its optional part could not be parsed; omitted if everything could. */
    rest?: string
  }
}[C]

/** A well-framed PDU with an unknown command; `body` is everything after its header. */
export interface UnknownPdu {
  command: 'unknown'
  commandId: number
  status: number
  sequence: number
  body: Uint8Array
  rest?: never
}

export type Pdu = PduOf<Command> | UnknownPdu

/** Section 5.1.2.1. A response is its request with the highest bit set. */
export const commandIds: Readonly<Record<Command, number>> = {
  generic_nack: 0x8000_0000,
  bind_receiver: 0x0000_0001,
  bind_receiver_resp: 0x8000_0001,
  bind_transmitter: 0x0000_0002,
  bind_transmitter_resp: 0x8000_0002,
  query_sm: 0x0000_0003,
  query_sm_resp: 0x8000_0003,
  submit_sm: 0x0000_0004,
  submit_sm_resp: 0x8000_0004,
  deliver_sm: 0x0000_0005,
  deliver_sm_resp: 0x8000_0005,
  unbind: 0x0000_0006,
  unbind_resp: 0x8000_0006,
  replace_sm: 0x0000_0007,
  replace_sm_resp: 0x8000_0007,
  cancel_sm: 0x0000_0008,
  cancel_sm_resp: 0x8000_0008,
  bind_transceiver: 0x0000_0009,
  bind_transceiver_resp: 0x8000_0009,
  outbind: 0x0000_000b,
  enquire_link: 0x0000_0015,
  enquire_link_resp: 0x8000_0015,
  submit_multi_resp: 0x8000_0021,
  alert_notification: 0x0000_0102,
  data_sm: 0x0000_0103,
  data_sm_resp: 0x8000_0103,
}

/** Section 5.1.3, and from 0x100 on what 5.0 added, except for broadcasts. 0x400 to 0x4ff are vendor specific. */
export const commandStatus = {
  ESME_ROK: 0x000,
  ESME_RINVMSGLEN: 0x001,
  ESME_RINVCMDLEN: 0x002,
  ESME_RINVCMDID: 0x003,
  ESME_RINVBNDSTS: 0x004,
  ESME_RALYBND: 0x005,
  ESME_RINVPRTFLG: 0x006,
  ESME_RINVREGDLVFLG: 0x007,
  ESME_RSYSERR: 0x008,
  ESME_RINVSRCADR: 0x00a,
  ESME_RINVDSTADR: 0x00b,
  ESME_RINVMSGID: 0x00c,
  ESME_RBINDFAIL: 0x00d,
  ESME_RINVPASWD: 0x00e,
  ESME_RINVSYSID: 0x00f,
  ESME_RCANCELFAIL: 0x011,
  ESME_RREPLACEFAIL: 0x013,
  ESME_RMSGQFUL: 0x014,
  ESME_RINVSERTYP: 0x015,
  ESME_RINVNUMDESTS: 0x033,
  ESME_RINVDLNAME: 0x034,
  ESME_RINVDESTFLAG: 0x040,
  ESME_RINVSUBREP: 0x042,
  ESME_RINVESMCLASS: 0x043,
  ESME_RCNTSUBDL: 0x044,
  ESME_RSUBMITFAIL: 0x045,
  ESME_RINVSRCTON: 0x048,
  ESME_RINVSRCNPI: 0x049,
  ESME_RINVDSTTON: 0x050,
  ESME_RINVDSTNPI: 0x051,
  ESME_RINVSYSTYP: 0x053,
  ESME_RINVREPFLAG: 0x054,
  ESME_RINVNUMMSGS: 0x055,
  ESME_RTHROTTLED: 0x058,
  ESME_RINVSCHED: 0x061,
  ESME_RINVEXPIRY: 0x062,
  ESME_RINVDFTMSGID: 0x063,
  ESME_RX_T_APPN: 0x064,
  ESME_RX_P_APPN: 0x065,
  ESME_RX_R_APPN: 0x066,
  ESME_RQUERYFAIL: 0x067,
  ESME_RINVOPTPARSTREAM: 0x0c0,
  ESME_ROPTPARNOTALLWD: 0x0c1,
  ESME_RINVPARLEN: 0x0c2,
  ESME_RMISSINGOPTPARAM: 0x0c3,
  ESME_RINVOPTPARAMVAL: 0x0c4,
  ESME_RDELIVERYFAILURE: 0x0fe,
  ESME_RUNKNOWNERR: 0x0ff,
  ESME_RSERTYPUNAUTH: 0x100,
  ESME_RPROHIBITED: 0x101,
  ESME_RSERTYPUNAVAIL: 0x102,
  ESME_RSERTYPDENIED: 0x103,
  ESME_RINVDCS: 0x104,
  ESME_RINVSRCADDRSUBUNIT: 0x105,
  ESME_RINVDSTADDRSUBUNIT: 0x106,
} as const

/** Section 5.3.2, and congestion_state of 5.0. Tags from 0x1400 to 0x3fff are vendor specific. */
export const tlvTags = {
  dest_addr_subunit: 0x0005,
  dest_network_type: 0x0006,
  dest_bearer_type: 0x0007,
  dest_telematics_id: 0x0008,
  source_addr_subunit: 0x000d,
  source_network_type: 0x000e,
  source_bearer_type: 0x000f,
  source_telematics_id: 0x0010,
  qos_time_to_live: 0x0017,
  payload_type: 0x0019,
  additional_status_info_text: 0x001d,
  receipted_message_id: 0x001e,
  ms_msg_wait_facilities: 0x0030,
  privacy_indicator: 0x0201,
  source_subaddress: 0x0202,
  dest_subaddress: 0x0203,
  user_message_reference: 0x0204,
  user_response_code: 0x0205,
  source_port: 0x020a,
  destination_port: 0x020b,
  sar_msg_ref_num: 0x020c,
  language_indicator: 0x020d,
  sar_total_segments: 0x020e,
  sar_segment_seqnum: 0x020f,
  sc_interface_version: 0x0210,
  callback_num_pres_ind: 0x0302,
  callback_num_atag: 0x0303,
  number_of_messages: 0x0304,
  callback_num: 0x0381,
  dpf_result: 0x0420,
  set_dpf: 0x0421,
  ms_availability_status: 0x0422,
  network_error_code: 0x0423,
  message_payload: 0x0424,
  delivery_failure_reason: 0x0425,
  more_messages_to_send: 0x0426,
  message_state: 0x0427,
  congestion_state: 0x0428,
  ussd_service_op: 0x0501,
  display_time: 0x1201,
  sms_signal: 0x1203,
  ms_validity: 0x1204,
  alert_on_message_delivery: 0x130c,
  its_reply_type: 0x1380,
  its_session_info: 0x1383,
} as const
