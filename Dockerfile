# Two stages: the first has the development dependencies, the second has only what runs.
# NODE_IMAGE: Node 22.14 or newer, whose SQLite driver comes as a binary; a tag, or a digest as name@sha256:…
# Build: docker build -t chirpwatch .      Try it: docker compose up demo      Run it: see compose.yaml
# Labels and both architectures: see docker-bake.hcl.
ARG NODE_IMAGE=docker.io/library/node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Scripts off: `prepare` wants the sources, which come later so that a change of theirs does not install everything again.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY config ./config
COPY src ./src
# What the bundle holds leaves node_modules, and with it types, source maps, pages, and the driver's sources and binaries for other systems.
RUN npm run build \
 && node config/build/prune-image.mjs \
 && rm -rf config/build node_modules/node-addon-api node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
 && find node_modules/better-sqlite3/prebuilds -name "*.node" ! -name "linux-$(node -p process.arch).node" -delete \
 && find dist node_modules -type d -empty -delete

FROM ${NODE_IMAGE}
ARG VERSION=""
ARG REVISION=""
ARG SOURCE=""
ARG CREATED=""
LABEL org.opencontainers.image.title="chirpwatch" \
      org.opencontainers.image.description="Alerts people to what is new on a social platform: once, soon, and for the fewest paid requests." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.created="${CREATED}"
# Inside a container the server listens to everyone, so it wants a token: `run` writes one to this file when there is none.
ENV NODE_ENV=production \
    CHIRPWATCH_DATA_DIR=/data \
    CHIRPWATCH_SERVER_LISTEN=0.0.0.0:9464 \
    CHIRPWATCH_SERVER_TOKEN_FILE=/data/server-token
COPY --from=build /app/package.json /app/
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/config /app/config
COPY --from=build /app/dist /app/dist
COPY docs/*.md /app/docs/
COPY LICENSE watches.example.yaml /app/
# Package managers have no work here. A named volume takes over the owner and mode of /data; uid 1000 is the image's user "node".
RUN rm -rf /usr/local/lib/node_modules/npm /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn* \
 && ln -s /app/dist/main.js /usr/local/bin/chirpwatch \
 && mkdir -p /data /config \
 && chown 1000:1000 /data \
 && chmod 0700 /data
VOLUME /data
WORKDIR /config
USER 1000:1000
EXPOSE 9464
# Whatever is missing above shows here: the demo polls, remembers and delivers.
RUN chirpwatch demo --once && rm -rf /tmp/*
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 CMD ["chirpwatch", "health"]
ENTRYPOINT ["/app/config/entrypoint.sh"]
CMD ["run"]
