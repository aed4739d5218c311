import { existsSync, readFileSync, writeSync } from 'node:fs'
import { ClientRequest } from 'node:http'
import { Socket } from 'node:net'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import * as points from './crash-points.ts'

/**
 * Loaded in front of a server by Node's --import, in each of its threads: dies at the point that the file named by the environment says.
 * Nothing is told to the server, and nothing of it runs afterwards.
 */
const file = process.env[points.armedAtVariable] ?? ''
let passes = 0

function pass(point: points.CrashPoint): void {
  if (!existsSync(file)) return void (passes = 0)
  const armed = JSON.parse(readFileSync(file, 'utf8')) as points.Armed
  if (armed.point !== point || passes++ < armed.skip) return
  writeSync(2, points.lastWords(point))
  process.kill(process.pid, 'SIGKILL')
}

/** Lets something happen before each call of a method of Node. */
function beforeEach<T extends object>(prototype: T, method: keyof T, before: (self: T) => void): void {
  const original = prototype[method] as (this: T, ...args: unknown[]) => unknown
  prototype[method] = function (this: T, ...args: unknown[]) {
    before(this)
    return original.apply(this, args)
  } as T[keyof T]
}

/** What the open transaction of this thread has done so far. */
let done = new Set<points.CommitName>()

function note({ sourceSQL }: StatementSync): void {
  for (const [name, said] of Object.entries(points.commits))
    if (said.test(sourceSQL)) done.add(name as points.CommitName)
}

beforeEach(StatementSync.prototype, 'run', note)
beforeEach(StatementSync.prototype, 'all', note)

const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql) {
  if (sql === 'begin immediate') done = new Set()
  if (sql !== 'commit') return exec.call(this, sql)
  for (const name of done) pass(`before the commit of ${name}`)
  exec.call(this, sql)
  for (const name of done) pass(`after the commit of ${name}`)
}

beforeEach(ClientRequest.prototype, 'end', (request) => {
  const what = request.hasHeader('webhook-id') ? 'an event' : 'a hand-over'
  pass(`before ${what} is written`)
  request.once('finish', () => pass(`after ${what} is written`))
  request.prependOnceListener('response', () => pass(`before the answer to ${what} is read`))
})

const longestPdu = 70_000

/** The command_ids of the PDUs that begin in a piece of a stream; none when it is something else. */
function* commandIds(piece: unknown): Generator<number> {
  if (!Buffer.isBuffer(piece)) return
  for (let at = 0; at + 16 <= piece.length;) {
    const length = piece.readUInt32BE(at)
    if (length < 16 || length > longestPdu) return
    yield piece.readUInt32BE(at + 4)
    at += length
  }
}

const namesIn = <T extends string>(piece: unknown, names: Readonly<Record<number, T>>): T[] =>
  [...commandIds(piece)].flatMap((id) => names[id] ?? [])

/** A line of a modem; PDUs that are read with others are longer. */
const longestLine = 2_048

const linesIn = <T extends string>(piece: unknown, names: Readonly<Record<T, RegExp>>): T[] =>
  Buffer.isBuffer(piece) && piece.length <= longestLine
    ? (Object.keys(names) as T[]).filter((name) => names[name].test(piece.toString('latin1')))
    : []

const isAccepted = (piece: unknown): boolean => typeof piece === 'string' && piece.startsWith('HTTP/1.1 202 ')

const write = Socket.prototype.write as (this: Socket, piece: unknown, ...more: unknown[]) => boolean
Socket.prototype.write = function (this: Socket, piece: unknown, ...more: unknown[]) {
  const names = isAccepted(piece)
    ? (['a 202'] as const)
    : [...namesIn(piece, points.writtenPdus), ...linesIn(piece, points.writtenToModems)]
  for (const name of names) pass(`before ${name} is written`)
  const isTaken = write.call(this, piece, ...more)
  for (const name of names) pass(`after ${name} is written`)
  return isTaken
}

Socket.prototype.push = function (this: Socket, piece: unknown, encoding?: BufferEncoding) {
  for (const name of [...namesIn(piece, points.readPdus), ...linesIn(piece, points.readFromModems)])
    pass(`before ${name} is read`)
  return Readable.prototype.push.call(this, piece, encoding)
}
