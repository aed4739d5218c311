import type { Selectable } from 'kysely'
import { type CodedText, type Coding, readPieces, type TextPiece } from '../../sms/coded-text.ts'
import { plainText, withoutControls } from '../../runtime/plain-text.ts'
import { measureText } from '../../sms/sms-text.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { InboundFragmentTable } from '../../storage/tables/message-tables.ts'
import { insertRows } from '../../storage/seam/sets.ts'
import type { InboundMessage, InboundFragment, InboundTerms } from './inbound-message.ts'

type Fragment = Selectable<InboundFragmentTable>
type IncomingFragment = InboundMessage & { fragment: InboundFragment }
type JoinTerms = Pick<InboundTerms, 'maxCharacters'> & { nowMs: number }
type SetKey = Pick<Fragment, 'device_id' | 'sender' | 'recipient' | 'reference' | 'total'>

/**
 * Maximum fragments kept for one device; above that, the oldest message is delivered incomplete. A real
 * sender has one long message in flight.
 */
const maxFragments = 2_000

/**
 * Keeps the fragments of long messages, in any order, until all have arrived. Fragments of a delivered
 * message stay for a while, so that a repeat is recognized; another text under the same number is a new
 * message. Returns the messages to store now: the complete one, and incomplete ones that were evicted.
 */
export async function takeFragment(
  tx: Tx,
  incoming: IncomingFragment,
  terms: InboundTerms,
): Promise<{ whole: InboundMessage | null; evicted: InboundMessage[] }> {
  const key = keyOf(incoming)
  const evicted = await evictOldest(tx, incoming, terms)
  let kept = await readSet(tx, key)
  const same = kept.find((fragment) => fragment.part === incoming.fragment.index)
  const isOld = kept.some((fragment) => fragment.received_at <= incoming.storedAt - terms.joinMs)
  const fragment = fragmentOf(incoming, key, terms)
  if (isOld || (same !== undefined && !isSameText(same, fragment))) {
    evicted.push(...(await takeSet(tx, key, kept, { ...terms, nowMs: incoming.storedAt })))
    kept = []
  } else if (same !== undefined) return { whole: null, evicted }

  await insertRows(tx, 'inbound_fragments', [fragment])
  const all = [...kept, fragment]
  if (all.length < incoming.fragment.total) return { whole: null, evicted }
  await markJoined(tx, key)
  return { whole: joined(all, { ...terms, nowMs: incoming.storedAt }), evicted }
}

/**
 * Removes the sets whose first fragment arrived by `upTo`, and returns their messages, except for those that
 * were delivered before.
 */
export async function takeOverdue(
  tx: Tx,
  at: { upTo: number } & JoinTerms,
  most: number,
): Promise<{ messages: InboundMessage[]; isMore: boolean }> {
  const sets = await tx
    .selectFrom('inbound_fragments')
    .select(['device_id', 'sender', 'recipient', 'reference', 'total'])
    .where('received_at', '<=', at.upTo)
    .orderBy('received_at')
    .limit(most)
    .execute()
  const messages: InboundMessage[] = []
  for (const key of sets) messages.push(...(await takeSet(tx, key, await readSet(tx, key), at)))
  return { messages, isMore: sets.length === most }
}

const keyOf = ({ deviceId, from, to, fragment }: IncomingFragment): SetKey => ({
  device_id: deviceId,
  sender: from,
  recipient: to ?? '',
  reference: fragment.reference,
  total: fragment.total,
})

const fragmentOf = (
  incoming: IncomingFragment,
  key: SetKey,
  terms: Pick<InboundTerms, 'maxCharacters'>,
): Fragment => ({
  ...key,
  part: incoming.fragment.index,
  body: bodyOf(incoming, terms),
  account_id: incoming.accountId,
  mode: incoming.mode,
  country: incoming.country,
  in_reply_to: incoming.inReplyTo,
  fingerprint: incoming.fingerprint,
  received_at: incoming.storedAt,
  joined: 0,
})

/**
 * Returns what is stored of a fragment: its text, or its octets if a character may be split between two
 * fragments. JSON can keep half a surrogate pair; the databases cannot.
 */
function bodyOf(
  { fragment: { coded }, text }: IncomingFragment,
  { maxCharacters }: Pick<InboundTerms, 'maxCharacters'>,
): string {
  if (coded === undefined) return JSON.stringify(text)
  const { octets, coding } = coded
  // Two octets per character are sufficient.
  const kept = Buffer.from(octets.subarray(0, maxCharacters * 2)).toString('base64')
  return JSON.stringify({ octets: kept, coding } satisfies KeptOctets)
}

interface KeptOctets {
  /** In base64. */
  octets: string
  coding: Coding
}

function contentOf({ body }: Fragment): CodedText | string {
  const kept = JSON.parse(body) as string | KeptOctets
  return typeof kept === 'string' ? kept : { octets: Buffer.from(kept.octets, 'base64'), coding: kept.coding }
}

/**
 * Compares fragments. An earlier release may have stored the first copy as text, and its repeat arrives as
 * octets.
 */
function isSameText(kept: Fragment, fragment: Fragment): boolean {
  if (kept.body === fragment.body) return true
  const pieces = [kept, fragment].map(contentOf)
  if (pieces.every((each) => typeof each !== 'string')) return false
  const [before, now] = pieces.map((each) => withoutControls(readPieces([each])))
  return before === now
}

const readSet = (tx: Tx, key: SetKey): Promise<Fragment[]> =>
  tx
    .selectFrom('inbound_fragments')
    .selectAll()
    .where((is) => is.and(key))
    .execute()

const markJoined = (tx: Tx, key: SetKey): Promise<unknown> =>
  tx
    .updateTable('inbound_fragments')
    .set({ joined: 1 })
    .where((is) => is.and(key))
    .execute()

/** Removes a set; returns its message unless that was delivered before. */
async function takeSet(
  tx: Tx,
  key: SetKey,
  fragments: readonly Fragment[],
  terms: JoinTerms,
): Promise<InboundMessage[]> {
  if (fragments.length === 0) return []
  await tx
    .deleteFrom('inbound_fragments')
    .where((is) => is.and(key))
    .execute()
  return fragments.some((fragment) => fragment.joined === 1) ? [] : [joined(fragments, terms)]
}

/**
 * Evicts the oldest set when a device exceeds its limit: a device that sends endless fragments must not fill
 * the disk.
 */
async function evictOldest(
  tx: Tx,
  { deviceId, storedAt }: IncomingFragment,
  terms: InboundTerms,
): Promise<InboundMessage[]> {
  const { count } = await tx
    .selectFrom('inbound_fragments')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('device_id', '=', deviceId)
    .executeTakeFirstOrThrow()
  if (count < maxFragments) return []
  const oldest = await tx
    .selectFrom('inbound_fragments')
    .select(['device_id', 'sender', 'recipient', 'reference', 'total'])
    .where('device_id', '=', deviceId)
    .orderBy('received_at')
    .limit(1)
    .executeTakeFirstOrThrow()
  return takeSet(tx, oldest, await readSet(tx, oldest), { ...terms, nowMs: storedAt })
}

/** Joins the fragments in their order; `…` marks missing ones. */
function joined(fragments: readonly Fragment[], { nowMs, maxCharacters }: JoinTerms): InboundMessage {
  const inOrder = fragments.toSorted((a, b) => a.part - b.part)
  const [first] = inOrder as [Fragment]
  const pieces: TextPiece[] = Array.from({ length: first.total }, () => null)
  for (const fragment of inOrder) pieces[fragment.part - 1] = contentOf(fragment)
  const text = plainText(readPieces(pieces).slice(0, maxCharacters))
  const { encoding, units, parts } = measureText(text, 'auto')
  return {
    deviceId: first.device_id,
    accountId: inOrder.find((fragment) => fragment.account_id !== null)?.account_id ?? null,
    mode: first.mode,
    from: first.sender,
    to: first.recipient === '' ? null : first.recipient,
    country: first.country,
    text,
    encoding,
    units,
    parts,
    storedAt: nowMs,
    networkAt: null,
    inReplyTo: inOrder.find((fragment) => fragment.in_reply_to !== null)?.in_reply_to ?? null,
    // Each fragment was recorded under its own fingerprint.
    fingerprint: `joined:${first.fingerprint}`,
  }
}
