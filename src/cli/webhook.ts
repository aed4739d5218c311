import { requireAccount } from '../accounts/list-accounts.ts'
import { hourMs, rfc3339, rfc3339OrNull } from '../clock.ts'
import { createWebhookSecretBox } from '../devices/secret-box.ts'
import { eventTypes } from '../messages/event-types.ts'
import { createAddressGuard } from '../webhooks/address-guard.ts'
import {
  addEndpoint,
  type EndpointDeps,
  type PlaceDeps,
  removeEndpoint,
  setEndpoint,
} from '../webhooks/endpoint-store.ts'
import { endFormerSecrets, rotateSecret } from '../webhooks/rotate-secret.ts'
import { listEndpoints, type ListedEndpoint } from '../webhooks/list-endpoints.ts'
import { replayEvent, replayRange } from '../webhooks/replay.ts'
import { command, type CommandGroup } from './command.ts'
import { UsageError } from './command-errors.ts'
import { readTime } from './read-time.ts'
import { cliActor, type Toolbox } from './toolbox.ts'
import { testCommand } from './webhook-test.ts'

const account = { type: 'text', value: 'ACCOUNT', says: 'Id of the account: acc_…', required: true } as const
const endpoint = {
  type: 'text',
  value: 'ENDPOINT',
  says: 'Id of the endpoint: whk_…',
  required: true,
} as const

const depsOf = async (tools: Toolbox): Promise<EndpointDeps> => ({
  ids: tools.ids,
  nowMs: tools.clock.now(),
  randomBytes: tools.randomBytes,
  secretBox: createWebhookSecretBox(await tools.instanceSecret()),
})

const guardOf = (tools: Toolbox): PlaceDeps => ({ guard: createAddressGuard(tools.config.webhookAllow) })

const secretSentence = 'The secret is shown this once: what it signs, the receiver verifies with it.'

const add = command({
  summary: 'Adds an address that an account is told at what happens, and shows its secret this once.',
  details: `Events: ${eventTypes.join(', ')}. docs/webhooks.md says how to receive them.`,
  arguments: [],
  options: {
    account,
    url: { type: 'text', value: 'URL', says: 'Where it is told: an https or http address.', required: true },
    event: {
      type: 'text',
      value: 'EVENT',
      says: 'What it is told; everything when left out.',
      choices: eventTypes,
      repeatable: true,
    },
    mode: {
      type: 'text',
      value: 'MODE',
      says: 'Events of one mode; of both when left out.',
      choices: ['live', 'test'],
    },
  },
  async run(tools, { options }) {
    const { account: accountId, url, event: types, mode = null } = options
    const deps = {
      ...(await depsOf(tools)),
      ...guardOf(tools),
      mostEndpoints: tools.config.webhookEndpoints,
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
    'Lists the webhook endpoints of an account, and since when and why one fails. Secrets cannot be shown again.',
  arguments: [],
  options: { account },
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
        : [
            `    since ${rfc3339(each.failingSince)} it took nothing: ${each.failingBecause ?? 'not known why'}`,
          ]),
    ])
    return {
      json: { endpoints: endpoints.map(shown) },
      text: lines.length === 0 ? 'This account has no webhook endpoints.' : lines.join('\n'),
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
  summary: 'Gives an endpoint a new secret and shows it this once; for a day the old one signs beside it.',
  arguments: [],
  options: { account, endpoint },
  async run(tools, { options }) {
    const deps = await depsOf(tools)
    const previousUntil = deps.nowMs + tools.config.webhookRotationHours * hourMs
    const named = { accountId: options.account, endpointId: options.endpoint, actor: cliActor }
    const { secret } = await tools.withStorage((storage) =>
      storage.writer.write((tx) => rotateSecret(tx, deps, { ...named, previousUntil })),
    )
    return {
      json: { id: options.endpoint, secret, previous_secret_until: rfc3339(previousUntil) },
      text: `${secret}\n${secretSentence} The old one signs too until ${rfc3339(previousUntil)}.`,
    }
  },
})

const endFormer = command({
  summary: 'Ends the former secrets of an endpoint at once: only the present one signs from then on.',
  details:
    'For a secret that somebody else may know. A receiver that still verifies with it takes nothing any more.',
  arguments: [],
  options: { account, endpoint },
  async run(tools, { options }) {
    const deps = { ids: tools.ids, nowMs: tools.clock.now() }
    const named = { accountId: options.account, endpointId: options.endpoint, actor: cliActor }
    const { ended } = await tools.withStorage((storage) =>
      storage.writer.write((tx) => endFormerSecrets(tx, deps, named)),
    )
    const what = ended === 1 ? 'former secret has' : 'former secrets have'
    return {
      json: { id: options.endpoint, ended },
      text:
        ended === 0
          ? 'No former secret was in force.'
          : `${ended} ${what} ended; only the present one signs.`,
    }
  },
})

const replay = command({
  summary: 'Tells an endpoint again what happened: one event, or all of a range of time.',
  arguments: [],
  options: {
    account,
    endpoint,
    event: { type: 'text', value: 'EVENT', says: 'Id of the event: evt_….' },
    from: { type: 'text', value: 'TIME', says: 'Begin of the range, as 2027-01-31T00:00:00Z.' },
    until: { type: 'text', value: 'TIME', says: 'End of the range; now when left out.' },
    'only-failed': { type: 'flag', says: 'Of the range only what was not delivered.' },
  },
  async run(tools, { options }) {
    const deps = { ids: tools.ids, nowMs: tools.clock.now() }
    const named = { accountId: options.account, endpointId: options.endpoint, actor: cliActor }
    const { event: eventId, from, until } = options
    if ((eventId === undefined) === (from === undefined))
      throw new UsageError('Say either --event, or --from for a range.')
    if (eventId !== undefined) {
      await tools.withStorage(({ writer }) =>
        writer.write((tx) => replayEvent(tx, deps, { ...named, eventId })),
      )
      return { json: { replayed: 1, rest_from: null }, text: `${eventId} is told again.` }
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
    const more = restFrom === null ? '' : ` There is more: go on with --from ${restFrom}.`
    return {
      json: { replayed, rest_from: restFrom },
      text: `${replayed} ${replayed === 1 ? 'event is' : 'events are'} told again.${more}`,
    }
  },
})

const remove = command({
  summary: 'Removes an endpoint for ever. What it was still to be told is dropped.',
  arguments: [],
  options: { account, endpoint },
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
    options: { account, endpoint },
    async run(tools, { options }) {
      const deps = { ids: tools.ids, nowMs: tools.clock.now(), ...guardOf(tools) }
      const change = { accountId: options.account, endpointId: options.endpoint, state, actor: cliActor }
      await tools.withStorage((storage) => storage.writer.write((tx) => setEndpoint(tx, deps, change)))
      return { json: { id: options.endpoint, state }, text: `${options.endpoint} is ${state}.` }
    },
  })

export const webhookCommands: CommandGroup = {
  summary: 'Webhooks: where an account is told what happens.',
  commands: {
    add,
    list,
    test: testCommand,
    replay,
    rotate,
    'end-former-secrets': endFormer,
    remove,
    enable: changeState('enabled', 'Tells an endpoint again, what waited for it first.'),
    disable: changeState(
      'disabled',
      'Tells an endpoint nothing until it is enabled; what happens meanwhile is not told later.',
    ),
  },
}
