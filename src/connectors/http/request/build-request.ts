import { addressSettingsOf } from '../declaration/declaration-faults.ts'
import type { Declaration } from '../declaration/declaration.ts'
import { isDeclaredHost, readHttpUrl } from '../declaration/hosts.ts'
import type { DeclaredRequest } from '../declaration/request-schemas.ts'
import type { Filling } from '../declaration/filters.ts'
import { fillTemplate, parseTemplate } from '../declaration/template.ts'
import { fillFlat, type Filler, fillText, fillTree } from './fill-tree.ts'

/** A request as it leaves, or as it is shown. */
export interface BuiltRequest {
  method: string
  url: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string | null
}

/** Why a request cannot be made; the message is a sentence for people, without any secret. */
export class RequestError extends Error {}

/** The account at a provider. */
export interface ProviderAccount {
  declaration: Declaration
  /** With the defaults of the declaration; requests omit an empty one. */
  settings: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
  /** Returns whether the operator allows a host that the declaration does not name. */
  allowsHost(host: string): boolean
}

/** Returns the settings of a device with the defaults of its declaration. */
export const completeSettings = (
  { settings = {} }: Pick<Declaration, 'settings'>,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(settings).map(([name, rule]) => [name, rule.default ?? ''])),
  ...given,
})

/** Returns what placeholders mean for an account. With `mask` secrets are shown by their names. */
export function fillerOf(
  { settings, secrets }: Pick<ProviderAccount, 'settings' | 'secrets'>,
  values: Readonly<Record<string, Filling>>,
  mask: boolean,
): Filler {
  const isSecret = (name: string): boolean => Object.hasOwn(secrets, name)
  return {
    isMasked: (name) => mask && isSecret(name),
    read(name) {
      if (Object.hasOwn(values, name)) return values[name] ?? null
      if (isSecret(name)) return mask ? `‹${name}›` : (secrets[name] as string)
      return settings[name] === '' ? null : (settings[name] ?? null)
    },
  }
}

/**
 * Builds a request without its credentials. The URL comes first, and its host is checked before any secret is filled in.
 * Throws a `RequestError` for a host that is neither declared nor allowed, and for a header that cannot be sent.
 */
export function buildRequest(
  account: ProviderAccount,
  request: DeclaredRequest,
  filler: Filler,
): BuiltRequest {
  const { query = {}, headers = {} } = request
  const url = addQuery(buildUrl(account, request.url, filler), fillFlat(filler, query))
  const { type, body } = buildBody(request, filler)
  const given = fillFlat(filler, headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  for (const [name, value] of given) requireHeader(name, value)
  return {
    method: request.method ?? (body === null ? 'GET' : 'POST'),
    url,
    headers: { ...(type !== null && { 'content-type': type }), ...Object.fromEntries(given) },
    body,
  }
}

/** Placeholders are encoded, so that none changes the path; only a setting at the start is an address. */
function buildUrl({ declaration, allowsHost }: ProviderAccount, template: string, filler: Filler): string {
  const starts = startsOf(declaration)
  const filled = fillTemplate(parseTemplate(template), filler.read, {
    write: (value, { isStart, name }) =>
      isStart && starts.has(name) ? value.replace(/\/+$/, '') : encodeSegment(value),
  })
  const url = readHttpUrl(String(filled ?? ''))
  if (url === null)
    throw new RequestError(`The URL of the request, ${template}, is none with these settings.`)
  if (!isDeclaredHost(url.hostname, declaration.hosts) && !allowsHost(url.hostname))
    throw new RequestError(
      `The host ${url.hostname} is not among the hosts of the declaration; the operator can allow it with ONESIXTY_PROVIDER_ALLOW.`,
    )
  return url.href
}

/** A dot segment would change the path in every spelling (WHATWG URL, section 4.4). */
function encodeSegment(value: string): string {
  if (value === '.' || value === '..') throw new RequestError('A value of the URL is a dot segment.')
  return encodeURIComponent(value.toWellFormed())
}

/** A declaration does not change while a device has it. */
const knownStarts = new WeakMap<Declaration, ReadonlySet<string>>()

function startsOf(declaration: Declaration): ReadonlySet<string> {
  const starts = knownStarts.get(declaration) ?? addressSettingsOf(declaration)
  knownStarts.set(declaration, starts)
  return starts
}

/** Adds members to the query of a URL, encoded as in a path: a blank is `%20`. */
export function addQuery(url: string, members: readonly (readonly [string, string])[]): string {
  if (members.length === 0) return url
  const encoded = members.map((pair) => pair.map((each) => encodeURIComponent(each.toWellFormed())).join('='))
  return `${url}${url.includes('?') ? '&' : '?'}${encoded.join('&')}`
}

function buildBody(
  { form, json, xml }: DeclaredRequest,
  filler: Filler,
): { type: string | null; body: string | null } {
  if (form !== undefined)
    return {
      type: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(fillFlat(filler, form)).toString(),
    }
  if (json !== undefined) return { type: 'application/json', body: JSON.stringify(fillTree(filler, json)) }
  if (xml !== undefined) return { type: 'text/xml; charset=utf-8', body: String(fillText(filler, xml) ?? '') }
  return { type: null, body: null }
}

/** Visible ASCII and blanks, as RFC 9110 (section 5.5) advises; anything else is refused rather than changed. */
export function requireHeader(name: string, value: string): void {
  if (!/^[\x20-\x7e‹›]*$/.test(value) || value.trim() !== value)
    throw new RequestError(`The header ${name} would have a value that no header can have.`)
}
