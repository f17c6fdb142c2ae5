import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Number of connections that a scenario cuts. */
export const CUTS = 20;

/** Returns after how many events to cut a connection: a random number in the range. The turn must have more than `to` events. */
export const randomEvents = (from: number, to: number): number =>
  from + Math.floor(Math.random() * (to - from + 1));

export interface CuttingProxy {
  readonly url: string;
  /** Returns the number of cut connections. */
  readonly cuts: () => number;
}

/**
 * A proxy that cuts the connection of an event stream after a number of events, if the stream has that many. `eventsOf` is called
 * once per stream and returns `undefined` for streams not to cut. The proxy is closed at the end of the test.
 */
export async function startCuttingProxy(
  server: string,
  eventsOf: (method: string) => number | undefined,
): Promise<CuttingProxy> {
  const { host, port, hostname } = new URL(server);
  let cuts = 0;
  const proxy = createServer((incoming, outgoing) => {
    const { method = "GET", url, headers } = incoming;
    const passed = request({ hostname, port, method, path: url, headers: { ...headers, host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      const isStream = answer.headers["content-type"]?.startsWith("text/event-stream") === true;
      const most = isStream ? eventsOf(method) : undefined;
      answer.on("error", () => outgoing.destroy());
      if (most === undefined) return void answer.pipe(outgoing);
      let left = most;
      answer.on("data", (bytes: Buffer) => {
        if (left <= 0) return;
        const end = endOfEvent(bytes, left);
        left -= eventsIn(bytes.subarray(0, end));
        if (left > 0) return void outgoing.write(bytes);
        cuts += 1;
        answer.destroy();
        cut(outgoing, bytes.subarray(0, end));
      });
      answer.on("end", () => outgoing.end());
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, cuts: () => cuts };
}

const cut = (outgoing: ServerResponse, last: Uint8Array) => outgoing.write(last, () => outgoing.destroy());

const END = "\n\n";

const eventsIn = (bytes: Buffer): number => bytes.toString("latin1").split(END).length - 1;

/** Returns the end of the event with this number in the bytes, or the end of the bytes if there are fewer. */
function endOfEvent(bytes: Buffer, nth: number): number {
  let end = 0;
  for (let count = 0; count < nth; count++) {
    const at = bytes.indexOf(END, end);
    if (at < 0) return bytes.length;
    end = at + END.length;
  }
  return end;
}
