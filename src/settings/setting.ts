/** A setting: its name, the reader of its text, its default, and what it does and why it has this default. */
export interface Setting<T> {
  env: string
  /** Returns the value, or throws a sentence that states what is required. */
  read(text: string): T
  default: T
  summary: string
  /** True if the value must never be shown, logged or documented. */
  secret?: true
}

export const setting = <T>(row: Setting<T>): Setting<T> => row
