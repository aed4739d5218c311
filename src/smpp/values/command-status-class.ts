import { commandStatus } from '../codec/pdu.ts'

/**
 * What a command_status other than 0 means for a submitted message: `good` permanent; `now` later or
 * elsewhere, counted; `busy` later, not counted; `unknown` unknown whether it was accepted; `link` says
 * nothing about the message, only that this session cannot carry it.
 */
export const statusClasses = ['good', 'now', 'busy', 'unknown', 'link'] as const
export type StatusClass = (typeof statusClasses)[number]

export interface StatusMeaning {
  lasts: StatusClass
  /** A code of messages/message-errors.ts. */
  code: string
  /** Its name in the standard, or its range. */
  name: string
  /** What the SMSC means and what to do, for the operator of the link. */
  summary: string
}

/** Classes for the SMSC of a link, which take precedence over the table. */
export type StatusOverrides = ReadonlyMap<number, StatusClass>

/**
 * Returns the meaning of a command_status in a response to submit_sm. Every number has one, including
 * undefined numbers.
 */
export function classify(status: number, overrides: StatusOverrides): StatusMeaning {
  const name = names.get(status)
  const lasts = overrides.get(status)
  if (name !== undefined) return { ...statusMeanings[name], name, lasts: lasts ?? statusMeanings[name].lasts }
  const unlisted = isVendors(status) ? vendors : reserved
  return lasts === undefined ? unlisted : { ...unlisted, lasts, code: codeOfClass[lasts] }
}

/** Section 5.1.3: 0x400 to 0x4ff are vendor specific. */
const isVendors = (status: number): boolean => status >= 0x400 && status <= 0x4ff

const refused =
  'A status other than 0 contains no message ID, so nothing was accepted. Ask the carrier, and add it to `status_classes` if it is temporary.'

/** Meanings of what is in no table. */
export const vendors: StatusMeaning = {
  lasts: 'good',
  code: 'network_rejected',
  name: 'vendor specific',
  summary: `The SMSC vendor defines it. ${refused}`,
}
export const reserved: StatusMeaning = {
  lasts: 'good',
  code: 'network_rejected',
  name: 'reserved',
  summary: `The standard does not define it. ${refused}`,
}

/** The code of an unlisted status that the operator has classified. */
const codeOfClass: Record<StatusClass, string> = {
  good: 'network_rejected',
  now: 'network_congested',
  busy: 'network_congested',
  unknown: 'device_unclear',
  link: 'device_error',
}

type Row = Omit<StatusMeaning, 'name'>
const row =
  (lasts: StatusClass, code: string) =>
  (summary: string): Row => ({ lasts, code, summary })

/** The message is at fault: it would be rejected everywhere. */
const message = row('good', 'network_rejected')
/** The settings of the link are at fault: only a change helps. */
const settings = row('good', 'device_error')
/** The session is at fault, or the request that created it. */
const session = row('link', 'device_error')
/** The response belongs to a request that a submission never makes. */
const unrelated = row('good', 'network_rejected')

/** SMPP 3.4, section 5.1.3, and SMPP 5.0, section 4.7.6. */
export const statusMeanings: Readonly<Record<keyof typeof commandStatus, Row>> = {
  ESME_ROK: row('unknown', 'device_unclear')('No error, but no submit_sm_resp either: a generic_nack without a reason.'),
  ESME_RINVMSGLEN: message('The text is longer than the SMSC accepts. For a long one, try another `concat`.'),
  ESME_RINVCMDLEN: settings('The PDU is longer than the SMSC accepts. Check `tlvs` and `concat`.'),
  ESME_RINVCMDID: settings('The SMSC does not support submit_sm, or not in this kind of bind.'),
  ESME_RINVBNDSTS: session('The session cannot submit: it is bound as a receiver, or no longer bound.'),
  ESME_RALYBND: session('The SMSC still considers the account bound; it may take a while until it drops the old session.'),
  ESME_RINVPRTFLG: settings('The SMSC does not accept the priority of authentication messages.'),
  ESME_RINVREGDLVFLG: settings('The SMSC does not offer these receipts. Check `receipts`.'),
  ESME_RSYSERR: row('now', 'device_error')('The SMSC has an internal error. The message is retried; if it persists, ask the carrier.'),
  ESME_RINVSRCADR: message('The SMSC does not let this account use the sender. Register it, or check `source_ton` and `source_npi`.'),
  ESME_RINVDSTADR: row('good', 'number_invalid')('The number is not one that the SMSC can reach. If it is correct, check `destination_ton` and `destination_npi`.'),
  ESME_RINVMSGID: unrelated('Unknown message ID: not a response to a submit.'),
  ESME_RBINDFAIL: session('The bind failed. Ask the carrier: often the IP address of this server is not allowed.'),
  ESME_RINVPASWD: session('The password is wrong.'),
  ESME_RINVSYSID: session('The `system_id` is wrong, or the account is closed.'),
  ESME_RCANCELFAIL: unrelated('A cancel failed: not a response to a submit.'),
  ESME_RREPLACEFAIL: unrelated('A replace failed: not a response to a submit.'),
  ESME_RMSGQFUL: row('busy', 'network_congested')('The queue of the SMSC, or of this recipient, is full. The message is retried without being counted.'),
  ESME_RINVSERTYP: settings('The SMSC does not know the `service_type`.'),
  ESME_RINVNUMDESTS: unrelated('The number of recipients is wrong: not a response to a submit to one.'),
  ESME_RINVDLNAME: unrelated('The name of a distribution list is wrong: not a response to a submit.'),
  ESME_RINVDESTFLAG: unrelated('The destination flag is wrong: a response to submit_multi.'),
  ESME_RINVSUBREP: settings('The SMSC does not accept a submit with replace.'),
  ESME_RINVESMCLASS: settings('The SMSC does not accept the esm_class, usually because of the header of a long text. Try `concat=sar` or `concat=payload`.'),
  ESME_RCNTSUBDL: unrelated('Cannot submit to a distribution list: not a response to a submit to one.'),
  ESME_RSUBMITFAIL: row('now', 'network_rejected')('The SMSC rejected it without a reason. The message is retried a few times; set `0x45=good` if your SMSC means it permanently.'),
  ESME_RINVSRCTON: settings('The type of the sender is wrong. Check `source_ton`.'),
  ESME_RINVSRCNPI: settings('The numbering plan of the sender is wrong. Check `source_npi`.'),
  ESME_RINVDSTTON: settings('The type of the recipient is wrong. Check `destination_ton`.'),
  ESME_RINVDSTNPI: settings('The numbering plan of the recipient is wrong. Check `destination_npi`.'),
  ESME_RINVSYSTYP: session('The `system_type` is wrong.'),
  ESME_RINVREPFLAG: settings('The replace_if_present flag is wrong; it is always 0 here.'),
  ESME_RINVNUMMSGS: unrelated('The number of messages is wrong: not a response to a submit.'),
  ESME_RTHROTTLED: row('busy', 'device_rate_limited')('Faster than the contract allows. The link slows down by itself; set `max_per_second` to the rate of the contract.'),
  ESME_RINVSCHED: settings('The time of delivery is wrong; none is ever sent.'),
  ESME_RINVEXPIRY: settings('The SMSC does not accept the validity. Try `validity=absolute` or `validity=none`.'),
  ESME_RINVDFTMSGID: settings('The ID of a stored message is wrong; none is ever sent.'),
  ESME_RX_T_APPN: row('now', 'network_congested')('The receiving side has a temporary error. The message is retried.'),
  ESME_RX_P_APPN: message('The receiving side rejected it permanently.'),
  ESME_RX_R_APPN: message('The receiving side rejected the message.'),
  ESME_RQUERYFAIL: unrelated('A query failed: not a response to a submit.'),
  ESME_RINVOPTPARSTREAM: settings('The SMSC cannot parse the optional part of the PDU. Check `tlvs` and `concat`.'),
  ESME_ROPTPARNOTALLWD: settings('A TLV is not allowed. Check `tlvs` and `concat`.'),
  ESME_RINVPARLEN: settings('A TLV has the wrong length. Check `tlvs`.'),
  ESME_RMISSINGOPTPARAM: settings('A TLV is missing that the SMSC requires, such as the IDs of a registered template. Check `tlvs`.'),
  ESME_RINVOPTPARAMVAL: settings('A TLV has a wrong value. Check `tlvs`.'),
  ESME_RDELIVERYFAILURE: row('now', 'unreachable')('The message could not be delivered at the moment. It is retried; set `0xfe=good` if your SMSC means it permanently.'),
  ESME_RUNKNOWNERR: row('unknown', 'device_unclear')('The outcome is unknown, so the message is never sent again on a guess; set `0xff=good` or `0xff=now` if the carrier confirms that nothing was accepted.'),
  ESME_RSERTYPUNAUTH: settings('The account may not use the `service_type`.'),
  ESME_RPROHIBITED: settings('The account may not submit.'),
  ESME_RSERTYPUNAVAIL: row('now', 'device_error')('The `service_type` is out of service. The message is retried.'),
  ESME_RSERTYPDENIED: settings('The `service_type` is denied.'),
  ESME_RINVDCS: settings('The SMSC does not accept the data_coding. Check `data_coding` and `alphabet`.'),
  ESME_RINVSRCADDRSUBUNIT: settings('The source_addr_subunit is wrong. Check `tlvs`.'),
  ESME_RINVDSTADDRSUBUNIT: settings('The dest_addr_subunit is wrong. Check `tlvs`.'),
} // prettier-ignore

const names: ReadonlyMap<number, keyof typeof commandStatus> = new Map(
  Object.entries(commandStatus).map(([name, status]) => [status, name as keyof typeof commandStatus]),
)
