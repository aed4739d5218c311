import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import { addPasskey, removePasskey, requirePasskeyRoom } from '../../../accounts/people/passkeys.ts'
import { refuse } from '../../../runtime/errors.ts'
import { closed } from '../../../runtime/schemas.ts'
import { defineCall, type UserContext } from '../core/call.ts'
import { makeChallenge, type PasskeyFlow, readChallenge } from './passkey-challenge.ts'
import { creationOptions, type KnownPasskey } from './passkey-options.ts'
import { requirePasskeyPlace } from './passkey-place.ts'
import { madePasskey, PasskeyFault, proveMade } from './passkey-proof.ts'
import { confirmPassword } from './check-password.ts'
import { writeSignedIn } from './session.ts'

const password = Type.String({ maxLength: 1_000 })
const name = Type.String({ maxLength: 100 })

export const passkeyCalls = {
  /**
   * Returns the options to create a passkey, after checking the password. Refuses what `passkeys/add` would
   * refuse, because the device keeps what it has created.
   */
  'passkeys/begin': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({ name, password }, closed),
    async handle(context, given): Promise<{ options: PublicKeyCredentialCreationOptionsJSON }> {
      const { user, clock, ports, read, config } = context
      const place = requirePasskeyPlace(context)
      await confirmPassword(context, given.password)
      const wanted = { userId: user.id, name: given.name, maxPasskeys: config.passkeysPerUser }
      await requirePasskeyRoom(read, wanted)
      const deps = { key: ports.identity.passkeyKey, nowMs: clock.now(), randomBytes }
      const known = await knownPasskeys(context)
      return { options: creationOptions(place, makeChallenge(deps, flowOf(context)), { user, known }) }
    },
  }),
  /** Stores a created passkey. Its challenge belongs to this session, and was issued for the password. */
  'passkeys/add': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({ name, made: madePasskey }, closed),
    async handle(context, given): Promise<{ passkeyId: string }> {
      const { user, actor, ids, clock, ports, config } = context
      const deps = { key: ports.identity.passkeyKey, nowMs: clock.now() }
      const place = requirePasskeyPlace(context)
      const expected = {
        place,
        readChallenge: (challenge: string) => readChallenge(deps, flowOf(context), challenge),
      }
      const { challenge, ...proven } = await proveMade(expected, given.made).catch((error: unknown) => {
        if (!(error instanceof PasskeyFault)) throw error
        const detail = `The passkey was rejected: ${error.message}. Start again.`
        throw refuse('validation_failed', { detail })
      })
      const passkey = { ...proven, userId: user.id, name: given.name, actor }
      const maxPasskeys = config.passkeysPerUser
      return writeSignedIn(context, (tx) =>
        addPasskey(tx, { ids, nowMs: clock.now() }, { passkey, challenge, maxPasskeys }),
      )
    },
  }),
  'passkeys/remove': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({ passkeyId: Type.String({ maxLength: 64 }), password }, closed),
    async handle(context, given): Promise<{ removed: true }> {
      const { user, actor, ids, clock } = context
      await confirmPassword(context, given.password)
      const removed = { userId: user.id, passkeyId: given.passkeyId, actor }
      await writeSignedIn(context, (tx) => removePasskey(tx, { ids, nowMs: clock.now() }, removed))
      return { removed: true }
    },
  }),
}

const flowOf = ({ sessionId }: UserContext): PasskeyFlow => `add ${sessionId}`

async function knownPasskeys({ read, user }: UserContext): Promise<KnownPasskey[]> {
  const rows = await read
    .selectFrom('passkeys')
    .select(['credential_id', 'transports'])
    .where('user_id', '=', user.id)
    .execute()
  return rows.map((row) => ({
    credentialId: row.credential_id,
    transports: row.transports.split(',').filter((word) => word !== ''),
  }))
}
