/**
 * What an operator types before a command of this program, which depends on the installation: `installation.ts` finds it, and `main.ts` states it before
 * anything is printed. Every text that names a command asks here. Without `main.ts`, as in tests and threads, it is `onesixty`.
 */
export interface OwnCommand {
  /** For the terminal and the log of this machine: with the folder, where the command needs one. */
  full: string
  /** For everything that is sent over the network: the folder is left off, because a path of this machine helps only an attacker. */
  withoutFolder: string
}

let own: OwnCommand = { full: 'onesixty', withoutFolder: 'onesixty' }

/** States what the commands of this process are called, from here on. */
export const stateOwnCommand = (found: OwnCommand): void => {
  own = found
}

/** Returns the word before a command, for the terminal and the log: `${ownCommand()} device list`. */
export const ownCommand = (): string => own.full

/** Returns the word before a command, for a page or a response. */
export const ownCommandOverNetwork = (): string => own.withoutFolder

/** What texts that are constants have in the place of the word. */
const placeholder = '{onesixty}'

/** Fills the word into a constant text: `Change it with {onesixty} device set.` */
export const fillOwnCommand = (text: string, word: string): string => text.replaceAll(placeholder, word)
