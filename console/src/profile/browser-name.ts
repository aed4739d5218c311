/** In the order of matching: user agents of earlier browsers also contain the names of later ones. */
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

/** Returns the name of a user agent's browser and system; the start of the user agent when it is unknown. */
export function browserName(agent: string | null): string {
  if (agent === null || agent === '') return 'Unknown'
  const browser = browsers.find(([, form]) => form.test(agent))?.[0]
  const system = systems.find(([, form]) => form.test(agent))?.[0]
  if (browser === undefined) return agent.slice(0, 40)
  return system === undefined ? browser : `${browser} on ${system}`
}
