const { document: url } = document.querySelector('#reference').dataset
// The console leaves a test key here when it sends somebody to this page: requests then run as they stand.
const key = sessionStorage.getItem('onesixty-reference-key')

// Draws the reference. A file of its own, because the page's policy admits no inline script.
window.Scalar.createApiReference('#reference', {
  url,
  telemetry: false,
  agent: { disabled: true },
  withDefaultFonts: false,
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  ...(key === null || url !== '/openapi.json'
    ? {}
    : {
        authentication: {
          preferredSecurityScheme: 'apiKey',
          securitySchemes: { apiKey: { token: key } },
        },
      }),
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})
