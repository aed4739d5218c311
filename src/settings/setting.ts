/** One row a setting: its name, how its text is read, what holds without it, and why. */
export interface Setting<T> {
  env: string
  /** Gives the value, or throws a sentence that says what would be right. */
  read(text: string): T
  default: T
  says: string
  /** Never shown, logged or documented with its value. */
  secret?: true
}

export const setting = <T>(row: Setting<T>): Setting<T> => row
