import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { hourMs } from '../../../runtime/clock.ts'
import { closed } from '../../../runtime/schemas.ts'
import { eventTypes } from '../../../messages/core/event-types.ts'
import {
  addEndpoint,
  type EndpointDeps,
  removeEndpoint,
  setEndpoint,
} from '../../../webhooks/endpoint-store.ts'
import { endFormerSecrets, rotateSecret } from '../../../webhooks/rotate-secret.ts'
import {
  type DeliveryTry,
  type ListedDelivery,
  listDeliveries,
  listDeliveriesOfMessage,
  readDelivery,
} from '../../../webhooks/list-deliveries.ts'
import { type ListedEndpoint, listEndpoints } from '../../../webhooks/list-endpoints.ts'
import { replayEvent, replayRange, sendTestEvent } from '../../../webhooks/replay.ts'
import { renderMessage } from '../../v1/message-view.ts'
import { type AccountContext, defineCall } from '../core/call.ts'

const EndpointId = Type.String({ maxLength: 40 })
const EventId = Type.String({ maxLength: 40 })
const Url = Type.String({ maxLength: 2_100 })
const Types = Type.Array(Type.String({ maxLength: 60 }), { maxItems: 50 })
/** Null: events of both modes. */
const Mode = Type.Union([Type.Literal('live'), Type.Literal('test'), Type.Null()])
const Named = Type.Object({ endpointId: EndpointId }, closed)
/** Deliveries per page. */
const pageSize = 50

export const webhookCalls = {
  /** Returns the endpoints of the account, and all event types. */
  'webhooks/list': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, closed),
    async handle({ read, clock, account, config }): Promise<{
      endpoints: ListedEndpoint[]
      eventTypes: string[]
      rotationHours: number
      logDays: number
    }> {
      const endpoints = await listEndpoints(read, { accountId: account.id, nowMs: clock.now() })
      const { webhookRotationHours: rotationHours, webhookLogDays: logDays } = config
      return { endpoints, eventTypes: [...eventTypes], rotationHours, logDays }
    },
  }),
  'webhooks/add': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ url: Url, types: Types, mode: Mode }, closed),
    handle: (context, input): Promise<{ endpointId: string; secret: string }> => {
      const { guard } = context.ports.webhooks
      const deps = { ...depsOf(context), guard, maxEndpoints: context.config.webhookEndpoints }
      const endpoint = { ...input, accountId: context.account.id, actor: context.actor }
      return context.writer.write((tx) => addEndpoint(tx, deps, endpoint))
    },
  }),
  /** Changes only the given settings of an endpoint. */
  'webhooks/change': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object(
      {
        endpointId: EndpointId,
        url: Type.Optional(Url),
        types: Type.Optional(Types),
        mode: Type.Optional(Mode),
        state: Type.Optional(Type.Enum(['enabled', 'disabled'])),
      },
      closed,
    ),
    async handle(context, change): Promise<Record<string, never>> {
      const named = { ...change, ...actorOf(context) }
      const deps = { ...depsOf(context), guard: context.ports.webhooks.guard }
      await context.writer.write((tx) => setEndpoint(tx, deps, named))
      return {}
    },
  }),
  'webhooks/rotate': defineCall({
    kind: 'change',
    access: 'owner',
    input: Named,
    async handle(context, { endpointId }): Promise<{ secret: string; previousSecretUntil: number }> {
      const deps = depsOf(context)
      const previousUntil = deps.nowMs + context.config.webhookRotationHours * hourMs
      const named = { ...actorOf(context), endpointId, previousUntil }
      const { secret } = await context.writer.write((tx) => rotateSecret(tx, deps, named))
      return { secret, previousSecretUntil: previousUntil }
    },
  }),
  /** Ends the former secrets of an endpoint immediately. Returns how many were active. */
  'webhooks/end-former-secrets': defineCall({
    kind: 'change',
    access: 'owner',
    input: Named,
    handle: (context, { endpointId }): Promise<{ ended: number }> => {
      const named = { ...actorOf(context), endpointId }
      return context.writer.write((tx) => endFormerSecrets(tx, depsOf(context), named))
    },
  }),
  'webhooks/remove': defineCall({
    kind: 'change',
    access: 'owner',
    input: Named,
    async handle(context, { endpointId }): Promise<Record<string, never>> {
      const named = { ...actorOf(context), endpointId }
      await context.writer.write((tx) => removeEndpoint(tx, depsOf(context), named))
      return {}
    },
  }),
  /** Sends `webhook.test` to an endpoint. The result is in its deliveries within seconds. */
  'webhooks/test': defineCall({
    kind: 'change',
    access: 'owner',
    input: Named,
    async handle(context, { endpointId }): Promise<{ eventId: string }> {
      const { account, writer } = context
      const named = { accountId: account.id, endpointId }
      return { eventId: await writer.write((tx) => sendTestEvent(tx, depsOf(context), named)) }
    },
  }),
  'webhooks/deliveries': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({ endpointId: EndpointId, before: Type.Optional(EventId) }, closed),
    handle: ({ read, account }, { endpointId, before }) =>
      listDeliveries(read, { accountId: account.id, endpointId, beforeId: before ?? null, limit: pageSize }),
  }),
  /** Returns one delivery with the posted body, and each attempt with its response. */
  'webhooks/delivery': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({ endpointId: EndpointId, eventId: EventId }, closed),
    handle: (
      { read, account },
      input,
    ): Promise<{ delivery: ListedDelivery; body: string | null; tries: DeliveryTry[] }> =>
      readDelivery(read, renderMessage, { accountId: account.id, ...input }),
  }),
  'webhooks/of-message': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({ messageId: Type.String({ maxLength: 40 }) }, closed),
    async handle({ read, account }, { messageId }): Promise<{ deliveries: ListedDelivery[] }> {
      return { deliveries: await listDeliveriesOfMessage(read, { accountId: account.id, messageId }) }
    },
  }),
  'webhooks/replay': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ endpointId: EndpointId, eventId: EventId }, closed),
    async handle(context, input): Promise<Record<string, never>> {
      const named = { ...actorOf(context), ...input }
      await context.writer.write((tx) => replayEvent(tx, depsOf(context), named))
      return {}
    },
  }),
  /**
   * Resends events from `fromMs` until before `untilMs`. Returns their number, and where to continue if there
   * are more.
   */
  'webhooks/replay-range': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object(
      { endpointId: EndpointId, fromMs: Instant(), untilMs: Instant(), onlyFailed: Type.Boolean() },
      closed,
    ),
    handle: (context, input): Promise<{ replayed: number; restFromMs: number | null }> =>
      replayRange(
        { ...depsOf(context), read: context.read, writer: context.writer },
        { ...input, ...actorOf(context) },
      ),
  }),
}

function Instant() {
  return Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 })
}

const actorOf = ({ account, actor }: AccountContext) => ({ accountId: account.id, actor })

const depsOf = ({ ids, clock, ports }: AccountContext): EndpointDeps => ({
  ids,
  nowMs: clock.now(),
  randomBytes,
  secretBox: ports.webhooks.secretBox,
})
