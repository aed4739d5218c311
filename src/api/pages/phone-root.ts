import { X509Certificate } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { phoneRootPath } from '../../process/own-address.ts'
import type { Mount } from '../edge/mount.ts'

/**
 * Creates the mount with the root that phones install; `readRoot` returns it in PEM, or null without one.
 *
 * Chrome for Android gives this media type to the installer of certificates (`supported_certificate_types` of its
 * net/base/mime_util.cc); from Android 11 on it stores the file, and its user installs it in the settings, which
 * list files with this type. DER is read by every version.
 */
export const createPhoneRoot = (readRoot: () => Promise<string | null>): Mount => ({
  path: '',
  known: new Map([[phoneRootPath, ['GET', 'HEAD']]]),
  addTo(app, { respond }) {
    app.route({
      method: ['GET', 'HEAD'],
      url: phoneRootPath,
      handler: async (request: FastifyRequest, reply) => {
        const root = await readRoot()
        respond(
          request,
          reply,
          root === null
            ? {
                status: 404,
                contentType: 'text/plain; charset=utf-8',
                body: 'There is no root of our own.\n',
              }
            : {
                status: 200,
                contentType: 'application/x-x509-ca-cert',
                body: new X509Certificate(root).raw,
                headers: { 'content-disposition': 'attachment; filename="onesixty-phone-ca.crt"' },
              },
        )
        return reply
      },
    })
  },
})
