import { parseArgs } from 'node:util'
import type { Command, OptionSpec, OptionSpecs } from './command.ts'
import { UsageError } from './command-errors.ts'
import { nearestName } from '../../runtime/nearest-name.ts'

export interface ParsedLine {
  options: Record<string, boolean | number | string | (number | string)[] | undefined>
  arguments: string[]
  json: boolean
  help: boolean
}

/** Options of every command. */
export const commonOptions = {
  json: { type: 'flag', summary: 'Print one JSON document; errors are JSON on standard error.' },
  help: { type: 'flag', summary: 'Print this help.' },
} as const satisfies OptionSpecs

/** Parses what follows the name of a command. Throws a `UsageError` that names the first fault and the fix. */
export function parseOptions(command: Command, argv: readonly string[]): ParsedLine {
  const specs: OptionSpecs = { ...command.options, ...commonOptions }
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(specs).map(([name, spec]) => [
        name,
        // A value of the second is only what follows an equals sign.
        { type: spec.type === 'flag' || spec.implied !== undefined ? 'boolean' : 'string', multiple: true },
      ]),
    ),
  })
  const given = new Map<string, string[]>()
  const words: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    else if (token.kind === 'option') {
      const spec = Object.hasOwn(specs, token.name) ? specs[token.name] : undefined
      if (spec === undefined) throw unknownOption(token, specs, command)
      given.set(token.name, [...(given.get(token.name) ?? []), readToken(spec, token)])
    }
  }
  const help = given.has('help')
  const options = help
    ? {}
    : Object.fromEntries(
        Object.entries(command.options).map(([name, spec]) => [
          name,
          readValues(name, spec, given.get(name) ?? []),
        ]),
      )
  if (!help) checkWords(command, words)
  return { options, arguments: words, json: given.has('json'), help }
}

interface OptionToken {
  rawName: string
  value?: string | undefined
  inlineValue?: boolean | undefined
}

function readToken(spec: OptionSpec, { rawName, value, inlineValue }: OptionToken): string {
  if (spec.type === 'flag') {
    if (value !== undefined) throw new UsageError(`${rawName} does not accept a value.`)
    return 'true'
  }
  if (value === undefined && spec.implied !== undefined) return spec.implied
  if (value === undefined)
    throw new UsageError(`${rawName} needs a value: ${rawName} ${spec.value ?? 'VALUE'}.`)
  if (inlineValue !== true && value.startsWith('--')) {
    throw new UsageError(
      `${rawName} needs a value, but is followed by ${value}. If that is the value, write ${rawName}=${value}.`,
    )
  }
  return value
}

function readValues(name: string, spec: OptionSpec, texts: readonly string[]): ParsedLine['options'][string] {
  if (spec.type === 'flag') return texts.length > 0
  const values = texts.map((text) => readValue(name, spec, text))
  if (spec.required === true && values.length === 0)
    throw new UsageError(`Missing option --${name} ${spec.value ?? 'VALUE'}.`)
  if (spec.repeatable === true) return values
  if (values.length > 1)
    throw new UsageError(`--${name} was given ${values.length === 2 ? 'twice' : `${values.length} times`}.`)
  return values[0]
}

function readValue(name: string, spec: OptionSpec, text: string): number | string {
  if (spec.choices !== undefined && !spec.choices.includes(text)) {
    throw new UsageError(`--${name} must be one of ${spec.choices.join(', ')}, not '${text}'.`)
  }
  if (spec.type === 'text') return text
  const value = Number(text)
  if (!/^-?\d{1,15}$/.test(text)) throw new UsageError(`--${name} must be a whole number, not '${text}'.`)
  return value
}

function checkWords(command: Command, words: readonly string[]): void {
  const missing = command.arguments[words.length]
  if (missing !== undefined && missing.optional !== true)
    throw new UsageError(`Missing argument <${missing.name}>: ${missing.summary}`)
  const surplus = words[command.arguments.length]
  if (surplus !== undefined) throw new UsageError(`Unexpected argument '${surplus}'.`)
}

function unknownOption(
  { name, rawName }: { name: string; rawName: string },
  specs: OptionSpecs,
  { unavailable = {} }: Pick<Command, 'unavailable'>,
): UsageError {
  if (Object.hasOwn(unavailable, name))
    return new UsageError(`${rawName} is not available. ${unavailable[name]}`)
  const meant = nearestName(rawName.replace(/^-+/, ''), Object.keys(specs))
  return new UsageError(`Unknown option ${rawName}.${meant === null ? '' : ` Did you mean --${meant}?`}`)
}
