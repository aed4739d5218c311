# The program in an image: docker build -t onesixty .
# CI builds no image; test/unit/image-file.test.ts holds what stands here against the repository.

# The same Node.js as the devDependency `node` of package.json.
FROM node:24.21.0-bookworm-slim AS manifests
WORKDIR /opt/onesixty
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/

# What the program imports. Nothing of it has an install script.
FROM manifests AS dependencies
RUN npm ci --omit=dev --ignore-scripts

# Built beside it, by tools that stay behind.
FROM manifests AS console
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts/build-console.ts scripts/
COPY src src
COPY console console
RUN node scripts/build-console.ts

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production ONESIXTY_HOST=0.0.0.0 ONESIXTY_DATA=/var/lib/onesixty
WORKDIR /opt/onesixty
COPY package.json LICENSE ./
COPY bin bin
COPY --from=dependencies /opt/onesixty/node_modules node_modules
COPY src src
# The guides of a running server.
COPY docs docs
COPY --from=console /opt/onesixty/console/dist console/dist
# `docker compose exec node-1 onesixty doctor`; and the data folder, for its user alone.
RUN ln -s /opt/onesixty/bin/onesixty.js /usr/local/bin/onesixty \
  && install -d -o node -g node -m 700 /var/lib/onesixty
USER node
VOLUME /var/lib/onesixty
EXPOSE 8160
# By Node.js itself: the image has no curl. It speaks HTTP; TLS is the business of the proxy before it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --start-interval=1s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ONESIXTY_PORT || 8160}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "--v8-pool-size=0", "bin/onesixty.js", "serve"]
