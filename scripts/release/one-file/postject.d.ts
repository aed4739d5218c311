declare module 'postject' {
  /** Puts data into an executable, where the program finds it by its name. */
  export function inject(
    file: string,
    name: string,
    data: Buffer,
    options: { sentinelFuse: string },
  ): Promise<void>
}
