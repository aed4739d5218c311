import { DatabaseSync } from 'node:sqlite'

/**
 * Loaded in front of the program by Node's --import, in each of its threads: whatever level of `synchronous` a connection asks for, it gets the one
 * of the environment, in silence, as some builds and wrappers of SQLite do.
 */
const level = process.env['TEST_SYNCHRONOUS'] ?? ''
const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql) {
  exec.call(this, sql.replace(/pragma synchronous = \w+/, `pragma synchronous = ${level}`))
}
