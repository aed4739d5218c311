/**
 * What stands behind `?` at an address that is made of parts. The router knows what a page reads by the page's own address alone: of an address
 * that is put together it can tell neither page nor search, and takes any only as `never`.
 */
export const searchOf = (search: Readonly<Record<string, string>>): never => search as never
