import type { InstanceSecret } from '../runtime/derived-keys.ts'
import { createHooks, generationOf } from './http/callbacks/hooks.ts'
import { checkExamples } from './http/check-examples.ts'
import { declarationSchemaPath, renderDeclarationSchema } from './http/declaration-schema.ts'
import type { Declaration } from './http/declaration/declaration.ts'
import { declarationOf } from './http/settings.ts'
import { readDeclaration } from './http/declaration/read-declaration.ts'
import { ownDeclaration, ownDeclarationText, ownProviders } from './http/own-providers.ts'
import { buildSend } from './http/request/build-send.ts'
import { type BuiltRequest, completeSettings, RequestError } from './http/request/build-request.ts'
import type { Submission } from './connector.ts'

/** What the command line and the API know of providers over HTTP; the connector itself is loaded by the registry. */
export {
  readDeclaration,
  checkExamples,
  declarationOf,
  ownDeclarationText,
  declarationSchemaPath,
  renderDeclarationSchema,
}

/** Where the provider of a device calls this server. */
export interface ProviderAddresses {
  receipts: string | null
  received: string | null
}

/** Returns the addresses to paste at the provider of a device, null for what it does not call; null where it has no provider. */
export function providerAddresses(
  secret: InstanceSecret,
  {
    publicUrl,
    deviceId,
    settings,
  }: { publicUrl: string; deviceId: string; settings: Readonly<Record<string, string>> },
): ProviderAddresses | null {
  const declaration = declarationOf(settings)
  if (declaration === null) return null
  const path = createHooks(secret).pathOf(deviceId, generationOf(settings))
  const base = publicUrl.replace(/\/+$/, '') + path
  return {
    receipts: declaration.status === undefined ? null : `${base}/status`,
    received: declaration.inbound === undefined ? null : `${base}/inbound`,
  }
}

/** Returns the settings with which a device gets other addresses; null where its kind has none. */
export const withNewHook = (settings: Readonly<Record<string, string>>): Record<string, string> | null =>
  declarationOf(settings) === null ? null : { hook: String(generationOf(settings) + 1) }

/** What a provider can do, for lists. */
export interface ListedProvider {
  name: string
  title: string
  does: readonly string[]
  /** When it was tried at the service itself; null: never. */
  tried: string | null
  source: readonly string[]
}

/** Lists the providers that come with the program. */
export const listProviders = (): ListedProvider[] =>
  ownProviders().map((name) => {
    const declaration = ownDeclaration(name) as Declaration
    const { title, tried = null, source = [] } = declaration
    return { name, title, does: abilitiesOf(declaration), tried, source }
  })

function abilitiesOf({ status, inbound, lookup, idempotency, balance }: Declaration): string[] {
  const abilities = {
    receipts: status !== undefined,
    'received messages': inbound !== undefined,
    'look-up': lookup !== undefined,
    'safe repeats': idempotency !== undefined,
    balance: balance !== undefined,
  }
  return Object.entries(abilities).flatMap(([name, has]) => (has ? [name] : []))
}

/**
 * Returns the request that would submit a message, with secrets shown by their names; a sentence where it cannot be made.
 */
export function showRequest(
  declaration: Declaration,
  given: { settings: Readonly<Record<string, string>>; submission: Submission; nowMs: number },
): BuiltRequest | string {
  const { settings, submission, nowMs } = given
  const missing = Object.entries(declaration.settings ?? {}).flatMap(([name, rule]) =>
    rule.required === true && (settings[name] ?? '') === '' ? [name] : [],
  )
  if (missing.length > 0) return `Give the settings of the account: ${missing.join(', ')}.`
  const secrets = Object.fromEntries(Object.keys(declaration.secrets ?? {}).map((name) => [name, name]))
  const account = {
    declaration,
    settings: completeSettings(declaration, settings),
    secrets,
    allowsHost: () => true,
  }
  const urls = {
    status: 'https://sms.example/providers/v1/…/status/…',
    inbound: 'https://sms.example/providers/v1/…/inbound',
  }
  try {
    return buildSend(account, submission, { nowMs, urls, token: '‹token›', mask: true })
  } catch (error) {
    if (error instanceof RequestError) return error.message
    throw error
  }
}
