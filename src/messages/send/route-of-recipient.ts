import { routeKeyOf } from '../core/route-key.ts'
import type { SendRecipient, SendRequest } from './send-request.ts'

/** Returns the route on which the message of a recipient is queued. */
export const routeOfRecipient = (
  {
    mode,
    from: sender,
    encodingForced,
    paidBy,
    excludes,
  }: Pick<SendRequest, 'mode' | 'from' | 'encodingForced' | 'paidBy' | 'excludes'>,
  { way }: Pick<SendRecipient, 'way'>,
): string => routeKeyOf({ mode, sender, encodingForced, paidBy, way, excludes })
