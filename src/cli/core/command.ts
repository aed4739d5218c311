import type { CommandContext } from './command-context.ts'

/** One option of a command; optional without `required`. */
export interface OptionSpec {
  type: 'text' | 'number' | 'flag'
  /** Placeholder of its value in the help: NAME, FILE. Not for flags. */
  value?: string
  /** One sentence for the help. */
  summary: string
  required?: true
  repeatable?: true
  /** Its value where the option is given without one; another value follows an equals sign, `--probe=all`. */
  implied?: string
  /** All texts that are accepted. */
  choices?: readonly string[]
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>

type ValueOf<O extends OptionSpec> = O['type'] extends 'flag'
  ? boolean
  : O['type'] extends 'number'
    ? number
    : O extends { choices: readonly (infer Choice)[] }
      ? Choice
      : string

/** Parsed options of a command. Default: false for flags, an empty list for repeatable ones, undefined for others. */
export type OptionValues<Specs extends OptionSpecs> = {
  [Name in keyof Specs]: Specs[Name]['type'] extends 'flag'
    ? boolean
    : Specs[Name] extends { repeatable: true }
      ? ValueOf<Specs[Name]>[]
      : Specs[Name] extends { required: true }
        ? ValueOf<Specs[Name]>
        : ValueOf<Specs[Name]> | undefined
}

/** One positional argument, in this order. Only the last ones can be optional. */
export interface ArgumentSpec {
  name: string
  summary: string
  optional?: true
}

/** Output of a command: the document with --json, else the text. */
export interface Output {
  json: unknown
  text: string
  /** 1 when a check failed or the work is incomplete. Default: 0. */
  exitCode?: 0 | 1
}

export interface Command<Specs extends OptionSpecs = OptionSpecs> {
  summary: string
  /** Further paragraphs of the help. */
  details?: string
  /** The end of the help, loaded when the help is printed. */
  moreHelp?: (given: readonly string[]) => Promise<string>
  arguments: readonly ArgumentSpec[]
  options: Specs
  /** Options that users look for and that do not exist, with the reason and what to use instead. */
  unavailable?: Readonly<Record<string, string>>
  /** Runs with the default settings, so that invalid ones do not stop it. */
  ignoresSettings?: true
  run(
    tools: CommandContext,
    given: {
      options: OptionValues<Specs>
      arguments: readonly string[]
      /** With --json: print nothing but the document, and do not wait. */
      json: boolean
    },
  ): Promise<Output>
}

/** A command with subcommands. `otherwise` runs when the next word is none of them. */
export interface CommandGroup {
  summary: string
  commands: Readonly<Record<string, Command | CommandGroup>>
  otherwise?: Command
}

/** Defines a command; the types of its options follow from their table. */
export const command = <const Specs extends OptionSpecs>(stated: Command<Specs>): Command => stated
