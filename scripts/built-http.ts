/**
 * Replaces `node:http` in a built program. An import of a module of Node.js reads each of its members, and three of this one (WebSocket and its events) load
 * undici, which a server does not need: 10 MB of memory. `process.getBuiltinModule` gives the same module and reads nothing.
 */
const http = process.getBuiltinModule('node:http')

// oxlint-disable-next-line import/no-default-export -- packages import it as node:http has it
export default http

export const {
  Agent,
  ClientRequest,
  createServer,
  get,
  IncomingMessage,
  METHODS,
  OutgoingMessage,
  request,
  Server,
  ServerResponse,
  STATUS_CODES,
} = http
