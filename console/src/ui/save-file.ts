/** Hands a file to the browser to keep, under a name. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // Later, so that the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
