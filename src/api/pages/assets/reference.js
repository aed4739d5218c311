// Draws the reference. A file of its own, because the page's policy admits no inline script.
window.Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  telemetry: false,
  agent: { disabled: true },
  withDefaultFonts: false,
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})
