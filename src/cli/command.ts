import type { Toolbox } from './toolbox.ts'

/** One option of a command. Without `required` it may be left out. */
export interface OptionSpec {
  type: 'text' | 'number' | 'flag'
  /** What its value is called in the help: NAME, FILE. Not for flags. */
  value?: string
  /** One sentence for the help. */
  says: string
  required?: true
  repeatable?: true
  /** The only texts that it takes. */
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

/** What a command is handed: flags are false, repeatable ones empty, and others undefined when left out. */
export type OptionValues<Specs extends OptionSpecs> = {
  [Name in keyof Specs]: Specs[Name]['type'] extends 'flag'
    ? boolean
    : Specs[Name] extends { repeatable: true }
      ? ValueOf<Specs[Name]>[]
      : Specs[Name] extends { required: true }
        ? ValueOf<Specs[Name]>
        : ValueOf<Specs[Name]> | undefined
}

/** One word that stands by itself; all are required, in this order. */
export interface ArgumentSpec {
  name: string
  says: string
}

/** What a command says: one document with --json, else the text. */
export interface Output {
  json: unknown
  text: string
  /** 1 when what was looked at is not as it should be; 0 when left out. */
  exitCode?: 0 | 1
}

export interface Command<Specs extends OptionSpecs = OptionSpecs> {
  summary: string
  /** Further paragraphs of the help. */
  details?: string
  /** The end of the help, where it takes loading. */
  moreHelp?: () => Promise<string>
  arguments: readonly ArgumentSpec[]
  options: Specs
  /** Works whatever the settings are: it is handed the defaults. */
  ignoresSettings?: true
  run(
    tools: Toolbox,
    given: {
      options: OptionValues<Specs>
      arguments: readonly string[]
      /** Only the document is wanted: nothing is said beside it, and nothing waited for. */
      json: boolean
    },
  ): Promise<Output>
}

/** Commands under one word. `otherwise` is meant when what follows is none of them. */
export interface CommandGroup {
  summary: string
  commands: Readonly<Record<string, Command | CommandGroup>>
  otherwise?: Command
}

/** States a command; the types of its options follow from their table. */
export const command = <const Specs extends OptionSpecs>(stated: Command<Specs>): Command => stated
