/** Tasks that a server can do; by default all of them. */
export const roles = ['api', 'dispatch', 'webhooks', 'janitor'] as const
export type Role = (typeof roles)[number]

/** Parses roles separated by commas. Throws what is required. */
export function readRoles(text: string): readonly Role[] {
  const names = text.split(',').map((name) => name.trim())
  const wrong = names.find((name) => !(roles as readonly string[]).includes(name))
  if (wrong !== undefined)
    throw new Error(`needs one or more of ${roles.join(', ')}, separated by commas; '${wrong}' is none`)
  return roles.filter((role) => names.includes(role))
}
