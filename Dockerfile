# An image of one server, from its bundle: docker build --build-arg APP=issue-tracker --build-arg VERSION=… -t issue-tracker-mcp .
# It serves over stdio (docker run -i --rm --read-only -v issue-tracker:/data issue-tracker-mcp). Dependabot updates tag and digest.
FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe AS package
ARG APP
WORKDIR /package
COPY LICENSE apps/${APP}/README.md apps/${APP}/package.json ./
COPY apps/${APP}/dist ./dist/
# The bundle is read-only and must start.
RUN chmod -R a=rX . && node dist/main.js tools

FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe
ARG APP
ARG VERSION
LABEL org.opencontainers.image.title="${APP}-mcp" \
      org.opencontainers.image.description="MCP server ${APP} of MCP Toolkits" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="https://github.com/mcp-toolkits/mcp-toolkits" \
      org.opencontainers.image.documentation="https://github.com/mcp-toolkits/mcp-toolkits/tree/main/apps/${APP}#readme" \
      io.modelcontextprotocol.server.name="io.github.mcp-toolkits/${APP}"
# Without an account an image refuses every call, unless it runs with --embedded.
ENV MCP_TOOLKITS_EMBEDDED=0 \
    MCP_TOOLKITS_DATA_DIR=/data \
    NODE_COMPILE_CACHE=/data/.compile-cache
COPY --from=package /package /app/
RUN install -d -o 1000 -g 1000 /data
VOLUME /data
USER 1000:1000
WORKDIR /app
ENTRYPOINT ["node", "/app/dist/main.js"]
