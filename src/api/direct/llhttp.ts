import wasm from 'undici/lib/llhttp/llhttp_simd-wasm.js'

/** What the build of llhttp in `undici` exports, as far as it is used here. Numbers are addresses in its memory. */
interface Exports {
  memory: { buffer: ArrayBuffer }
  _initialize(): void
  malloc(bytes: number): number
  llhttp_alloc(type: number): number
  llhttp_reset(parser: number): void
  llhttp_execute(parser: number, start: number, length: number): number
  llhttp_get_http_major(parser: number): number
  llhttp_get_http_minor(parser: number): number
}

/** Where a target, and the names and values of headers in turn, begin and end in the bytes of a head. */
export interface HeadSpans {
  targetStart: number
  targetEnd: number
  /** Four numbers for each header: start and end of its name, start and end of its value. */
  headers: readonly number[]
}

/** Reads the head of a request; null unless it is well-formed HTTP/1.1 after which the connection stays open. */
export type ReadHead = (head: Uint8Array) => HeadSpans | null

/** `HTTP_REQUEST` of `enum llhttp_type`. */
const requestType = 1
/** `HPE_OK` of `enum llhttp_errno`. */
const ok = 0
/** The parser stops with an error of its own (`HPE_USER`): the head is not one for us. */
const stop = -1

/**
 * Starts llhttp, the parser that `node:http` uses too, in a build of its own and as strict, for heads of at most `maxBytes`. `undici`, which Node itself ships, has
 * it as WebAssembly. Returns null where this machine cannot run it.
 */
export function startLlhttp(maxBytes: number): ReadHead | null {
  let url = [0, 0]
  let spans: number[] = []
  let isWhole = false
  /** A name that has no value yet. */
  let isNamed = false
  const env = {
    wasm_on_message_begin: () => ok,
    wasm_on_status: () => ok,
    wasm_on_body: () => ok,
    wasm_on_message_complete: () => ok,
    wasm_on_url: (_parser: number, start: number, length: number) => {
      url = [start, start + length]
      return ok
    },
    // A value that continues in the next line comes in pieces, which is rare.
    wasm_on_header_field: (_parser: number, start: number, length: number) => {
      if (isNamed) return stop
      isNamed = true
      spans.push(start, start + length)
      return ok
    },
    wasm_on_header_value: (_parser: number, start: number, length: number) => {
      if (!isNamed) return stop
      isNamed = false
      spans.push(start, start + length)
      return ok
    },
    // Whether the connection stays open is by its headers, of which Proxy-Connection is one to llhttp.
    wasm_on_headers_complete: (_parser: number, _status: number, upgrade: number, staysOpen: number) => {
      isWhole = !isNamed && upgrade === 0 && staysOpen === 1
      return ok
    },
  }
  const llhttp = instantiate(env)
  if (llhttp === null) return null
  const parser = llhttp.llhttp_alloc(requestType)
  const start = llhttp.malloc(maxBytes)
  // The memory does not grow after this: nothing else is allocated in it.
  const bytes = new Uint8Array(llhttp.memory.buffer, start, maxBytes)
  const isHttp11 = (): boolean =>
    llhttp.llhttp_get_http_major(parser) === 1 && llhttp.llhttp_get_http_minor(parser) === 1
  return (head) => {
    if (head.length > maxBytes) return null
    spans = []
    isWhole = false
    isNamed = false
    bytes.set(head)
    llhttp.llhttp_reset(parser)
    if (llhttp.llhttp_execute(parser, start, head.length) !== ok || !isWhole || !isHttp11()) return null
    for (let i = 0; i < spans.length; i++) spans[i] = (spans[i] as number) - start
    return { targetStart: (url[0] as number) - start, targetEnd: (url[1] as number) - start, headers: spans }
  }
}

function instantiate(env: Record<string, (...numbers: number[]) => number>): Exports | null {
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm), { env })
    const llhttp = exports as unknown as Exports
    // The name is that of WASI for what a library does once.
    // oxlint-disable-next-line no-underscore-dangle
    llhttp._initialize()
    return llhttp
  } catch {
    return null
  }
}
