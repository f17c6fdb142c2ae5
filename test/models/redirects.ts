import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ModelApi, raw } from "./model-api.ts";
import { configOf, errorOf, runBy, says, WAYS } from "./run.ts";

/** The statuses that `fetch` follows by itself. With 307 and 308 it sends the body again, too. */
const REDIRECTS = [301, 302, 303, 307, 308] as const;

/** Starts a server that closes after the test, and returns its URL. */
export async function startServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts the server that redirects lead to. `received`: the requests that it gets. */
export async function startElsewhere() {
  const received: unknown[] = [];
  const url = await startServer(({ method, url, headers }, response) => {
    received.push({ method, url, headers });
    response.writeHead(404).end();
  });
  return { url, received };
}

/** Tests that neither the key nor the conversation follows a redirect. */
export function describeRedirects<Reply>(api: ModelApi<Reply>): void {
  describe.each(WAYS)("for a reply that is %s, a redirect", (way) => {
    it.each(REDIRECTS)("by %d sends nothing to another server, and isn't retried", async (status) => {
      const elsewhere = await startElsewhere();
      const location = `${elsewhere.url}/v1/moved?token=t-secret`;
      const service = await api.start([raw(status, "", { location })]);
      onTestFinished(service.close);
      const { config, events } = configOf(api.provider(service));
      const result = await runBy(way, says("«what was said»"), config);
      expect(elsewhere.received).toEqual([]);
      expect(service.requests).toHaveLength(1);
      const { origin } = new URL(service.baseURL);
      const said = ` ${status}; ${origin} redirects: set baseURL to the final address`;
      const message = expect.stringContaining(said);
      const expected = { _tag: "ModelCallError", status, retryable: false, attempts: 1, cause: { message } };
      expect(errorOf(result)).toMatchObject(expected);
      const shown = [result.outcome, events.filter(({ type }) => type !== "run_start")];
      expect(JSON.stringify(shown)).not.toMatch(/secret|«/);
    });
  });
}
