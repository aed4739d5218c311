import type { ArgumentSpec, Command, CommandGroup, OptionSpec, OptionSpecs } from './command.ts'
import { commonOptions } from './parse-options.ts'

/** Returns the help of one command. `name` is the whole name, such as `onesixty account create`; `more` is appended. */
export function helpOfCommand(name: string, command: Command, more?: string): string {
  const options: OptionSpecs = { ...command.options, ...commonOptions }
  const paragraphs = [`Usage: ${usageOf(name, command)}`, command.summary]
  if (command.details !== undefined) paragraphs.push(command.details)
  if (command.arguments.length > 0) {
    paragraphs.push(
      table(
        'Arguments:',
        command.arguments.map((argument) => [wordOf(argument), argument.summary]),
      ),
    )
  }
  paragraphs.push(
    table(
      'Options:',
      Object.entries(options).map(([option, spec]) => [signature(option, spec), sentence(spec)]),
    ),
  )
  if (more !== undefined) paragraphs.push(more)
  return paragraphs.join('\n\n')
}

/** Returns the help of a command with subcommands. */
export function helpOfGroup(name: string, group: CommandGroup): string {
  const commands = table(
    'Commands:',
    Object.entries(group.commands).map(([word, command]) => [word, command.summary]),
  )
  const hint = `Run '${name} <command> --help' for details.`
  if (group.otherwise !== undefined)
    return [helpOfCommand(name, group.otherwise), commands, hint].join('\n\n')
  return [`Usage: ${name} <command>`, group.summary, commands, hint].join('\n\n')
}

/** Formats two columns under a heading. */
export function table(heading: string, rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return [heading, ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)].join('\n')
}

function usageOf(name: string, command: Command): string {
  const required = Object.entries(command.options).filter(([, spec]) => spec.required === true)
  const words = command.arguments.map(wordOf)
  return [name, ...words, ...required.map(([option, spec]) => signature(option, spec)), '[options]'].join(' ')
}

const wordOf = ({ name, optional }: ArgumentSpec): string => (optional === true ? `[${name}]` : `<${name}>`)

function signature(option: string, spec: OptionSpec): string {
  if (spec.type === 'flag') return `--${option}`
  const value = spec.value ?? (spec.type === 'number' ? 'N' : 'TEXT')
  return spec.implied === undefined ? `--${option} ${value}` : `--${option}[=${value}]`
}

function sentence(spec: OptionSpec): string {
  const notes = [
    ...(spec.choices === undefined ? [] : [`one of ${spec.choices.join(', ')}`]),
    ...(spec.repeatable === true ? ['may be repeated'] : []),
    ...(spec.required === true ? ['required'] : []),
  ]
  return notes.length === 0 ? spec.summary : `${spec.summary} (${notes.join('; ')})`
}
