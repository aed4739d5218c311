declare module 'undici/lib/llhttp/llhttp_simd-wasm.js' {
  /** llhttp as WebAssembly. */
  const bytes: Uint8Array<ArrayBuffer>
  export default bytes
}

/** What Node has of it; the types of Node leave it to those of browsers. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  Instance: new (
    module: object,
    imports: { env: Record<string, (...numbers: number[]) => number> },
  ) => { readonly exports: Readonly<Record<string, unknown>> }
}
