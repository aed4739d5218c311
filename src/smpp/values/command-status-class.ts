import { commandStatus } from '../codec/pdu.ts'

/**
 * What a command_status other than 0 means for a submitted message: `good` never again, `now` later or elsewhere, counted; `busy` later, not
 * counted; `unknown` nobody can tell whether it was taken; `link` says nothing of the message but that this session cannot carry it.
 */
export const statusClasses = ['good', 'now', 'busy', 'unknown', 'link'] as const
export type StatusClass = (typeof statusClasses)[number]

export interface StatusMeaning {
  lasts: StatusClass
  /** A code of messages/message-errors.ts. */
  code: string
  /** Its name in the standard, or where it belongs. */
  name: string
  /** What the SMSC means and what to do about it, for the operator of the link. */
  says: string
}

/** What a link has learnt of its SMSC: classes that go before those of the table. */
export type StatusOverrides = ReadonlyMap<number, StatusClass>

/** Reads a command_status of an answer to submit_sm. Every number has a meaning, also those that nobody has defined. */
export function classify(status: number, overrides: StatusOverrides): StatusMeaning {
  const name = names.get(status)
  const lasts = overrides.get(status)
  if (name !== undefined) return { ...statusMeanings[name], name, lasts: lasts ?? statusMeanings[name].lasts }
  const unlisted = isVendors(status) ? vendors : reserved
  return lasts === undefined ? unlisted : { ...unlisted, lasts, code: codeOfClass[lasts] }
}

/** Section 5.1.3: 0x400 to 0x4ff belong to the vendors of SMSCs. */
const isVendors = (status: number): boolean => status >= 0x400 && status <= 0x4ff

const refused =
  'An answer other than 0 gives no message id, so nothing was taken. Ask the carrier, and put it into `status_classes` if it passes.'

/** What stands in no table. */
export const vendors: StatusMeaning = {
  lasts: 'good',
  code: 'network_rejected',
  name: 'vendor specific',
  says: `The SMSC has its own list. ${refused}`,
}
export const reserved: StatusMeaning = {
  lasts: 'good',
  code: 'network_rejected',
  name: 'reserved',
  says: `The standard does not know it. ${refused}`,
}

/** What is told of an unlisted status once the operator has said how long it lasts. */
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
  (says: string): Row => ({ lasts, code, says })

/** The message: it would be refused everywhere. */
const message = row('good', 'network_rejected')
/** The settings of the link: nothing mends them but a change. */
const settings = row('good', 'device_error')
/** The session, or the request that made it. */
const session = row('link', 'device_error')
/** An answer to a request that this program does not make when it submits. */
const stray = row('good', 'network_rejected')

/** SMPP 3.4, section 5.1.3, and SMPP 5.0, section 4.7.6. */
export const statusMeanings: Readonly<Record<keyof typeof commandStatus, Row>> = {
  ESME_ROK: row('unknown', 'device_unclear')('No error, and yet no submit_sm_resp: a generic_nack that does not say why.'),
  ESME_RINVMSGLEN: message('The text is longer than the SMSC takes. If it is a long one, try another `concat`.'),
  ESME_RINVCMDLEN: settings('The PDU is longer than the SMSC takes. Look at `tlvs` and `concat`.'),
  ESME_RINVCMDID: settings('The SMSC does not know submit_sm, or not in this kind of bind.'),
  ESME_RINVBNDSTS: session('The session may not submit: it is bound as a receiver, or no more.'),
  ESME_RALYBND: session('The SMSC believes that the account is bound already; it may take a while until it drops the old session.'),
  ESME_RINVPRTFLG: settings('The SMSC does not take the priority of authentication messages.'),
  ESME_RINVREGDLVFLG: settings('The SMSC does not give these receipts. Look at `receipts`.'),
  ESME_RSYSERR: row('now', 'device_error')('The SMSC has a fault of its own. It is tried again; if it stays, ask the carrier.'),
  ESME_RINVSRCADR: message('The SMSC does not let this account use the sender. Have it registered, or look at `source_ton` and `source_npi`.'),
  ESME_RINVDSTADR: row('good', 'number_invalid')('The number is not one that the SMSC can reach. If it is right, look at `destination_ton` and `destination_npi`.'),
  ESME_RINVMSGID: stray('The message id is not known: no answer to a submit.'),
  ESME_RBINDFAIL: session('The bind failed. Ask the carrier: often the address of this machine is not on its list.'),
  ESME_RINVPASWD: session('The password is wrong.'),
  ESME_RINVSYSID: session('The `system_id` is wrong, or the account is closed.'),
  ESME_RCANCELFAIL: stray('A cancel failed: no answer to a submit.'),
  ESME_RREPLACEFAIL: stray('A replace failed: no answer to a submit.'),
  ESME_RMSGQFUL: row('busy', 'network_congested')('The queue of the SMSC, or of this recipient, is full. It is tried again without being counted.'),
  ESME_RINVSERTYP: settings('The SMSC does not know the `service_type`.'),
  ESME_RINVNUMDESTS: stray('The number of recipients is wrong: no answer to a submit of one.'),
  ESME_RINVDLNAME: stray('The name of a distribution list is wrong: no answer to a submit.'),
  ESME_RINVDESTFLAG: stray('The destination flag is wrong: an answer to submit_multi.'),
  ESME_RINVSUBREP: settings('The SMSC does not take a submit with replace.'),
  ESME_RINVESMCLASS: settings('The SMSC does not take the esm_class, usually because of the header of a long text. Try `concat=sar` or `concat=payload`.'),
  ESME_RCNTSUBDL: stray('It cannot submit to a distribution list: no answer to a submit of one.'),
  ESME_RSUBMITFAIL: row('now', 'network_rejected')('The SMSC refused and does not say why. It is tried again a few times; `0x45=good` if yours means it for ever.'),
  ESME_RINVSRCTON: settings('The type of the sender is wrong. Look at `source_ton`.'),
  ESME_RINVSRCNPI: settings('The numbering plan of the sender is wrong. Look at `source_npi`.'),
  ESME_RINVDSTTON: settings('The type of the recipient is wrong. Look at `destination_ton`.'),
  ESME_RINVDSTNPI: settings('The numbering plan of the recipient is wrong. Look at `destination_npi`.'),
  ESME_RINVSYSTYP: session('The `system_type` is wrong.'),
  ESME_RINVREPFLAG: settings('The replace_if_present flag is wrong; it is always 0 here.'),
  ESME_RINVNUMMSGS: stray('The number of messages is wrong: no answer to a submit.'),
  ESME_RTHROTTLED: row('busy', 'device_rate_limited')('Faster than the contract allows. The link slows down by itself; set `max_per_second` to the rate of the contract.'),
  ESME_RINVSCHED: settings('The time of delivery is wrong; none is ever named here.'),
  ESME_RINVEXPIRY: settings('The SMSC does not take the validity. Try `validity=absolute` or `validity=none`.'),
  ESME_RINVDFTMSGID: settings('The id of a stored message is wrong; none is ever named here.'),
  ESME_RX_T_APPN: row('now', 'network_congested')('The receiving side has a fault that passes. It is tried again.'),
  ESME_RX_P_APPN: message('The receiving side refused for good.'),
  ESME_RX_R_APPN: message('The receiving side rejected the message.'),
  ESME_RQUERYFAIL: stray('A query failed: no answer to a submit.'),
  ESME_RINVOPTPARSTREAM: settings('The optional part of the PDU makes no sense to the SMSC. Look at `tlvs` and `concat`.'),
  ESME_ROPTPARNOTALLWD: settings('A TLV is not allowed. Look at `tlvs` and `concat`.'),
  ESME_RINVPARLEN: settings('A TLV has the wrong length. Look at `tlvs`.'),
  ESME_RMISSINGOPTPARAM: settings('A TLV is missing that the SMSC demands, such as the ids of a registered template. Look at `tlvs`.'),
  ESME_RINVOPTPARAMVAL: settings('A TLV has a wrong value. Look at `tlvs`.'),
  ESME_RDELIVERYFAILURE: row('now', 'unreachable')('It could not be delivered just now. It is tried again; `0xfe=good` if yours means it for ever.'),
  ESME_RUNKNOWNERR: row('unknown', 'device_unclear')('Nobody knows what happened, so it is never sent again on a guess; `0xff=good` or `0xff=now` if the carrier says that nothing was taken.'),
  ESME_RSERTYPUNAUTH: settings('The account may not use the `service_type`.'),
  ESME_RPROHIBITED: settings('The account may not submit.'),
  ESME_RSERTYPUNAVAIL: row('now', 'device_error')('The `service_type` is out of service. It is tried again.'),
  ESME_RSERTYPDENIED: settings('The `service_type` is denied.'),
  ESME_RINVDCS: settings('The SMSC does not take the data_coding. Look at `data_coding` and `alphabet`.'),
  ESME_RINVSRCADDRSUBUNIT: settings('The source_addr_subunit is wrong. Look at `tlvs`.'),
  ESME_RINVDSTADDRSUBUNIT: settings('The dest_addr_subunit is wrong. Look at `tlvs`.'),
} // prettier-ignore

const names: ReadonlyMap<number, keyof typeof commandStatus> = new Map(
  Object.entries(commandStatus).map(([name, status]) => [status, name as keyof typeof commandStatus]),
)
