/** What Node has of WebAssembly, as far as it is used here; the types of Node leave it to those of browsers. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  Instance: new (
    module: object,
    imports: { env: Record<string, (...numbers: number[]) => number> },
  ) => { readonly exports: Readonly<Record<string, unknown>> }
}
