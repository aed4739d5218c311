import { requireAccount } from '../accounts/list-accounts.ts'
import { rfc3339 } from '../clock.ts'
import { createWebhookSecretBox } from '../devices/secret-box.ts'
import { loadInstanceSecret } from '../instance-secret.ts'
import { eventTypes } from '../messages/event-types.ts'
import {
  addEndpoint,
  type EndpointDeps,
  removeEndpoint,
  rotateSecret,
  setEndpoint,
} from '../webhooks/endpoint-store.ts'
import { listEndpoints, type ListedEndpoint } from '../webhooks/list-endpoints.ts'
import { command, type CommandGroup } from './command.ts'
import { cliActor, type Toolbox } from './toolbox.ts'

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
  secretBox: createWebhookSecretBox(await loadInstanceSecret(tools.config)),
})

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
    const deps = { ...(await depsOf(tools)), mostEndpoints: tools.config.webhookEndpoints }
    const { endpointId, secret } = await tools.withStorage((storage) =>
      storage.writer.write((tx) =>
        addEndpoint(tx, deps, { accountId, url, types, mode, actor: cliActor }),
      ),
    )
    return {
      json: { id: endpointId, account_id: accountId, secret },
      text: `${endpointId}\n${secret}\n${secretSentence}`,
    }
  },
}) // prettier-ignore

const list = command({
  summary: 'Lists the webhook endpoints of an account. Secrets cannot be shown again.',
  arguments: [],
  options: { account },
  async run(tools, { options }) {
    const asked = { accountId: options.account, nowMs: tools.clock.now() }
    const endpoints = await tools.withStorage(async ({ read }) => {
      await requireAccount(read, options.account)
      return listEndpoints(read, asked)
    })
    const lines = endpoints.map(
      (each) =>
        `${each.id}  ${stateOf(each).padEnd(18)}  ${each.mode ?? 'both modes'}  ${each.types.length === 0 ? 'all events' : each.types.join(' ')}  ${each.url}`,
    )
    return {
      json: { endpoints: endpoints.map(shown) },
      text: lines.length === 0 ? 'This account has no webhook endpoints.' : lines.join('\n'),
    }
  },
})

const stateOf = ({ state, disabledBecause }: ListedEndpoint): string =>
  disabledBecause === null ? state : `${state} (${disabledBecause})`

const timeOf = (at: number | null): string | null => (at === null ? null : rfc3339(at))

const shown = (each: ListedEndpoint) => ({
  id: each.id,
  url: each.url,
  events: each.types,
  mode: each.mode,
  state: each.state,
  disabled_because: each.disabledBecause,
  failing_since: timeOf(each.failingSince),
  previous_secret_until: timeOf(each.previousSecretUntil),
  created_at: rfc3339(each.createdAt),
})

const rotate = command({
  summary: 'Gives an endpoint a new secret and shows it this once; for a day the old one signs beside it.',
  arguments: [],
  options: { account, endpoint },
  async run(tools, { options }) {
    const deps = await depsOf(tools)
    const previousUntil = deps.nowMs + tools.config.webhookRotationHours * 3_600_000
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
      const deps = { ids: tools.ids, nowMs: tools.clock.now() }
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
    rotate,
    remove,
    enable: changeState('enabled', 'Tells an endpoint again, what waited for it first.'),
    disable: changeState('disabled', 'Tells an endpoint nothing until it is enabled; what happens meanwhile is not told later.'),
  },
} // prettier-ignore
