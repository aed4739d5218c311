/** In the order in which they are told apart: each later one's name stands in the user agents of those before it. */
const browsers = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
] as const
const systems = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const

/** What people call the browser that a user agent names; the beginning of it when it is none of the known ones. */
export function browserName(agent: string | null): string {
  if (agent === null || agent === '') return 'Unknown'
  const browser = browsers.find(([, form]) => form.test(agent))?.[0]
  const system = systems.find(([, form]) => form.test(agent))?.[0]
  if (browser === undefined) return agent.slice(0, 40)
  return system === undefined ? browser : `${browser} on ${system}`
}
