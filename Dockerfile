# The service in a container: docs/self-hosting.md. Without settings it serves and places no orders.
FROM node:24-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json openapi.json .env.example LICENSE *.md ./
COPY docs docs
COPY client client
COPY console console
COPY functions functions
COPY shared shared
COPY local local
COPY paper paper
COPY infra/build infra/build
COPY tools/package tools/package
RUN npm run build:package

# One folder of plain JavaScript: no package manager's tree, nothing that is writable but /data.
FROM node:24-slim
RUN install -d -o node -g node -m 700 /data
COPY --from=build /src/build/package /app
# The compile cache would be written beside the program, where nothing may be written.
ENV NODE_ENV=production NODE_DISABLE_COMPILE_CACHE=1 SERVICE_HOST=0.0.0.0 SERVICE_STORE=/data/orders.db
USER node
WORKDIR /app
VOLUME /data
EXPOSE 8080
# Not by fetch, which refuses ports that browsers refuse, such as 10080.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "require('node:http').get(`http://127.0.0.1:${process.env.SERVICE_PORT || 8080}/health`, { signal: AbortSignal.timeout(4000) }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# The room for new objects is that of npm start, so that the memory does not grow: docs/performance.md.
ENTRYPOINT ["node", "--min-semi-space-size=16", "--max-semi-space-size=16", "/app/server/start.js"]
