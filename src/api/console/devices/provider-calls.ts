import { Type } from 'typebox'
import { declarationOf, type ProviderAddresses, showRequest } from '../../../connectors/providers.ts'
import { exampleOf, linesOfRequest } from '../../../connectors/shown-request.ts'
import { refuse } from '../../../runtime/errors.ts'
import { invalidInput } from '../../../runtime/invalid-input.ts'
import { closed } from '../../../runtime/schemas.ts'
import { defineCall } from '../core/call.ts'
import { DeviceId } from './device-calls.ts'
import { findChangeable } from './device-change-calls.ts'

const Text = Type.String({ maxLength: 2_000 })
/** A declaration of one's own has up to 64 KiB. */
const Value = Type.String({ maxLength: 64 * 1024 })

export const providerCalls = {
  /** Returns the request that would submit a message with these settings, with the names of secrets. Sends nothing. */
  'devices/show-request': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object(
      {
        settings: Type.Record(Type.String({ maxLength: 50 }), Value, { maxProperties: 100 }),
        to: Type.String({ maxLength: 30 }),
        text: Text,
      },
      closed,
    ),
    async handle({ user, clock }, { settings, to, text }): Promise<{ lines: string[] }> {
      const { declaration: own, ...rest } = settings
      if (own !== undefined && !user.isOperator)
        throw refuse('not_permitted', { detail: 'Only the operator can use a declaration of his own.' })
      const declaration = declarationOf(own === undefined ? rest : settings)
      if (declaration === null)
        throw invalidInput([
          { pointer: '/settings/provider', code: 'required', detail: 'Choose a messaging service first.' },
        ])
      const submission = exampleOf({ to, from: null, text })
      const request = showRequest(declaration, { settings, submission, nowMs: clock.now() })
      if (typeof request === 'string')
        throw invalidInput([{ pointer: '/settings', code: 'invalid_format', detail: request }])
      return { lines: linesOfRequest(request) }
    },
  }),
  /** Returns the addresses of this server to set at the provider of a device; null where there is nothing to set. */
  'devices/addresses': defineCall({
    kind: 'read',
    access: 'owner',
    input: Type.Object({ deviceId: DeviceId }, closed),
    async handle(context, { deviceId }): Promise<{ addresses: ProviderAddresses | null }> {
      const { id, settings } = await findChangeable(context, deviceId)
      return { addresses: context.ports.devices.addressesOf(id, settings) }
    },
  }),
}
