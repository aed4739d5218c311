import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Figure, median } from './figure.ts'

/** Processor time that a fixed piece of work takes on this host, in milliseconds. */
interface HostTimes {
  javaScript: number
  /** Null where there is no C compiler. */
  c: number | null
}

/** Measures the host again and again within a run: it is not the same all the time. */
interface HostWatch {
  sample(): Promise<void>
  /** The median of all samples so far. */
  times(): HostTimes
  figures(): Figure[]
  remove(): Promise<void>
}

/** What each piece takes by definition where the factor is 1, about what it took on the machine of November 2026. */
const unitMs = 100
const run = promisify(execFile)

/** Builds the piece in C where `cc` is, and measures once. */
export async function watchHost(): Promise<HostWatch> {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-host-'))
  const c = await compile(folder)
  const samples: HostTimes[] = []
  const sample = async (): Promise<void> => {
    const javaScript = await timeOf(process.execPath, [import.meta.filename])
    samples.push({ javaScript, c: c === null ? null : await timeOf(c, []) })
  }
  await sample()
  const all = (name: keyof HostTimes): number[] => samples.flatMap((each) => each[name] ?? [])
  return {
    sample,
    times: () => ({ javaScript: median(all('javaScript')), c: c === null ? null : median(all('c')) }),
    figures: () => [
      factorFigure('JavaScript', all('javaScript')),
      ...(c === null ? [] : [factorFigure('C, compiled with cc -O2', all('c'))]),
    ],
    remove: () => rm(folder, { recursive: true }),
  }
}

/** Returns how much longer a fixed piece of JavaScript takes here than where the factor is 1. */
export const javaScriptFactor = async (): Promise<number> =>
  (await timeOf(process.execPath, [import.meta.filename])) / unitMs

const factorOf = (ms: number): string => (ms / unitMs).toFixed(2)

/** Says them in a clause. */
export const describeHost = ({ javaScript, c }: HostTimes): string =>
  `host factor ${factorOf(javaScript)} for JavaScript, ${c === null ? 'no C compiler' : `${factorOf(c)} for C`}`

function factorFigure(piece: string, samples: readonly number[]): Figure {
  const [least, most] = [Math.min(...samples), Math.max(...samples)]
  return {
    row: 1,
    name: `host factor: a fixed piece of ${piece}`,
    value: `${factorOf(median(samples))} (${factorOf(least)} to ${factorOf(most)} in ${samples.length} samples)`,
  }
}

/** Runs a program that prints how much processor time its piece of work took. */
async function timeOf(program: string, args: readonly string[]): Promise<number> {
  const { stdout } = await run(program, args)
  return Number(stdout)
}

async function compile(folder: string): Promise<string | null> {
  const [source, program] = [join(folder, 'piece.c'), join(folder, 'piece')]
  await writeFile(source, pieceInC)
  try {
    await run('cc', ['-O2', '-o', program, source])
    return program
  } catch {
    return null
  }
}

/** Sorts and hashes, three times; the fastest counts, because what disturbs only adds. */
const pieceInC = `#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define COUNT 600000
static uint32_t words[COUNT];
static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}
static uint32_t piece(void) {
  uint32_t seed = 160, hash = 2166136261u;
  for (int i = 0; i < COUNT; i++) words[i] = seed = seed * 1664525u + 1013904223u;
  qsort(words, COUNT, sizeof words[0], compare);
  for (int i = 0; i < COUNT; i++) hash = (hash ^ words[i]) * 16777619u;
  return hash;
}
int main(void) {
  double best = 1e9;
  uint32_t hash = 0;
  for (int i = 0; i < 3; i++) {
    clock_t before = clock();
    hash ^= piece();
    double ms = (double)(clock() - before) * 1000 / CLOCKS_PER_SEC;
    if (ms < best) best = ms;
  }
  printf("%.3f\\n", hash == 1 ? 0 : best);
  return 0;
}
`

/** What a server in JavaScript does most: JSON both ways, maps of texts, small objects. */
function pieceInJavaScript(): number {
  const rows = new Map<string, { id: number; text: string; tags: string[] }>()
  let sum = 0
  for (let i = 0; i < 50_000; i++) {
    const text = JSON.stringify({ id: i, text: `message ${i} of the bench`, tags: ['a', String(i % 97)] })
    const row = JSON.parse(text) as { id: number; text: string; tags: string[] }
    rows.set(`msg_${i % 5_000}`, row)
    sum += (rows.get(`msg_${(i * 7) % 5_000}`)?.id ?? 0) + text.length
  }
  return sum
}

if (import.meta.main) {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    if (pieceInJavaScript() === 0) throw new Error('The piece did nothing.')
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  process.stdout.write(`${Math.min(...times).toFixed(3)}\n`)
}
