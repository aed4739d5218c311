/** A function of a profile (Chrome DevTools Protocol, Runtime.CallFrame). Lines count from 0. */
export interface CallFrame {
  functionName: string
  url: string
  lineNumber: number
}

/** A function with the last two parts of its file's path. */
export function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const name = functionName === '' ? '(anonymous)' : functionName
  return url === '' ? name : `${name}  ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`
}

/** What has neither name nor file is native: its caller tells what it is. */
export const nameWithin = (frame: CallFrame, caller: CallFrame | undefined): string =>
  frame.functionName === '' && frame.url === '' && caller !== undefined
    ? `(native code) of ${nameOf(caller)}`
    : nameOf(frame)

/** From source, or bundled as the bench builds it (scripts/build-program.ts). */
export const isOurs = ({ url }: CallFrame): boolean =>
  url.includes('/.cache/onesixty/') || (url.includes('/src/') && !url.includes('/node_modules/'))

const minShare = 0.004

/** The largest shares of `sum`, a line each; `say` tells more of an amount, behind its share. */
export const shareLines = (
  amounts: ReadonlyMap<string, number>,
  { sum, shown, say = () => '' }: { sum: number; shown: number; say?: (amount: number) => string },
): string[] =>
  [...amounts]
    .filter(([, amount]) => amount / sum >= minShare)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, shown)
    .map(([name, amount]) => `  ${((amount / sum) * 100).toFixed(1).padStart(5)} %  ${say(amount)}${name}`)

/** Adds to what is known under a name. */
export const addTo = (amounts: Map<string, number>, name: string, amount: number): void =>
  void amounts.set(name, (amounts.get(name) ?? 0) + amount)
