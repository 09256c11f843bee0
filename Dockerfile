# The persons/computers service. Build: docker build --tag lapidary .
FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 EXPLAIN=off
WORKDIR /app
RUN mkdir data
RUN chown node:node data
COPY --from=dependencies /app/node_modules node_modules
COPY package.json ./
COPY src src
COPY process process
COPY service service
USER node
VOLUME /app/data
EXPOSE 3000
HEALTHCHECK CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["node", "service/main.js"]
