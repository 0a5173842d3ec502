# One server as an image, from its built bundle: docker build --build-arg APP=issue-tracker --build-arg VERSION=… -t issue-tracker-mcp .
# It serves over stdio (docker run -i --rm --read-only -v issue-tracker:/data issue-tracker-mcp). Pinned by tag; a release may add the digest.
FROM node:24.21.0-trixie-slim AS package
ARG APP
WORKDIR /package
COPY LICENSE apps/${APP}/README.md apps/${APP}/package.json ./
COPY apps/${APP}/dist ./dist/
# Nobody may write what runs, and a bundle that does not start is no image.
RUN chmod -R a=rX . && node dist/main.js tools

FROM node:24.21.0-trixie-slim
ARG APP
ARG VERSION
LABEL org.opencontainers.image.title="${APP}-mcp" \
      org.opencontainers.image.description="MCP server ${APP} of MCP Toolkits" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="https://github.com/mcp-toolkits/mcp-toolkits" \
      org.opencontainers.image.documentation="https://github.com/mcp-toolkits/mcp-toolkits/tree/main/apps/${APP}#readme" \
      io.modelcontextprotocol.server.name="io.github.mcp-toolkits/${APP}"
# Without an account an image refuses every call: the embedded default is served with --embedded alone.
ENV MCP_TOOLKITS_EMBEDDED=0 \
    MCP_TOOLKITS_DATA_DIR=/data \
    NODE_COMPILE_CACHE=/data/.compile-cache
COPY --from=package /package /app/
RUN install -d -o 1000 -g 1000 /data
VOLUME /data
USER 1000:1000
WORKDIR /app
ENTRYPOINT ["node", "/app/dist/main.js"]
