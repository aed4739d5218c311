declare module 'undici/lib/llhttp/llhttp_simd-wasm.js' {
  /** llhttp as WebAssembly. */
  const bytes: Uint8Array<ArrayBuffer>
  export default bytes
}
