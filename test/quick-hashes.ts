import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/**
 * A hash of a password takes 40 ms of a processor on purpose, and tests sign in a thousand times. In the processes of the tests those
 * of the program's own cost take next to nothing; another cost, such as that of a published example, is computed as it is.
 */
const memoryOfProgram = 19_456
const least = { memory: 8, passes: 1 }

const { argon2 } = crypto
const quickArgon2: typeof argon2 = (algorithm, parameters, callback) =>
  argon2(
    algorithm,
    parameters.memory === memoryOfProgram ? { ...parameters, ...least } : parameters,
    callback,
  )

// A worker runs this once for each test file.
if (argon2.name !== quickArgon2.name) {
  Object.assign(crypto, { argon2: quickArgon2 })
  syncBuiltinESMExports()
}
