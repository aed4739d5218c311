/** One stage of a Dockerfile. */
export interface DockerStage {
  from: string
  name: string | null
  /** Its lines, continuations joined, comments left out. */
  text: string
  workdir: string | null
  user: string | null
  expose: string | null
  env: Readonly<Record<string, string>>
  volumes: readonly string[]
  copies: readonly { stage: string | null; sources: readonly string[]; target: string }[]
  cmd: readonly string[] | null
  /** What the health check runs. */
  healthCheck: readonly string[] | null
}

/** Reads a Dockerfile that uses the JSON form of CMD and no variables. */
export function readDockerfile(text: string): DockerStage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
  const starts = lines.flatMap((line, i) => (line.startsWith('FROM ') ? [i] : []))
  return starts.map((start, i) => readStage(lines.slice(start, starts[i + 1])))
}

function readStage(lines: readonly string[]): DockerStage {
  const all = (word: string): string[] =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
  const last = (word: string): string | null => all(word).at(-1) ?? null
  const [from = '', , name = null] = (last('FROM') ?? '').split(' ')
  const cmd = last('CMD')
  const check = /CMD (\[.*\])$/.exec(last('HEALTHCHECK') ?? '')?.[1]
  return {
    from,
    name,
    text: lines.join('\n'),
    workdir: last('WORKDIR'),
    user: last('USER'),
    expose: last('EXPOSE'),
    env: Object.fromEntries(all('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=')))),
    volumes: all('VOLUME'),
    copies: all('COPY').map((line) => {
      const words = line.split(' ')
      const stage = words.find((word) => word.startsWith('--from='))?.slice('--from='.length) ?? null
      const paths = words.filter((word) => !word.startsWith('--'))
      return { stage, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' }
    }),
    cmd: cmd === null ? null : (JSON.parse(cmd) as string[]),
    healthCheck: check === undefined ? null : (JSON.parse(check) as string[]),
  }
}

/** Reads a unit of systemd: all values of a name, in order, whatever their section. */
export function readUnit(text: string): { all(name: string): string[] } {
  const pairs = text.split('\n').flatMap((line) => {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [{ name, value: value ?? '' }]
  })
  return { all: (name) => pairs.filter((pair) => pair.name === name).map(({ value }) => value) }
}

/** What a text names that would be a setting of ours. */
export const namedSettings = (text: string): string[] =>
  [...text.matchAll(/\bONESIXTY_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => name)
