import { requireAccount } from '../../accounts/core/list-accounts.ts'
import { hourMs, rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import { createWebhookSecretBox } from '../../runtime/secret-box.ts'
import { eventTypes } from '../../messages/core/event-types.ts'
import { createAddressGuard } from '../../outgoing/address-guard.ts'
import { webhookSettings } from '../../settings/webhook-settings.ts'
import {
  addEndpoint,
  type EndpointDeps,
  type PlaceDeps,
  removeEndpoint,
  setEndpoint,
} from '../../webhooks/endpoint-store.ts'
import { endFormerSecrets, rotateSecret } from '../../webhooks/rotate-secret.ts'
import { listEndpoints, type ListedEndpoint } from '../../webhooks/list-endpoints.ts'
import { replayEvent, replayRange } from '../../webhooks/replay.ts'
import { command, type CommandGroup } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { readTime } from '../core/read-time.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'
import { testCommand } from './webhook-test.ts'
import { guidePath } from '../../process/guides.ts'
import { accountOption, modeOption } from '../core/common-options.ts'

const endpoint = {
  type: 'text',
  value: 'ENDPOINT',
  summary: 'Webhook endpoint ID: whk_…',
  required: true,
} as const

const depsOf = async (tools: CommandContext): Promise<EndpointDeps> => ({
  ids: tools.ids,
  nowMs: tools.clock.now(),
  randomBytes: tools.randomBytes,
  secretBox: createWebhookSecretBox(await tools.instanceSecret()),
})

const guardOf = (tools: CommandContext): PlaceDeps => ({
  guard: createAddressGuard(tools.config.webhookAllow, webhookSettings.webhookAllow.env),
})

const secretSentence =
  'The secret is shown only once. Your server verifies the signature of each event with it.'

const add = command({
  summary: 'Adds a webhook endpoint and prints its signing secret. The secret is shown only once.',
  details: `Event types: ${eventTypes.join(', ')}. A running server has the guide at ${guidePath('webhooks')}.`,
  arguments: [],
  options: {
    account: accountOption,
    url: { type: 'text', value: 'URL', summary: 'URL of the endpoint, https or http.', required: true },
    event: {
      type: 'text',
      value: 'EVENT',
      summary: 'Event types to send. Default: all.',
      choices: eventTypes,
      repeatable: true,
    },
    mode: modeOption('Mode of the events. Default: both.'),
  },
  async run(tools, { options }) {
    const { account: accountId, url, event: types, mode = null } = options
    const deps = {
      ...(await depsOf(tools)),
      ...guardOf(tools),
      maxEndpoints: tools.config.webhookEndpoints,
    }
    const { endpointId, secret } = await tools.withStorage((storage) =>
      storage.writer.write((tx) => addEndpoint(tx, deps, { accountId, url, types, mode, actor: cliActor })),
    )
    return {
      json: { id: endpointId, account_id: accountId, secret },
      text: `${endpointId}\n${secret}\n${secretSentence}`,
    }
  },
})

const list = command({
  summary:
    'Lists the webhook endpoints of an account, with start and reason of failures. Secrets cannot be shown again.',
  arguments: [],
  options: { account: accountOption },
  async run(tools, { options }) {
    const asked = { accountId: options.account, nowMs: tools.clock.now() }
    const endpoints = await tools.withStorage(async ({ read }) => {
      await requireAccount(read, options.account)
      return listEndpoints(read, asked)
    })
    const lines = endpoints.flatMap((each) => [
      `${each.id}  ${stateOf(each).padEnd(18)}  ${each.mode ?? 'both modes'}  ${each.types.length === 0 ? 'all events' : each.types.join(' ')}  ${each.url}`,
      ...(each.failingSince === null
        ? []
        : [`    failing since ${rfc3339(each.failingSince)}: ${each.failingBecause ?? 'unknown reason'}`]),
    ])
    return {
      json: { endpoints: endpoints.map(shown) },
      text: lines.length === 0 ? 'No webhook endpoints.' : lines.join('\n'),
    }
  },
})

const stateOf = ({ state, disabledBecause, failingSince }: ListedEndpoint): string =>
  disabledBecause !== null ? `${state} (${disabledBecause})` : failingSince !== null ? 'failing' : state

const shown = (each: ListedEndpoint) => ({
  id: each.id,
  url: each.url,
  events: each.types,
  mode: each.mode,
  state: each.state,
  disabled_because: each.disabledBecause,
  failing_since: rfc3339OrNull(each.failingSince),
  failing_because: each.failingBecause,
  previous_secret_until: rfc3339OrNull(each.previousSecretUntil),
  created_at: rfc3339(each.createdAt),
})

const rotate = command({
  summary:
    'Creates a new secret for an endpoint and prints it, only once. For 24 h events are signed with both secrets.',
  arguments: [],
  options: { account: accountOption, endpoint },
  async run(tools, { options }) {
    const deps = await depsOf(tools)
    const previousUntil = deps.nowMs + tools.config.webhookRotationHours * hourMs
    const named = { accountId: options.account, endpointId: options.endpoint, actor: cliActor }
    const { secret } = await tools.withStorage((storage) =>
      storage.writer.write((tx) => rotateSecret(tx, deps, { ...named, previousUntil })),
    )
    return {
      json: { id: options.endpoint, secret, previous_secret_until: rfc3339(previousUntil) },
      text: `${secret}\n${secretSentence} Until ${rfc3339(previousUntil)} events are also signed with the former secret.`,
    }
  },
})

const endFormer = command({
  summary: 'Revokes the former secrets of an endpoint: events are signed with the current secret only.',
  details: 'For a leaked secret. A server that still verifies with a former secret rejects all events.',
  arguments: [],
  options: { account: accountOption, endpoint },
  async run(tools, { options }) {
    const deps = { ids: tools.ids, nowMs: tools.clock.now() }
    const named = { accountId: options.account, endpointId: options.endpoint, actor: cliActor }
    const { ended } = await tools.withStorage((storage) =>
      storage.writer.write((tx) => endFormerSecrets(tx, deps, named)),
    )
    const noun = ended === 1 ? 'former secret' : 'former secrets'
    return {
      json: { id: options.endpoint, ended },
      text:
        ended === 0
          ? 'No former secrets were active.'
          : `Revoked ${ended} ${noun}. Events are signed with the current secret only.`,
    }
  },
})

const replay = command({
  summary: 'Resends events to an endpoint: one event, or all events in a time range.',
  arguments: [],
  options: {
    account: accountOption,
    endpoint,
    event: { type: 'text', value: 'EVENT', summary: 'Event ID: evt_…' },
    from: { type: 'text', value: 'TIME', summary: 'Start of the range, for example 2027-01-31T00:00:00Z.' },
    until: { type: 'text', value: 'TIME', summary: 'End of the range. Default: now.' },
    'only-failed': { type: 'flag', summary: 'Only events of the range that were not delivered.' },
  },
  async run(tools, { options }) {
    const deps = { ids: tools.ids, nowMs: tools.clock.now() }
    const named = { accountId: options.account, endpointId: options.endpoint, actor: cliActor }
    const { event: eventId, from, until } = options
    if ((eventId === undefined) === (from === undefined))
      throw new UsageError('Give either --event, or --from for a range.')
    if (eventId !== undefined) {
      await tools.withStorage(({ writer }) =>
        writer.write((tx) => replayEvent(tx, deps, { ...named, eventId })),
      )
      return { json: { replayed: 1, rest_from: null }, text: `${eventId} is queued for resending.` }
    }
    const range = {
      fromMs: readTime('--from', from as string),
      untilMs: until === undefined ? deps.nowMs : readTime('--until', until),
      onlyFailed: options['only-failed'],
    }
    const { replayed, restFromMs } = await tools.withStorage(({ read, writer }) =>
      replayRange({ ...deps, read, writer }, { ...named, ...range }),
    )
    const restFrom = rfc3339OrNull(restFromMs)
    const more = restFrom === null ? '' : ` More events remain: continue with --from ${restFrom}.`
    return {
      json: { replayed, rest_from: restFrom },
      text: `${replayed} ${replayed === 1 ? 'event is' : 'events are'} queued for resending.${more}`,
    }
  },
})

const remove = command({
  summary: 'Removes an endpoint permanently, with its pending deliveries.',
  arguments: [],
  options: { account: accountOption, endpoint },
  async run(tools, { options }) {
    const deps = { ids: tools.ids, nowMs: tools.clock.now() }
    const named = { accountId: options.account, endpointId: options.endpoint, actor: cliActor }
    await tools.withStorage((storage) => storage.writer.write((tx) => removeEndpoint(tx, deps, named)))
    return {
      json: { id: options.endpoint, state: 'removed' },
      text: `${options.endpoint} is removed.`,
    }
  },
})

const changeState = (state: 'enabled' | 'disabled', summary: string) =>
  command({
    summary,
    arguments: [],
    options: { account: accountOption, endpoint },
    async run(tools, { options }) {
      const deps = { ids: tools.ids, nowMs: tools.clock.now(), ...guardOf(tools) }
      const change = { accountId: options.account, endpointId: options.endpoint, state, actor: cliActor }
      await tools.withStorage((storage) => storage.writer.write((tx) => setEndpoint(tx, deps, change)))
      return { json: { id: options.endpoint, state }, text: `${options.endpoint} is ${state}.` }
    },
  })

export const webhookCommands: CommandGroup = {
  summary: 'Webhook endpoints: servers that receive the events of an account.',
  commands: {
    add,
    list,
    test: testCommand,
    replay,
    rotate,
    'end-former-secrets': endFormer,
    remove,
    enable: changeState('enabled', 'Enables an endpoint. Pending deliveries are sent first.'),
    disable: changeState(
      'disabled',
      'Disables an endpoint. Events that occur while it is disabled are not sent later.',
    ),
  },
}
