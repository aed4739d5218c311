/** Saves a file as a download of the browser. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // Delayed, so that the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
