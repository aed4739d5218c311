/**
 * Returns a search for a path that is built at run time. The router types a search by the literal path of its page; for
 * any other path it accepts only `never`.
 */
export const searchOf = (search: Readonly<Record<string, string>>): never => search as never
