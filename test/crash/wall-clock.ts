import { globSync, renameSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives a process another wall clock; the monotonic one stays real. Comes with Debian's package `faketime`. */
const [library] = globSync('/usr/lib/{*/,}faketime/libfaketime.so.1')

/** Without the tool there is nothing to be proved: .ci/run installs it. */
export const canMoveClocks = library !== undefined

/** The wall clock of a server, which is moved by writing a file. */
export interface WallClock {
  /** What the server is started with. */
  env: Record<string, string>
  /** To an instant, from which it goes on at its usual pace. */
  jumpTo(instant: string): void
  /** So far ahead of the true time, or behind it. */
  jumpAway(offsetMs: number): void
  /** What it shows. */
  now(): number
  close(): Promise<void>
}

export async function openWallClock(): Promise<WallClock> {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-clock-'))
  const file = join(folder, 'offset')
  let seconds = 0
  const jumpAway = (offsetMs: number): void => {
    seconds = Math.round(offsetMs / 1_000)
    // Under another name first: the server looks at it whenever it asks for the time.
    writeFileSync(`${file}.new`, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}`)
    renameSync(`${file}.new`, file)
  }
  jumpAway(0)
  return {
    env: {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
      // Where the clocks went back in the night that the tests move through.
      TZ: 'Europe/Berlin',
    },
    jumpTo: (instant) => jumpAway(Date.parse(instant) - Date.now()),
    jumpAway,
    now: () => Date.now() + seconds * 1_000,
    close: () => rm(folder, { recursive: true }),
  }
}
