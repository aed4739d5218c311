import type { Selectable } from 'kysely'
import { type CodedText, type Coding, readPieces, type TextPiece } from '../../sms/coded-text.ts'
import { plainText, withoutControls } from '../../runtime/plain-text.ts'
import { measureText } from '../../sms/sms-text.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { InboundFragmentTable } from '../../storage/tables/message-tables.ts'
import { insertRows } from '../../storage/seam/sets.ts'
import type { InboundMessage, InboundPart, InboundTerms } from './inbound-message.ts'

type Fragment = Selectable<InboundFragmentTable>
type Piece = InboundMessage & { part: InboundPart }
type JoinTerms = Pick<InboundTerms, 'maxCharacters'> & { nowMs: number }
type SetKey = Pick<Fragment, 'device_id' | 'sender' | 'recipient' | 'reference' | 'total'>

/** Pieces kept for one device; beyond them the oldest message goes as it is. A real sender has one long message under way. */
const maxFragments = 2_000

/**
 * Keeps pieces of long messages until all are there, in whatever order they come. Those of a message that went stay a while, so that one
 * that comes again is known; another text under the same number is a new message. Gives what is to be stored now: the whole message once it is,
 * and what came of those that had to make way.
 */
export async function takeFragment(
  tx: Tx,
  piece: Piece,
  terms: InboundTerms,
): Promise<{ whole: InboundMessage | null; madeWay: InboundMessage[] }> {
  const key = keyOf(piece)
  const madeWay = await makeRoom(tx, piece, terms)
  let kept = await readSet(tx, key)
  const same = kept.find((fragment) => fragment.part === piece.part.index)
  const isOld = kept.some((fragment) => fragment.received_at <= piece.receivedAt - terms.joinMs)
  const fragment = fragmentOf(piece, key, terms)
  if (isOld || (same !== undefined && !isSameText(same, fragment))) {
    madeWay.push(...(await takeSet(tx, key, kept, { ...terms, nowMs: piece.receivedAt })))
    kept = []
  } else if (same !== undefined) return { whole: null, madeWay }

  await insertRows(tx, 'inbound_fragments', [fragment])
  const all = [...kept, fragment]
  if (all.length < piece.part.total) return { whole: null, madeWay }
  await markJoined(tx, key)
  return { whole: joined(all, { ...terms, nowMs: piece.receivedAt }), madeWay }
}

/** Takes out the messages whose first piece came by `upTo`: what came of each, but for those that went already. */
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

const keyOf = ({ deviceId, from, to, part }: Piece): SetKey => ({
  device_id: deviceId,
  sender: from,
  recipient: to ?? '',
  reference: part.reference,
  total: part.total,
})

const fragmentOf = (piece: Piece, key: SetKey, terms: Pick<InboundTerms, 'maxCharacters'>): Fragment => ({
  ...key,
  part: piece.part.index,
  body: bodyOf(piece, terms),
  account_id: piece.accountId,
  mode: piece.mode,
  country: piece.country,
  in_reply_to: piece.inReplyTo,
  fingerprint: piece.fingerprint,
  received_at: piece.receivedAt,
  joined: 0,
})

/** What a fragment keeps of a piece: its text, or its octets where a character may be cut between two. Half a surrogate pair is kept by JSON and by no database. */
function bodyOf(
  { part: { coded }, text }: Piece,
  { maxCharacters }: Pick<InboundTerms, 'maxCharacters'>,
): string {
  if (coded === undefined) return JSON.stringify(text)
  const { octets, coding } = coded
  // Two octets for each character are enough.
  const kept = Buffer.from(octets.subarray(0, maxCharacters * 2)).toString('base64')
  return JSON.stringify({ octets: kept, coding } satisfies KeptOctets)
}

interface KeptOctets {
  /** In base64. */
  octets: string
  coding: Coding
}

function pieceOf({ body }: Fragment): CodedText | string {
  const kept = JSON.parse(body) as string | KeptOctets
  return typeof kept === 'string' ? kept : { octets: Buffer.from(kept.octets, 'base64'), coding: kept.coding }
}

/** Releases that kept texts alone may have kept the first copy of a piece, and the repeat comes to this one. */
function isSameText(kept: Fragment, fragment: Fragment): boolean {
  if (kept.body === fragment.body) return true
  const pieces = [kept, fragment].map(pieceOf)
  if (pieces.every((piece) => typeof piece !== 'string')) return false
  const [before, now] = pieces.map((piece) => withoutControls(readPieces([piece])))
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

/** Removes a set; gives its message unless that went before. */
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

/** A device that sends piece upon piece and never the rest must not fill the disk: the oldest make way. */
async function makeRoom(
  tx: Tx,
  { deviceId, receivedAt }: Piece,
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
  return takeSet(tx, oldest, await readSet(tx, oldest), { ...terms, nowMs: receivedAt })
}

/** The pieces in their order; `…` stands where some are missing. */
function joined(fragments: readonly Fragment[], { nowMs, maxCharacters }: JoinTerms): InboundMessage {
  const inOrder = fragments.toSorted((a, b) => a.part - b.part)
  const [first] = inOrder as [Fragment]
  const pieces: TextPiece[] = Array.from({ length: first.total }, () => null)
  for (const fragment of inOrder) pieces[fragment.part - 1] = pieceOf(fragment)
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
    receivedAt: nowMs,
    networkAt: null,
    inReplyTo: inOrder.find((fragment) => fragment.in_reply_to !== null)?.in_reply_to ?? null,
    // Each piece has been seen under its own.
    fingerprint: `joined:${first.fingerprint}`,
  }
}
